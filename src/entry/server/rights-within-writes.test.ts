/** Between the check of a right and the write it is for, the right may be lost. What counts is what is so in the write. */
import { describe, expect, it, onTestFinished } from "vitest";
import { ADMIN } from "../../approvals/approval.ts";
import type { DirectoryWrites, Stores } from "../../approvals/store.ts";
import { KEYRING } from "../../channels/world.fixture.ts";
import { readTree } from "../../knowledge/base/tree.ts";
import { candidate, scratchCuration } from "../../knowledge/curation/curation.fixture.ts";
import type { HeldLock } from "../../knowledge/lock.ts";
import { stored } from "../../runs/files/store.fixture.ts";
import type { RunStore } from "../../runs/store.ts";
import { memoryStores } from "../../stores/memory.ts";
import { localKnowledge } from "./knowledge/local-knowledge.ts";
import { ROUTES } from "./routes/table.ts";
import { testRuns } from "./runs/runs.fixture.ts";
import { testServer } from "./server.fixture.ts";
import { createToken, tokensOf } from "./tokens.ts";

const BOB = { id: "bob", organisation: "acme", name: "Bob", roles: [ADMIN] };
const LOSSES = {
  "was removed": (stores: Stores) => stores.removePerson("acme", "bob"),
  "is no admin any more": (stores: Stores) => stores.putPerson({ ...BOB, roles: ["approver"] }),
};
const WRITES: Readonly<Record<keyof DirectoryWrites, true>> = {
  putPerson: true,
  addPerson: true,
  removePerson: true,
  linkIdentity: true,
  unlinkIdentity: true,
  putChannel: true,
  changeChannel: true,
  removeChannel: true,
  keep: true,
  take: true,
  putSettings: true,
};

/** Before whatever is written next, and whichever way, `next` gives what happens first: once. */
function interrupted(stores: Stores, next: () => (() => Promise<unknown>) | undefined): Stores {
  const before = <Writes extends DirectoryWrites>(writes: Writes): Writes =>
    new Proxy(writes, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function" || !(name in WRITES)) return member;
        return async (...given: unknown[]) => {
          await next()?.();
          return member.apply(target, given);
        };
      },
    });
  return before({ ...stores, by: (actor) => before(stores.by(actor)) });
}

const SLACK = "slack:U0KNOWN";
const WEBHOOK = { url: "https://hooks.example.com/", secret: "s".repeat(32) };

interface Things {
  readonly channel: string;
  readonly token: string;
}

/** One of each that changes people, rights, channels, tokens or settings. */
const CHANGES: Readonly<Record<string, (things: Things) => readonly [method: string, path: string, body?: unknown]>> = {
  addPerson: () => ["POST", "/api/people", { id: "eve", name: "Eve", roles: [ADMIN], identity: "slack:U0NEW" }],
  putPerson: () => ["PUT", "/api/people/mia", { name: "Mia", roles: [ADMIN] }],
  removePerson: () => ["DELETE", "/api/people/mia"],
  linkIdentity: () => ["POST", "/api/people/mia/identities", { identity: "slack:U0NEW" }],
  unlinkIdentity: () => ["DELETE", `/api/people/cleo/identities?identity=${encodeURIComponent(SLACK)}`],
  putSettings: () => ["PUT", "/api/organisation/settings", { isReadOnly: true }],
  createChannel: () => ["POST", "/api/channels", { type: "webhook", name: "new", config: WEBHOOK }],
  changeChannel: ({ channel }) => ["PATCH", `/api/channels/${channel}`, { isActive: false }],
  removeChannel: ({ channel }) => ["DELETE", `/api/channels/${channel}`],
  createToken: () => ["POST", "/api/tokens", { kind: "agent", name: "new", namesInitiator: true }],
  revokeToken: ({ token }) => ["DELETE", `/api/tokens/${token}`],
};

/** Theirs is seen within the write by other tests, or their write is no store's, or they write nothing. */
const OTHERS = [
  ...["respondToApproval", "delegateApproval", "withdrawApproval"],
  ...["stopRun", "changeRun", "decideProposal", "undoDecision"],
  ...["signOut", "testChannel", "testChannelApproval", "discoverChats"],
];

