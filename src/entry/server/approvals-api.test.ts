import { describe, expect, it } from "vitest";
import { memoryStores } from "../../stores/memory.ts";
import { postedDraft, testServer } from "./server.fixture.ts";

describe("answering an approval", () => {
  it("F-35 an approver's yes is 200, and the answer is how the approval stands", async () => {
    const server = await testServer();
    const { id } = await server.asked();
    const bob = await server.browser("bob");
    const reply = await bob("POST", `/api/approvals/${id}/respond`, { decision: "approve", reason: "fine by me" });
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({
      id,
      status: "approved",
      votes: [{ by: "bob", reason: "fine by me", via: "web" }],
    });
    expect(reply.json.decidedAt).toEqual(expect.any(String));
  });

  it("F-35 whoever is not among the approvers gets 403 and is told who is", async () => {
    const server = await testServer();
    const { id } = await server.asked({ policy: { approvers: { people: ["cleo"] } } });
    for (const name of ["bob", "mia"]) {
      const reply = await (await server.browser(name))("POST", `/api/approvals/${id}/respond`, { decision: "approve" });
      expect(reply.status).toBe(403);
      expect(reply.json.error.message).toContain("cleo");
      expect(reply.json.refusal.code).toBe("not-approver");
    }
    expect((await server.stores.get(id))?.status).toBe("pending");
    const history = await server.stores.history(id);
    expect(history.filter(({ action }) => action === "refused").map(({ by }) => by)).toEqual(["bob", "mia"]);
  });

  it("X-6 a yes of somebody who is removed, or loses the right, before it is stored does not count", async () => {
    const memory = memoryStores();
    for (const leave of [
      () => memory.removePerson("acme", "bob"),
      () => memory.putPerson({ id: "bob", organisation: "acme", name: "Bob", roles: [] }),
    ]) {
      const stores: typeof memory = {
        ...memory,
        change: async (...change) => {
          await leave();
          return memory.change(...change);
        },
      };
      const server = await testServer({ stores });
      const { id } = await server.asked();
      const bob = await server.browser("bob");
      const reply = await bob("POST", `/api/approvals/${id}/respond`, { decision: "approve" });
      expect([reply.status, reply.json.refusal.code]).toEqual([403, "not-approver"]);
      const { status, votes } = (await memory.get(id)) ?? {};
      expect([status, votes]).toEqual(["pending", []]);
      expect((await memory.history(id)).at(-1)).toMatchObject({ action: "refused", by: "bob" });
    }
  });

  it("X-6 a withdrawal by an admin who is one no more before it is stored does not count", async () => {
    const memory = memoryStores();
    const stores: typeof memory = {
      ...memory,
      change: async (...change) => {
        await memory.putPerson({ id: "ada", organisation: "acme", name: "Ada", roles: [] });
        return memory.change(...change);
      },
    };
    const server = await testServer({ stores });
    const { id } = await server.asked();
    const ada = await server.browser("ada");
    expect((await ada("POST", `/api/approvals/${id}/withdraw`, { why: "over" })).status).toBe(403);
    expect((await memory.get(id))?.status).toBe("pending");
  });

  it("F-35 the named person, whoever has the role, every approver where nobody is named, and an admin may decide", async () => {
    const server = await testServer();
    const cases = [
      ["cleo", { people: ["cleo"] }],
      ["cleo", { roles: ["release"] }],
      ["bob", {}],
      ["ada", { people: ["cleo"] }],
    ] as const;
    for (const [name, approvers] of cases) {
      const { id } = await server.asked({ policy: { approvers } });
      const reply = await (await server.browser(name))("POST", `/api/approvals/${id}/respond`, { decision: "deny" });
      expect([name, reply.status, reply.json.status]).toEqual([name, 200, "denied"]);
    }
  });

  it("F-35 the initiator decides where the rule lets them, and gets 403 where it wants somebody else", async () => {
    const server = await testServer();
    const bob = await server.browser("bob");
    const own = await server.asked({ call: { initiator: "bob" } });
    expect((await bob("POST", `/api/approvals/${own.id}/respond`, { decision: "approve" })).status).toBe(200);
    const other = await server.asked({ call: { initiator: "bob" }, policy: { approvers: { notInitiator: true } } });
    const reply = await bob("POST", `/api/approvals/${other.id}/respond`, { decision: "approve" });
    expect([reply.status, reply.json.refusal.code]).toEqual([403, "self-approval"]);
  });

  it("F-35 an unknown approval is 404, a settled or expired one 409 with what was decided", async () => {
    let now = new Date("2026-01-01T12:00:00Z");
    const { memoryStores } = await import("../../stores/memory.ts");
    const server = await testServer({ stores: memoryStores({ now: () => now }) });
    const [bob, cleo] = [await server.browser("bob"), await server.browser("cleo")];
    expect((await bob("POST", "/api/approvals/A-unknown/respond", { decision: "approve" })).status).toBe(404);

    const settled = await server.asked();
    await bob("POST", `/api/approvals/${settled.id}/respond`, { decision: "deny", reason: "no" });
    const late = await cleo("POST", `/api/approvals/${settled.id}/respond`, { decision: "approve" });
    expect([late.status, late.json.approval.status, late.json.refusal.code]).toEqual([409, "denied", "not-pending"]);

    const expired = await server.asked();
    now = new Date(now.getTime() + 61_000);
    const tooLate = await cleo("POST", `/api/approvals/${expired.id}/respond`, { decision: "approve" });
    expect([tooLate.status, tooLate.json.approval.status]).toEqual([409, "expired"]);
  });

  it("F-35 of twenty that answer at once exactly one gets 200", async () => {
    const server = await testServer();
    const { id } = await server.asked();
    const asks = [await server.browser("ada"), await server.browser("bob"), await server.browser("cleo")];
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        asks[index % 3]?.("POST", `/api/approvals/${id}/respond`, { decision: index % 2 ? "approve" : "deny" }),
      ),
    );
    expect(replies.filter((reply) => reply?.status === 200)).toHaveLength(1);
    expect(replies.filter((reply) => reply?.status === 409)).toHaveLength(19);
    expect((await server.stores.get(id))?.votes).toHaveLength(1);
  });

  it("a reason of more than 2000 characters, an unknown decision and an unknown key are 400", async () => {
    const server = await testServer();
    const { id } = await server.asked();
    const bob = await server.browser("bob");
    for (const body of [
      { decision: "approve", reason: "x".repeat(2001) },
      { decision: "approved" },
      { decision: "approve", via: "terminal" },
      {},
    ]) {
      const reply = await bob("POST", `/api/approvals/${id}/respond`, body);
      expect([reply.status, reply.json.error.code]).toEqual([400, "HF914"]);
    }
    expect((await server.stores.get(id))?.status).toBe("pending");
  });

  it("X-6 a right handed on is the other's from then on", async () => {
    const server = await testServer();
    const { id } = await server.asked({ policy: { approvers: { people: ["bob"] } } });
    const [bob, mia] = [await server.browser("bob"), await server.browser("mia")];
    expect((await bob("POST", `/api/approvals/${id}/delegate`, { to: "olga" })).status).toBe(404);
    expect((await bob("POST", `/api/approvals/${id}/delegate`, { to: "mia" })).status).toBe(200);
    const reply = await bob("POST", `/api/approvals/${id}/respond`, { decision: "approve" });
    expect([reply.status, reply.json.refusal.code]).toEqual([403, "delegated-away"]);
    expect((await mia("POST", `/api/approvals/${id}/respond`, { decision: "approve" })).status).toBe(200);
  });
});

