import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { draftOf } from "../../approvals/approval.fixture.ts";
import type { Person } from "../../approvals/approval.ts";
import { Approvals } from "../../approvals/service.ts";
import type { Stores } from "../../approvals/store.ts";
import { memoryStores } from "../../stores/memory.ts";
import { type Heard, has, listened } from "./events.fixture.ts";
import { PUBLIC_URL, postedDraft, testServer } from "./server.fixture.ts";
import { revokeToken } from "./tokens.ts";

describe("live events", () => {
  it("F-36 what waits for a person reaches the stream mid-turn with all its fields, and its session", async () => {
    const server = await testServer();
    const { cookie } = await server.browser("bob");
    const input = { command: "deploy\n\ndata: forged" };
    const heard = await listened(server, { cookie }, has("awaiting_confirmation"), async () => {
      await server.asked({
        call: { input, session: "s-7", agent: "builder" },
        policy: { approvers: { roles: ["release"] } },
      });
    });
    const [awaiting] = heard.filter(({ event }) => event === "awaiting_confirmation");
    expect(awaiting?.data).toEqual({
      type: "awaiting_confirmation",
      confirmation_id: expect.stringMatching(/^A-/),
      tool_name: "Bash",
      arguments: input,
      timeout_at: expect.stringMatching(/Z$/),
      agent_id: "builder",
      mode: "inline",
      channel_label: null,
      approver_scope: "role release",
      session: "s-7",
      conversation_id: "s-7",
      turn: "turn-1",
      version: 1,
    });
  });

  it("F-36 one that is asked in a channel says so, by the channel's name", async () => {
    const server = await testServer();
    const now = new Date().toISOString();
    const channel = { id: "C-1", organisation: "acme", type: "slack", name: "releases", isActive: true };
    await server.stores.putChannel({ ...channel, sealedConfig: "", createdAt: now, updatedAt: now });
    await server.asked({ channel: "C-1" });
    const { cookie } = await server.browser("bob");
    const heard = await listened(server, { cookie }, has("awaiting_confirmation"));
    expect(heard.find(({ event }) => event === "awaiting_confirmation")?.data).toMatchObject({
      mode: "channel",
      channel_label: "releases",
    });
  });

  it("a reader is told what is pending, then every change, also of another process", async () => {
    const server = await testServer();
    const { id } = await server.asked();
    const bob = await server.browser("bob");
    const elsewhere = new Approvals(server.stores);
    const settled = (heard: readonly Heard[]) =>
      heard.filter(({ data }) => data?.approval?.status === "denied").length === 2;
    const heard = await listened(server, { cookie: bob.cookie }, settled, async (before) => {
      expect(before.find(({ event }) => event === "awaiting_confirmation")?.data.confirmation_id).toBe(id);
      await bob("POST", `/api/approvals/${id}/respond`, { decision: "deny", reason: "no" });
      const other = await elsewhere.request(draftOf({ organisation: "acme" }));
      const [, person] = [await server.stores.people("acme"), await server.stores.person("acme", "bob")];
      if (person) await elsewhere.vote(other.id, { person, kind: "deny", reason: "", via: "terminal" });
    });
    const told = heard.filter(({ data }) => data?.approval?.id === id).map(({ data }) => data.approval.version);
    expect(told).toEqual([1, 2]);
  });

  it("X-6 an agent's token hears of what is asked on behalf of its person, before and after it listens, and of nobody else's", async () => {
    const server = await testServer();
    const [cleos, bobs] = [await server.agent({ person: "cleo" }), await server.agent({ person: "bob" })];
    const nobodys = await server.agent({ namesInitiator: false });
    const askAll = async () => {
      const ids: string[] = [];
      for (const ask of [bobs, nobodys, cleos]) ids.push((await ask("POST", "/api/approvals", postedDraft())).json.id);
      return ids;
    };
    const before = await askAll();
    const heardBy = async (token: string, own: number) => {
      let after: readonly string[] = [];
      const headers = { authorization: `Bearer ${token}` };
      const told = (heard: readonly Heard[]) =>
        after.length > 0 && heard.some(({ data }) => data?.confirmation_id === after[own]);
      const heard = await listened(server, headers, told, async () => {
        after = await askAll();
      });
      const ids = heard.flatMap(({ data }) => data?.confirmation_id ?? data?.approval?.id ?? []);
      return { heard: new Set(ids), own: new Set([before[own], after[own]]), after };
    };
    const cleo = await heardBy(cleos.token, 2);
    expect(cleo.heard).toEqual(cleo.own);
    const nobody = await heardBy(nobodys.token, 1);
    expect(nobody.heard).toEqual(new Set([...nobody.own, cleo.after[1]]));
  });

  it("never of another organisation, and of one session or agent only where that is asked for", async () => {
    const server = await testServer();
    const olga = await server.browser("olga");
    const seen = (heard: readonly Heard[]) => heard.some(({ data }) => data?.confirmation_id !== undefined);
    const heard = await listened(server, { cookie: olga.cookie }, seen, async () => {
      await server.asked();
      await sleep(50);
      await server.asked({ organisation: "other" });
    });
    const organisations = heard.flatMap(({ data }) => data?.approval?.organisation ?? []);
    expect(organisations.filter((name) => name !== "other")).toEqual([]);

    const bob = await server.browser("bob");
    const ofSession = await listened(
      server,
      { cookie: bob.cookie },
      seen,
      async () => {
        await server.asked({ call: { session: "mine-not" } });
        await server.asked({ call: { session: "mine" } });
      },
      "?session=mine",
    );
    expect(ofSession.find(({ data }) => data?.confirmation_id)?.data.session).toBe("mine");
  });

  it("whoever comes back with the last id is told what was settled meanwhile", async () => {
    const server = await testServer();
    const { id } = await server.asked();
    const bob = await server.browser("bob");
    const before = await listened(server, { cookie: bob.cookie }, has("ready"));
    await bob("POST", `/api/approvals/${id}/respond`, { decision: "approve" });
    const fresh = await listened(server, { cookie: bob.cookie }, has("ready"));
    expect(fresh.map(({ event }) => event)).toEqual(["ready"]);
    const lastEventId = before.at(-1)?.id ?? "";
    const after = await listened(server, { cookie: bob.cookie, "last-event-id": lastEventId }, has("ready"));
    expect(after.map(({ data }) => data?.approval?.status).filter(Boolean)).toEqual(["approved"]);
    const forged = { cookie: bob.cookie, "last-event-id": "nonsense/../x" };
    expect((await listened(server, forged, has("ready"))).map(({ event }) => event)).toEqual(["missed", "ready"]);
  });

  it("after the store's connection was away, what others changed meanwhile is told, and that more may be missing", async () => {
    const stores = memoryStores();
    let ring: (id: string) => void = () => {};
    // A connection over which nothing comes: what others change is not heard of.
    const deaf: Stores = {
      ...stores,
      async watch(_, onChange) {
        ring = onChange;
        return () => {};
      },
    };
    const server = await testServer({ stores: deaf });
    const bob = await server.browser("bob");
    const elsewhere = new Approvals(stores);
    const known = await server.asked();
    const person = (await stores.person("acme", "bob")) as Person;
    const heard = await listened(server, { cookie: bob.cookie }, has("missed"), async () => {
      await elsewhere.vote(known.id, { person, kind: "deny", reason: "", via: "terminal" });
      const asked = await elsewhere.request(draftOf({ organisation: "acme", digest: "asked-meanwhile" }));
      expect(asked.status).toBe("pending");
      ring("");
    });
    const told = heard.slice(heard.findIndex(({ event }) => event === "ready") + 1);
    expect(told.map(({ event, data }) => [event, data.approval?.status])).toEqual([
      ["approval", "denied"],
      ["awaiting_confirmation", undefined],
      ["approval", "pending"],
      ["missed", undefined],
    ]);
  });

  it("a quiet stream says that it is there, and ends when the server does", async () => {
    const server = await testServer({ keepaliveMs: 5 });
    const { cookie } = await server.browser("bob");
    expect(await listened(server, { cookie }, has("keepalive"))).toBeDefined();
    await listened(
      server,
      { cookie },
      () => false,
      () => server.close(),
    );
  });

  it("whoever is signed out, removed or has their token revoked hears no more", async () => {
    const server = await testServer({ keepaliveMs: 5 });
    const [bob, mia, agent] = [await server.browser("bob"), await server.browser("mia"), await server.agent()];
    const never = () => false;
    await listened(server, { cookie: bob.cookie }, never, async () => void (await bob("POST", "/api/sign-out")));
    await listened(
      server,
      { cookie: mia.cookie },
      never,
      async () => void (await server.stores.removePerson("acme", "mia")),
    );
    const id = agent.token.split("_")[1] ?? "";
    const bearer = { authorization: `Bearer ${agent.token}` };
    await listened(server, bearer, never, async () => void (await revokeToken(server.stores, "acme", id)));
  });

  it("a reader who does not read is let go of instead of filling the memory", async () => {
    const server = await testServer({ keepaliveMs: 1_000_000 });
    const { cookie } = await server.browser("bob");
    const response = await server.app.request(new URL("/api/events", PUBLIC_URL), {
      headers: { host: "127.0.0.1:4173", cookie },
    });
    for (let count = 0; count < 300; count++) await server.asked();
    const text = await response.text();
    expect(text.match(/^event: /gm)?.length).toBeLessThan(300);
    expect(text).toMatch(/event: overflow\n.*\n\n$/);
  });

  it("a reader is sent all that is pending, however much more it is than may wait for a slow one", async () => {
    const server = await testServer();
    const { cookie } = await server.browser("bob");
    const ids = [];
    for (let count = 0; count < 190; count++) ids.push((await server.asked()).id);
    const heard = await listened(server, { cookie }, has("ready"));
    expect(heard.flatMap(({ event, data }) => (event === "approval" ? data.approval.id : []))).toEqual(ids);
    expect(heard.map(({ event }) => event)).not.toContain("missed");
    for (let count = 0; count < 20; count++) await server.asked();
    expect(await listened(server, { cookie }, has("ready")).then(has("missed"))).toBe(true);
  });

  it("what was read before news of the same request came is not sent after them", async () => {
    const stores = memoryStores();
    const elsewhere = new Approvals(stores);
    let whileRead: () => Promise<unknown> = async () => {};
    const slow: Stores = {
      ...stores,
      async list(query) {
        const read = await stores.list(query);
        await whileRead();
        return read;
      },
    };
    const server = await testServer({ stores: slow });
    const { id } = await server.asked();
    const { cookie } = await server.browser("bob");
    const person = (await stores.person("acme", "bob")) as Person;
    whileRead = async () => {
      const told = new Promise<void>((onApproval) => {
        server.context.events.watch({ organisation: "acme", onApproval: () => onApproval() });
      });
      await elsewhere.vote(id, { person, kind: "deny", reason: "", via: "terminal" });
      await told;
    };
    const heard = await listened(server, { cookie }, has("ready"));
    expect(heard.flatMap(({ data }) => data?.approval?.status ?? [])).toEqual(["denied"]);
  });

  it("F-38 a listener that fails, or none at all, changes nothing about a decision", async () => {
    const server = await testServer();
    server.context.onChange(() => {
      throw new Error("the listener is broken");
    });
    server.context.events.watch({
      organisation: "acme",
      onApproval: () => {
        throw new Error("the watcher is broken");
      },
    });
    const { id } = await server.asked();
    const bob = await server.browser("bob");
    expect((await bob("POST", `/api/approvals/${id}/respond`, { decision: "approve" })).status).toBe(200);
    expect((await server.stores.get(id))?.status).toBe("approved");
    expect(server.logged.join("\n")).toContain("the listener is broken");
    expect(server.logged.join("\n")).toContain("the watcher is broken");
  });

  it("a person has so many streams and no more", async () => {
    const server = await testServer();
    const { cookie } = await server.browser("mia");
    const open = () =>
      server.app.request(new URL("/api/events", PUBLIC_URL), { headers: { host: "127.0.0.1:4173", cookie } });
    const streams = [];
    for (let count = 0; count < 32; count++) streams.push(await open());
    expect((await open()).status).toBe(429);
    await Promise.all(streams.map((stream) => stream.body?.cancel()));
    const again = await open();
    expect(again.status).toBe(200);
    await again.body?.cancel();
  });
});
