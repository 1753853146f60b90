import { describe, expect, it, vi } from "vitest";
import { memoryStores } from "../../stores/memory.ts";
import { PEOPLE, PUBLIC_URL, testServer } from "./server.fixture.ts";
import { endSession, sessionOf, startSession } from "./sessions.ts";
import { newSignInLink, ownerOf } from "./sign-in-link.ts";
import { createToken } from "./tokens.ts";

const [ADA] = PEOPLE;
if (!ADA) throw new Error("she is in the fixture");
const ada = ADA;

function clocked() {
  let now = Date.parse("2026-01-01T12:00:00Z");
  const stores = memoryStores({ now: () => new Date(now) });
  const later = (ms: number) => {
    now += ms;
  };
  return { stores, later };
}

describe("a sign-in link", () => {
  it("signs in once; to look at it ahead uses nothing up", async () => {
    const server = await testServer();
    const link = await newSignInLink(server.stores, PUBLIC_URL, ada);
    expect((await server.anybody("HEAD", link)).status).toBe(204);
    expect((await server.anybody("GET", link, undefined, { "sec-purpose": "prefetch" })).status).toBe(204);
    const replies = await Promise.all([server.anybody("GET", link), server.anybody("GET", link)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([303, 401]);
    expect((await server.anybody("GET", link)).status).toBe(401);
  });

  it("is worth nothing after ten minutes, or for a person who was removed", async () => {
    const { stores, later } = clocked();
    const server = await testServer({ stores });
    const old = await newSignInLink(stores, PUBLIC_URL, ada);
    later(10 * 60_000);
    expect((await server.anybody("GET", old)).status).toBe(401);
    const gone = await newSignInLink(stores, PUBLIC_URL, ada);
    await stores.removePerson("acme", "ada");
    expect((await server.anybody("GET", gone)).status).toBe(401);
  });

  it("is kept as a hash: who reads the store cannot sign in", async () => {
    const stores = memoryStores();
    await stores.putPerson(ada);
    const link = await newSignInLink(stores, PUBLIC_URL, ada);
    const secret = new URL(link).searchParams.get("token") ?? "";
    expect(Buffer.from(secret, "base64url").length * 8).toBeGreaterThanOrEqual(128);
    const kept = JSON.stringify(await stores.keptUnder(""));
    expect(kept).toContain("sign-in:");
    expect(kept).not.toContain(secret);
  });

  it("signs in the owner, who is made at the first start and left as admins made them since", async () => {
    const stores = memoryStores();
    expect(await ownerOf(stores, "personal", "uli", "uli")).toMatchObject({ roles: ["admin", "approver"] });
    await stores.putPerson({ id: "uli", organisation: "personal", name: "Uli", roles: [] });
    expect(await ownerOf(stores, "personal", "uli", "uli")).toMatchObject({ name: "Uli", roles: [] });
  });
});

describe("a session", () => {
  it("ends after its idle time, and after its whole time however busy it was", async () => {
    const { stores, later } = clocked();
    await stores.putPerson(ada);
    const times = { idleMs: 1_000, absoluteMs: 5_000 };
    const idle = await startSession(stores, ada, times);
    later(999);
    expect(await sessionOf(stores, idle, times)).toBeDefined();
    later(999);
    expect(await sessionOf(stores, idle, times)).toBeDefined();
    later(1_000);
    expect(await sessionOf(stores, idle, times)).toBeUndefined();

    const busy = await startSession(stores, ada, times);
    for (let count = 0; count < 6; count++) {
      later(800);
      expect(await sessionOf(stores, busy, times)).toBeDefined();
    }
    later(300);
    expect(await sessionOf(stores, busy, times)).toBeUndefined();
  });

  it("is over once it was ended, also for a request that is under way", async () => {
    const stores = memoryStores();
    await stores.putPerson(ada);
    const secret = await startSession(stores, ada);
    const underWay = sessionOf(stores, secret, { idleMs: 0.1, absoluteMs: 60_000 });
    await endSession(stores, secret);
    await underWay;
    expect(await sessionOf(stores, secret)).toBeUndefined();
  });

  it("has the roles that the person has now, and ends with the person", async () => {
    const server = await testServer();
    const [ada, mia] = [await server.browser("ada"), await server.browser("mia")];
    const settings = { isReadOnly: true };
    expect((await mia("PUT", "/api/organisation/settings", settings)).status).toBe(403);
    await ada("PUT", "/api/people/mia", { name: "Mia", roles: ["admin"] });
    expect((await mia("PUT", "/api/organisation/settings", settings)).json).toEqual(settings);
    expect((await mia("GET", "/api/organisation")).json).toEqual({ id: "acme", settings });
    await ada("DELETE", "/api/people/mia");
    expect((await mia("GET", "/api/me")).status).toBe(401);
  });

  it("sign-out ends it on the server, not only in the browser", async () => {
    const server = await testServer();
    const bob = await server.browser("bob");
    const reply = await bob("POST", "/api/sign-out");
    expect(reply.status).toBe(204);
    expect(reply.headers.get("set-cookie")).toMatch(/^holdfast=; Max-Age=0/);
    expect((await bob("GET", "/api/me")).status).toBe(401);
  });

  it("a browser without one is sent to the sign-in and back to where it wanted to go, a program is told", async () => {
    const server = await testServer();
    const page = await server.anybody("GET", "/inbox?status=pending", undefined, { accept: "text/html" });
    expect(page.status).toBe(303);
    expect(page.headers.get("location")).toBe("/sign-in?to=%2Finbox%3Fstatus%3Dpending");
    const program = await server.anybody("GET", "/api/approvals");
    expect(program.status).toBe(401);
    expect(program.json).toEqual({ error: { code: "HF911", message: "nobody is signed in", fix: expect.any(String) } });
  });
});

describe("API tokens", () => {
  it("are shown once, kept as a hash, listed without their secret and worth nothing once revoked", async () => {
    const server = await testServer();
    const ada = await server.browser("ada");
    const made = await ada("POST", "/api/tokens", { kind: "agent", name: "ci", agent: "builder", scopes: ["request"] });
    const { token, stored } = made.json;
    const bearer = { authorization: `Bearer ${token}` };
    expect((await server.anybody("GET", "/api/me", undefined, bearer)).json).toMatchObject({
      kind: "agent",
      organisation: "acme",
      agent: "builder",
      scopes: ["request"],
    });
    const secret = token.split("_").slice(2).join("_");
    expect(JSON.stringify(await server.stores.keptUnder(""))).not.toContain(secret);
    const list = await ada("GET", "/api/tokens");
    expect(list.text).not.toContain(secret);
    expect(list.text).not.toContain("hash");
    expect(list.json.tokens).toMatchObject([{ id: stored.id, name: "ci", createdBy: "ada" }]);
    expect((await ada("DELETE", `/api/tokens/${stored.id}`)).status).toBe(204);
    expect((await server.anybody("GET", "/api/me", undefined, bearer)).status).toBe(401);
    expect((await ada("DELETE", `/api/tokens/${stored.id}`)).status).toBe(404);
  });

  it("of a person decide as the person does, and cannot make, list or revoke tokens", async () => {
    const server = await testServer();
    const bob = await server.browser("bob");
    const { token } = (await bob("POST", "/api/tokens", { kind: "person", name: "script" })).json;
    const bearer = { authorization: `Bearer ${token}` };
    const { id } = await server.asked();
    const reply = await server.anybody("POST", `/api/approvals/${id}/respond`, { decision: "approve" }, bearer);
    expect([reply.status, reply.json.votes[0].via]).toEqual([200, "api"]);
    for (const [method, path] of [
      ["GET", "/api/tokens"],
      ["DELETE", "/api/tokens/0123"],
    ] as const)
      expect((await server.anybody(method, path, undefined, bearer)).status).toBe(403);
    const another = { kind: "person", name: "another" };
    expect((await server.anybody("POST", "/api/tokens", another, bearer)).status).toBe(403);
    await server.stores.removePerson("acme", "bob");
    expect((await server.anybody("GET", "/api/me", undefined, bearer)).status).toBe(401);
  });

  it("X-6 of a member's agent act for that member, whoever they say", async () => {
    const server = await testServer();
    const mia = await server.browser("mia");
    const made = await mia("POST", "/api/tokens", { kind: "agent", name: "mine" });
    expect(made.json.stored.person).toBe("mia");
    const other = await mia("POST", "/api/tokens", { kind: "agent", name: "x", onBehalfOf: "bob" });
    expect(other.status).toBe(403);
    const bob = await server.browser("bob");
    expect((await bob("GET", "/api/tokens")).json.tokens).toEqual([]);
    expect((await bob("DELETE", `/api/tokens/${made.json.stored.id}`)).status).toBe(404);
    const ada = await server.browser("ada");
    expect((await ada("POST", "/api/tokens", { kind: "agent", name: "x", onBehalfOf: "olga" })).status).toBe(404);
  });

  it("of somebody who left are listed to nobody, least of all to who got their id", async () => {
    const server = await testServer();
    const [ada, mia] = [await server.browser("ada"), await server.browser("mia")];
    await mia("POST", "/api/tokens", { kind: "person", name: "script" });
    await mia("POST", "/api/tokens", { kind: "agent", name: "mine" });
    await ada("POST", "/api/tokens", { kind: "agent", name: "for anybody" });
    const named = async (who: typeof ada) =>
      (await who("GET", "/api/tokens")).json.tokens.map(({ name }: { name: string }) => name);
    expect(await named(mia)).toEqual(["script", "mine"]);
    await ada("DELETE", "/api/people/mia");
    expect(await named(ada)).toEqual(["for anybody"]);
    await ada("POST", "/api/people", { id: "mia", name: "Another Mia", roles: [] });
    const another = await server.browser("mia");
    expect(await named(another)).toEqual([]);
    await another("POST", "/api/tokens", { kind: "person", name: "new" });
    expect([await named(another), await named(ada)]).toEqual([["new"], ["for anybody", "new"]]);
  });

  it("expire", async () => {
    const { stores, later } = clocked();
    const server = await testServer({ stores });
    const agent = await server.agent({ lastsMs: 1_000 });
    expect((await agent("GET", "/api/me")).status).toBe(200);
    later(1_001);
    expect((await agent("GET", "/api/me")).status).toBe(401);
  });
});

describe("people", () => {
  it("only admins change them, and the last admin cannot be lost", async () => {
    const server = await testServer();
    const [ada, bob] = [await server.browser("ada"), await server.browser("bob")];
    expect((await bob("PUT", "/api/people/bob", { name: "Bob", roles: ["admin"] })).status).toBe(403);
    expect((await bob("POST", "/api/people/bob/identities", { identity: "slack:U1" })).status).toBe(403);
    expect((await bob("GET", "/api/people")).json.people).toHaveLength(4);
    expect((await ada("PUT", "/api/people/ada", { name: "Ada", roles: [] })).status).toBe(409);
    expect((await ada("DELETE", "/api/people/ada")).status).toBe(409);
    expect((await ada("PUT", "/api/people/..%2Fx", { name: "x", roles: [] })).status).toBe(400);
  });

  it("of two admins who remove each other, or take each other's role, at once, one stays", async () => {
    for (const [method, body] of [
      ["DELETE", undefined],
      ["PUT", { name: "x", roles: [] }],
    ] as const) {
      const memory = memoryStores();
      let looking = 0;
      const stores: typeof memory = {
        ...memory,
        // Both have looked before either does anything.
        async people(organisation) {
          const people = await memory.people(organisation);
          looking++;
          await vi.waitFor(() => expect(looking).toBeGreaterThan(1), 60_000);
          return people;
        },
      };
      const server = await testServer({ stores });
      await memory.putPerson({ ...ada, id: "bob" });
      const [one, other] = [await server.browser("ada"), await server.browser("bob")];
      const replies = await Promise.all([one(method, "/api/people/bob", body), other(method, "/api/people/ada", body)]);
      expect(replies.filter(({ status }) => status < 300)).toHaveLength(1);
      expect(replies.filter(({ status }) => status === 409 || status === 403)).toHaveLength(1);
      expect((await memory.people("acme")).filter(({ roles }) => roles.includes("admin"))).toHaveLength(1);
    }
  });

  it("a sign-in while its person is being removed is not one of who gets the id", async () => {
    const memory = memoryStores();
    const bob = { ...ada, id: "bob" };
    let meanwhile = "";
    const stores: typeof memory = {
      ...memory,
      async removePerson(organisation, id) {
        meanwhile = await startSession(memory, bob);
        return memory.removePerson(organisation, id);
      },
    };
    const admin = await (await testServer({ stores })).browser("ada");
    expect((await admin("DELETE", "/api/people/bob")).status).toBe(204);
    expect((await admin("POST", "/api/people", { id: "bob", name: "Another Bob", roles: ["admin"] })).status).toBe(200);
    expect(await sessionOf(memory, meanwhile)).toBeUndefined();
    expect(await sessionOf(memory, await startSession(memory, bob))).toMatchObject({ person: { name: "Another Bob" } });
  });

  it("what is begun for somebody who has just been removed is not for who gets the id", async () => {
    const memory = memoryStores();
    const admin = await (await testServer({ stores: memory })).browser("ada");
    const bob = { ...ada, id: "bob" };
    const remove = () => admin("DELETE", "/api/people/bob");
    const stores: typeof memory = {
      ...memory,
      // They were there when they were looked up, and are gone before anything is made for them.
      async kept(key) {
        if (key.startsWith("holder:")) expect((await remove()).status).toBe(204);
        return memory.kept(key);
      },
    };
    const token = { organisation: "acme", name: "t", kind: "person", agent: null, person: "bob", scopes: [] } as const;
    for (const begin of [
      () => startSession(stores, bob),
      () => newSignInLink(stores, PUBLIC_URL, bob),
      () => createToken(stores, { ...token, createdBy: "bob", lastsMs: 60_000 }),
    ]) {
      await expect(begin()).rejects.toThrow("does not belong to the organisation any more");
      await admin("POST", "/api/people", { id: "bob", name: "Another Bob", roles: ["admin"] });
    }
  });

  it("an identity leads to one person, until it is taken away", async () => {
    const server = await testServer();
    const ada = await server.browser("ada");
    expect((await ada("POST", "/api/people/bob/identities", { identity: "feishu:ou_1" })).status).toBe(204);
    expect((await server.stores.identified("feishu:ou_1", "acme"))?.id).toBe("bob");
    expect((await ada("POST", "/api/people/nobody/identities", { identity: "slack:U1" })).status).toBe(404);
    expect((await ada("POST", "/api/people/bob/identities", { identity: "telegram:1" })).status).toBe(400);
    expect((await ada("DELETE", "/api/people/cleo/identities?identity=feishu:ou_1")).status).toBe(404);
    expect((await ada("DELETE", "/api/people/bob/identities?identity=feishu:ou_1")).status).toBe(204);
    expect(await server.stores.identified("feishu:ou_1", "acme")).toBeUndefined();
  });
});