describe("reading an approval", () => {
  it("F-37 the answer has the true arguments, before and after it is decided, and says who may decide", async () => {
    const server = await testServer();
    const input = { command: "deploy <script>alert(1)</script>", n: [1, { deep: "ünï" }], long: "x".repeat(20_000) };
    const { id } = await server.asked({ call: { input } });
    const [bob, mia] = [await server.browser("bob"), await server.browser("mia")];
    const before = await bob("GET", `/api/approvals/${id}`);
    expect(before.json).toMatchObject({ approval: { status: "pending", call: { input } }, mayDecide: true, why: "" });
    expect((await mia("GET", `/api/approvals/${id}`)).json).toMatchObject({ mayDecide: false });
    await bob("POST", `/api/approvals/${id}/respond`, { decision: "deny", reason: "not on a Friday" });
    const after = await bob("GET", `/api/approvals/${id}`);
    expect(after.json).toMatchObject({
      approval: { status: "denied", call: { input }, votes: [{ reason: "not on a Friday" }] },
      mayDecide: false,
      why: "it is denied",
    });
    const { history } = (await bob("GET", `/api/approvals/${id}/history`)).json;
    expect(history.map(({ action }: { action: string }) => action)).toEqual(["requested", "voted", "denied"]);
  });

  it("a list is filtered and goes on where the page before ended", async () => {
    const server = await testServer();
    for (let index = 0; index < 5; index++) await server.asked({ call: { session: index < 3 ? "one" : "two" } });
    const bob = await server.browser("bob");
    const first = await bob("GET", "/api/approvals?session=one&limit=2&status=pending,approved");
    expect(first.json.approvals).toHaveLength(2);
    const second = await bob("GET", `/api/approvals?session=one&limit=2&cursor=${encodeURIComponent(first.json.next)}`);
    expect(second.json.approvals).toHaveLength(1);
    expect(second.json.next).toBeNull();
    expect((await bob("GET", "/api/approvals?status=open")).status).toBe(400);
    expect((await bob("GET", "/api/approvals?limit=100000")).status).toBe(400);
    expect((await bob("GET", "/api/approvals?colour=red")).status).toBe(400);
  });
});