async function world() {
  const memory = memoryStores();
  const coming: (() => Promise<unknown>)[] = [];
  const server = await testServer({ stores: interrupted(memory, () => coming.pop()), keyring: KEYRING });
  await memory.putPerson(BOB);
  await memory.linkIdentity(SLACK, "acme", "cleo");
  const [ada, bob, mia] = await Promise.all(["ada", "bob", "mia"].map((id) => server.browser(id)));
  if (!ada || !bob || !mia) throw new Error("somebody is missing");
  const channel = (await ada("POST", "/api/channels", { type: "webhook", name: "w", config: WEBHOOK })).json.id;
  const draft = {
    organisation: "acme",
    name: "t",
    kind: "agent",
    agent: null,
    person: null,
    createdBy: "ada",
  } as const;
  const token = (await createToken(memory, { ...draft, scopes: ["wait"], lastsMs: 60_000 })).stored.id;
  const state = async () => ({
    people: (await memory.people("acme")).filter(({ id }) => id !== "bob"),
    identities: [await memory.identified(SLACK, "acme"), await memory.identified("slack:U0NEW", "acme")],
    channels: await memory.channels("acme"),
    settings: await memory.settings("acme"),
    tokens: await tokensOf(memory, "acme"),
  });
  /** Once something is written. */
  const lose = (loss: (stores: Stores) => Promise<unknown>) => void coming.push(() => loss(memory));
  return { bob, mia, state, lose, coming, things: { channel, token } };
}

describe("whoever loses a right before what they asked for is written", () => {
  it("X-6 is thought of in every route that changes something", () => {
    const changing = ROUTES.filter(
      ({ method, access }) => method !== "get" && access.some((who) => who === "member" || who === "admin"),
    );
    expect(changing.map(({ operation }) => operation).sort()).toEqual([...Object.keys(CHANGES), ...OTHERS].sort());
  });

  describe.each(Object.entries(CHANGES))("%s", (operation, change) => {
    it.each(Object.entries(LOSSES))("X-6 changes nothing for an admin who %s", async (_, loss) => {
      const { bob, mia, state, lose, coming, things } = await world();
      const before = await state();
      lose(loss);
      const refused = await bob(...change(things));
      expect(coming, "nothing was written").toEqual([]);
      expect([refused.status, refused.json.error.message]).toEqual([403, "you may not do this; it is for admin"]);
      expect(await state()).toEqual(before);
      // In the words for those who never had the right.
      const { access } = ROUTES.find((route) => route.operation === operation) ?? {};
      if (access?.includes("member")) return;
      expect((await mia(...change(things))).json).toEqual(refused.json);
    });

    it("is done for an admin who stays one", async () => {
      const { bob, state, things } = await world();
      const before = await state();
      expect([200, 204]).toContain((await bob(...change(things))).status);
      expect(await state()).not.toEqual(before);
    });
  });

  it("X-6 makes no token of their own once they were removed", async () => {
    const { bob, state, lose } = await world();
    const before = await state();
    lose(LOSSES["was removed"]);
    expect((await bob("POST", "/api/tokens", { kind: "person", name: "mine" })).status).toBe(403);
    expect(await state()).toEqual(before);
  });

  it("who is no admin any more still revokes a token that they made", async () => {
    const { bob, lose, state } = await world();
    const made = (await bob("POST", "/api/tokens", { kind: "person", name: "mine" })).json.stored.id;
    lose(LOSSES["is no admin any more"]);
    expect((await bob("DELETE", `/api/tokens/${made}`)).status).toBe(204);
    expect((await state()).tokens.map(({ id }) => id)).not.toContain(made);
  });
});

describe("whoever loses a right once a run or a proposal was read", () => {
  const noDecider = (stores: Stores) => stores.putPerson({ ...BOB, roles: [] });

  it("X-6 changes and stops no run", async () => {
    const memory = memoryStores();
    const { source, store } = await testRuns("acme");
    const read: RunStore["read"] = async (id) => {
      const run = await store.read(id);
      await noDecider(memory);
      return run;
    };
    const stopped: string[] = [];
    const requestStop: RunStore["requestStop"] = async (id) => void stopped.push(id);
    const slow = { ...store, read, requestStop };
    const server = await testServer({ stores: memory, runs: { ...source, storeOf: () => slow } });
    const { id, version } = await stored(store, {});
    const bob = await server.browser("bob");
    const asked = [
      () => bob("PATCH", `/api/runs/${id}`, { note: "mine", isPinned: true }),
      () => bob("POST", `/api/runs/${id}/stop`),
      ...["note", "pin", "stop"].map((what) => () => {
        const fields = new URLSearchParams({ csrf: bob.csrf, note: "mine", isPinned: "true" });
        return bob("POST", `/runs/${id}/${what}`, fields.toString(), {
          "content-type": "application/x-www-form-urlencoded",
        });
      }),
    ];
    for (const ask of asked) {
      await memory.putPerson({ ...BOB, roles: ["approver"] });
      const { status, text } = await ask();
      expect([status, text.includes("runs are changed by people with the role approver or admin")]).toEqual([
        403,
        true,
      ]);
    }
    expect(stopped).toEqual([]);
    expect((await store.read(id))?.version).toBe(version);
  });

  it("X-6 decides on no proposal, and takes no decision back", async () => {
    const memory = memoryStores();
    const at = scratchCuration();
    onTestFinished(at.base.remove);
    at.session("s1", [candidate("Sign every release"), candidate("Sign no release")]);
    const source = localKnowledge({ roots: () => [at.base.root], organisation: "acme", everyMs: 10, waitMs: 6_000 });
    let isLosing = false;
    const bases: typeof source.bases = (organisation) => {
      if (isLosing) void noDecider(memory);
      return source.bases(organisation);
    };
    const server = await testServer({ stores: memory, knowledge: { ...source, bases } });
    const bob = await server.browser("bob");
    const path = `/api/knowledge/${source.bases("acme")[0]?.id}`;
    const decide = (origin: string) => bob("POST", `${path}/proposals/${origin}/decide`, { decision: "accept" });
    expect((await decide("s1:practice:0")).status).toBe(200);
    const before = readTree(at.places.nodesDir).nodes;
    isLosing = true;
    for (const ask of [() => decide("s1:practice:1"), () => bob("POST", `${path}/undo`, { origin: "s1:practice:0" })]) {
      await memory.putPerson({ ...BOB, roles: ["approver"] });
      expect((await ask()).status).toBe(403);
    }
    expect(readTree(at.places.nodesDir).nodes).toEqual(before);
  });
});

describe("whoever takes a right while what it is for is written to a run or a base", () => {
  /** Each write takes its time, and the role is taken as it begins. */
  async function losing() {
    const memory = memoryStores();
    const order: string[] = [];
    let loss: Promise<unknown> = Promise.resolve();
    const slowly =
      <Given extends unknown[], T>(write: (...given: Given) => Promise<T>) =>
      async (...given: Given): Promise<T> => {
        loss = memory.putPerson({ ...BOB, roles: [] }).then(() => order.push("lost"));
        await new Promise((done) => setTimeout(done, 20));
        const written = await write(...given);
        order.push("written");
        return written;
      };
    const answered = async (ask: () => Promise<{ readonly status: number }>) => {
      await memory.putPerson({ ...BOB, roles: ["approver"] });
      order.length = 0;
      const { status } = await ask();
      await loss;
      return { status, order: [...order] };
    };
    return { memory, slowly, answered };
  }

  it("X-6 is answered after it: a run", async () => {
    const { memory, slowly, answered } = await losing();
    const { source, store } = await testRuns("acme");
    const slow = { ...store, change: slowly(store.change), requestStop: slowly(async () => {}) };
    const server = await testServer({ stores: memory, runs: { ...source, storeOf: () => slow } });
    const { id } = await stored(store, {});
    const bob = await server.browser("bob");
    const written = ["written", "lost"];
    expect(await answered(() => bob("PATCH", `/api/runs/${id}`, { note: "mine" }))).toEqual({
      status: 200,
      order: written,
    });
    expect(await answered(() => bob("POST", `/api/runs/${id}/stop`))).toEqual({ status: 204, order: written });
    expect((await store.read(id))?.note).toBe("mine");
  });

  it("X-6 is answered after it: a decision, and what takes it back", async () => {
    const { memory, slowly, answered } = await losing();
    const at = scratchCuration();
    onTestFinished(at.base.remove);
    at.session("s1", [candidate("Sign every release")]);
    const source = localKnowledge({ roots: () => [at.base.root], organisation: "acme", everyMs: 10, waitMs: 6_000 });
    const bases: typeof source.bases = (organisation) =>
      source.bases(organisation).map((base) => {
        const { exclusively } = base.curator;
        const slow = <T>(file: string, work: (lock: HeldLock) => T) => slowly(exclusively<T>)(file, work);
        return { ...base, curator: { ...base.curator, exclusively: slow } };
      });
    const server = await testServer({ stores: memory, knowledge: { ...source, bases } });
    const bob = await server.browser("bob");
    const path = `/api/knowledge/${source.bases("acme")[0]?.id}`;
    const origin = "s1:practice:0";
    const decide = () => bob("POST", `${path}/proposals/${origin}/decide`, { decision: "accept" });
    for (const ask of [decide, () => bob("POST", `${path}/undo`, { origin })])
      expect(await answered(ask)).toEqual({ status: 200, order: ["written", "lost"] });
  });
});