describe("an agent", () => {
  it("F-16 asks, waits, is woken by the decision, and uses the yes once", async () => {
    const server = await testServer();
    const agent = await server.agent();
    const draft = postedDraft();
    const asked = await agent("POST", "/api/approvals", draft);
    expect(asked.json).toMatchObject({ status: "pending", organisation: "acme", version: 1 });
    const again = await agent("POST", "/api/approvals", draft);
    expect(again.json.id).toBe(asked.json.id);

    const { id } = asked.json;
    const waiting = agent("GET", `/api/approvals/${id}/wait?version=1`);
    await (await server.browser("bob"))("POST", `/api/approvals/${id}/respond`, { decision: "approve" });
    expect((await waiting).json).toMatchObject({ status: "approved", version: 2 });

    const other = await agent("POST", `/api/approvals/${id}/use`, { digest: "another-call", eventId: "e1" });
    expect([other.status, other.json.refusal.code]).toEqual([409, "other-call"]);
    const use = { digest: draft.digest, eventId: "e1" };
    expect((await agent("POST", `/api/approvals/${id}/use`, use)).json.status).toBe("used");
    expect((await agent("POST", `/api/approvals/${id}/use`, use)).status).toBe(200);
    const twice = await agent("POST", `/api/approvals/${id}/use`, { ...use, eventId: "e2" });
    expect([twice.status, twice.json.refusal.code]).toEqual([409, "already-used"]);
  });

  it("a wait ends after its time with the approval as it is, and at once when the server ends", async () => {
    const server = await testServer();
    const { id } = await server.asked();
    const agent = await server.agent();
    expect((await agent("GET", `/api/approvals/${id}/wait?version=1&waitMs=20`)).json.status).toBe("pending");
    const waiting = agent("GET", `/api/approvals/${id}/wait?version=1`);
    setTimeout(() => server.close(), 20);
    expect((await waiting).json.status).toBe("pending");
  });

  it("B14-4 never decides, whatever its token is good for", async () => {
    const server = await testServer();
    const { id } = await server.asked();
    const agent = await server.agent();
    const reply = await agent("POST", `/api/approvals/${id}/respond`, { decision: "approve" });
    expect([reply.status, reply.json.error.code]).toEqual([403, "HF912"]);
    expect((await agent("POST", `/api/approvals/${id}/delegate`, { to: "mia" })).status).toBe(403);
    expect((await server.stores.get(id))?.status).toBe("pending");
  });

  it("does only what its token is for, and only as the agent it is for", async () => {
    const server = await testServer();
    const reader = await server.agent({ scopes: ["wait"] });
    expect((await reader("POST", "/api/approvals", postedDraft())).status).toBe(403);
    const builder = await server.agent({ agent: "builder" });
    expect((await builder("POST", "/api/approvals", postedDraft({ call: { agent: "deployer" } }))).status).toBe(403);
    const own = await builder("POST", "/api/approvals", postedDraft());
    expect(own.json.call.agent).toBe("builder");
    const others = await server.asked({ call: { agent: "deployer" } });
    expect((await builder("GET", `/api/approvals/${others.id}`)).status).toBe(404);
    const listed = await builder("GET", "/api/approvals?agent=deployer");
    expect(listed.json.approvals.map(({ id }: { id: string }) => id)).toEqual([own.json.id]);
  });

  it("X-6 cannot name another initiator than the person its token acts for", async () => {
    const server = await testServer();
    const agent = await server.agent({ person: "bob" });
    const asked = await agent(
      "POST",
      "/api/approvals",
      postedDraft({ call: { initiator: "somebody" }, policy: { approvers: { notInitiator: true } } }),
    );
    expect(asked.json.call.initiator).toBe("bob");
    const bob = await server.browser("bob");
    expect((await bob("POST", `/api/approvals/${asked.json.id}/respond`, { decision: "approve" })).status).toBe(403);
  });

  it("X-6 @initiator is the person its token acts for, whoever its machine says it is", async () => {
    const server = await testServer();
    const agent = await server.agent({ person: "bob" });
    const named = { people: ["@initiator"], roles: [], count: 1, notInitiator: false };
    const escalation = { afterMs: 1_000, people: ["@initiator", "ada"], roles: [], channel: null };
    const { json: asked } = await agent(
      "POST",
      "/api/approvals",
      postedDraft({ call: { initiator: "root" }, policy: { approvers: named, escalation } }),
    );
    expect(asked.policy).toMatchObject({ approvers: { people: ["bob"] }, escalation: { people: ["bob", "ada"] } });
    const bob = await server.browser("bob");
    expect((await bob("POST", `/api/approvals/${asked.id}/respond`, { decision: "approve" })).status).toBe(200);
  });

  it("X-6 cannot see, withdraw or use what is asked on behalf of somebody else than its token's person", async () => {
    const server = await testServer();
    const [cleos, bobs] = [await server.agent({ person: "cleo" }), await server.agent({ person: "bob" })];
    const { json: asked } = await bobs("POST", "/api/approvals", postedDraft());
    const { id, digest } = asked;
    expect((await cleos("GET", `/api/approvals/${id}`)).status).toBe(404);
    expect((await cleos("POST", `/api/approvals/${id}/withdraw`, { why: "mine now" })).status).toBe(404);
    const ada = await server.browser("ada");
    await ada("POST", `/api/approvals/${id}/respond`, { decision: "approve" });
    expect((await cleos("POST", `/api/approvals/${id}/use`, { digest, eventId: "e1" })).status).toBe(404);
    expect((await bobs("POST", `/api/approvals/${id}/use`, { digest, eventId: "e1" })).json.status).toBe("used");
  });

  it("X-6 a yes that somebody gave to their own agent is none for the same call of another's: its own person is asked", async () => {
    const server = await testServer();
    const [cleos, bobs] = [await server.agent({ person: "cleo" }), await server.agent({ person: "bob" })];
    const named = { people: ["@initiator"], roles: [], count: 1, notInitiator: false };
    const draft = postedDraft({ policy: { approvers: named } });
    const { json: theirs } = await cleos("POST", "/api/approvals", draft);
    const cleo = await server.browser("cleo");
    expect((await cleo("POST", `/api/approvals/${theirs.id}/respond`, { decision: "approve" })).status).toBe(200);
    const { json: own } = await bobs("POST", "/api/approvals", draft);
    expect(own).toMatchObject({
      status: "pending",
      call: { initiator: "bob" },
      policy: { approvers: { people: ["bob"] } },
    });
    expect(own.id).not.toBe(theirs.id);
    expect(await server.stores.get(theirs.id)).toMatchObject({ status: "approved", call: { initiator: "cleo" } });
  });

  it("B14-4 cannot ask in a channel of another organisation", async () => {
    const server = await testServer();
    const now = new Date().toISOString();
    const channel = { type: "slack", name: "n", isActive: true, sealedConfig: "", createdAt: now, updatedAt: now };
    await server.stores.putChannel({ ...channel, id: "ours", organisation: "acme" });
    await server.stores.putChannel({ ...channel, id: "theirs", organisation: "other" });
    const agent = await server.agent();
    const must = await agent("POST", "/api/approvals", { ...postedDraft({ channel: "theirs" }), mode: "channel" });
    expect([must.status, must.json.error.code]).toEqual([409, "HF936"]);
    expect((await agent("POST", "/api/approvals", postedDraft({ channel: "theirs" }))).json.channel).toBeNull();
    expect((await agent("POST", "/api/approvals", postedDraft({ channel: "ours" }))).json.channel).toBe("ours");
  });
});
