/** Whose questions an agent's token sees, and for whom it may ask. */
import { describe, expect, it } from "vitest";
import { type Ask, postedDraft, testServer } from "./server.fixture.ts";

const idsOf = ({ json }: { json: { approvals: readonly { id: string }[] } }) => json.approvals.map(({ id }) => id);

describe("an agent's token", () => {
  it("X-6 lists what is asked on behalf of its person, and nobody else's digests", async () => {
    const server = await testServer();
    const [cleos, bobs] = [await server.agent({ person: "cleo" }), await server.agent({ person: "bob" })];
    const { json: asked } = await bobs("POST", "/api/approvals", postedDraft());
    const { json: own } = await cleos("POST", "/api/approvals", postedDraft());
    for (const query of ["", "?status=pending", `?session=${asked.call.session}`, "?search=deploy", "?limit=1"])
      expect(idsOf(await cleos("GET", `/api/approvals${query}`))).toEqual([own.id]);
    expect(idsOf(await bobs("GET", "/api/approvals"))).toEqual([asked.id]);
  });

  it("X-6 that knows the digest of another's question does not end it by asking under it, yes or no yes", async () => {
    const server = await testServer();
    const [cleos, bobs] = [await server.agent({ person: "cleo" }), await server.agent({ person: "bob" })];
    const bob = await server.browser("bob");
    for (const decide of [false, true]) {
      const draft = postedDraft();
      const { json: asked } = await bobs("POST", "/api/approvals", draft);
      if (decide) await bob("POST", `/api/approvals/${asked.id}/respond`, { decision: "approve" });
      const { json: other } = await cleos("POST", "/api/approvals", { ...postedDraft(), digest: draft.digest });
      expect(other.id).not.toBe(asked.id);
      expect((await server.stores.get(asked.id))?.status).toBe(decide ? "approved" : "pending");
      expect((await bobs("POST", "/api/approvals", draft)).json.id).toBe(asked.id);
    }
  });

  it("that acts for nobody asks for nobody, whomever the call names, and sees only that", async () => {
    const server = await testServer();
    const [machine, bobs] = [
      await server.agent({ namesInitiator: false }),
      await server.agent({ person: "bob", namesInitiator: false }),
    ];
    const { json: asked } = await machine("POST", "/api/approvals", postedDraft({ call: { initiator: "bob" } }));
    expect(asked.call.initiator).toBeNull();
    const { json: theirs } = await bobs("POST", "/api/approvals", postedDraft());
    expect(idsOf(await machine("GET", "/api/approvals"))).toEqual([asked.id]);
    expect((await machine("GET", `/api/approvals/${theirs.id}`)).status).toBe(404);
    expect((await machine("POST", `/api/approvals/${theirs.id}/withdraw`, { why: "x" })).status).toBe(404);
    expect((await machine("POST", `/api/approvals/${asked.id}/withdraw`, { why: "over" })).status).toBe(200);
  });

  it("X-6 that acts for nobody cannot ask where somebody else than the initiator has to decide, and is told why", async () => {
    const server = await testServer();
    const machine = await server.agent({ namesInitiator: false });
    const draft = postedDraft({ call: { initiator: "somebody" }, policy: { approvers: { notInitiator: true } } });
    const refused = await machine("POST", "/api/approvals", draft);
    expect([refused.status, refused.json.error.code]).toEqual([403, "HF912"]);
    expect(refused.json.error.message).toContain("acts for nobody");
    expect(refused.json.error.fix).toContain("onBehalfOf");
    const trusted = await server.agent({ namesInitiator: true });
    const nobody = { ...draft, call: { ...draft.call, initiator: null } };
    expect((await trusted("POST", "/api/approvals", nobody)).status).toBe(403);
    expect((await trusted("POST", "/api/approvals", draft)).json.call.initiator).toBe("somebody");
  });

  it("names initiators only where an admin said so, and never beside a person it acts for", async () => {
    const server = await testServer();
    const [ada, mia] = [await server.browser("ada"), await server.browser("mia")];
    const draft = { kind: "agent", name: "gate", namesInitiator: true };
    expect((await mia("POST", "/api/tokens", draft)).status).toBe(403);
    expect((await ada("POST", "/api/tokens", { ...draft, onBehalfOf: "bob" })).status).toBe(400);
    const said = async (body: object) => {
      const { json } = await ada("POST", "/api/tokens", body);
      const headers = { authorization: `Bearer ${json.token}` };
      const asked = postedDraft({ call: { initiator: "zoe" } });
      const { json: approval } = await server.anybody("POST", "/api/approvals", asked, headers);
      return [json.stored.namesInitiator, approval.call.initiator];
    };
    expect(await said(draft)).toEqual([true, "zoe"]);
    expect(await said({ kind: "agent", name: "gate" })).toEqual([false, null]);
  });

  it("that was made before tokens said so names nobody", async () => {
    const server = await testServer();
    const old = await server.agent({ namesInitiator: undefined });
    const { json } = await old("POST", "/api/approvals", postedDraft({ call: { initiator: "zoe" } }));
    expect(json.call.initiator).toBeNull();
  });

  it("asks in no name that is written with control characters", async () => {
    const server = await testServer();
    const machine = await server.agent();
    for (const call of [{ agent: "coder\0" }, { initiator: "zoe\n" }])
      expect((await machine("POST", "/api/approvals", postedDraft({ call }))).status).toBe(400);
  });
});

describe("a question", () => {
  it("X-6 on behalf of a name of no letters is on nobody's, and cannot be asked where the initiator is kept out", async () => {
    const server = await testServer();
    const machine = await server.agent();
    const draft = postedDraft({ call: { initiator: "" }, policy: { approvers: { notInitiator: true } } });
    expect((await machine("POST", "/api/approvals", draft)).status).toBe(403);
    const { json } = await machine("POST", "/api/approvals", postedDraft({ call: { initiator: "" } }));
    expect(json.call.initiator).toBeNull();
  });

  it("is not about arguments that are nested deeper than a gate sends them", async () => {
    const server = await testServer();
    const machine = await server.agent();
    const asked = async (levels: number) => {
      const nested = JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);
      return machine("POST", "/api/approvals", postedDraft({ call: { input: { nested } } }));
    };
    expect((await asked(99)).status).toBe(200);
    const refused = await asked(100);
    expect([refused.status, refused.json.error.message]).toEqual([
      400,
      expect.stringContaining("nested deeper than 100"),
    ]);
  });
});

describe("tokens that somebody made who left", () => {
  it("are worth nothing, and no business of whoever has the id next", async () => {
    const server = await testServer();
    const ada = await server.browser("ada");
    const roles = ["admin"];
    await ada("PUT", "/api/people/mia", { name: "Mia", roles });
    const before = await server.browser("mia");
    const { json: made } = await before("POST", "/api/tokens", { kind: "agent", name: "the build" });
    const asked = () => server.anybody("GET", "/api/me", undefined, { authorization: `Bearer ${made.token}` });
    expect((await asked()).status).toBe(200);
    expect((await ada("DELETE", "/api/people/mia")).status).toBe(204);
    expect((await asked()).status).toBe(401);
    expect(server.logged.at(-1)).toMatch(/mia is no admin .* \["the build"\]/);
    await ada("PUT", "/api/people/mia", { name: "Another Mia", roles: ["admin"] });
    expect((await asked()).status).toBe(401);
    await ada("PUT", "/api/people/mia", { name: "Another Mia", roles: [] });
    const mia = await server.browser("mia");
    expect((await mia("GET", "/api/tokens")).json.tokens).toEqual([]);
    expect((await mia("DELETE", `/api/tokens/${made.stored.id}`)).status).toBe(404);
    expect((await ada("GET", "/api/tokens")).json.tokens).toMatchObject([
      { id: made.stored.id, rests: { code: "maker-left" } },
    ]);
    expect((await ada("DELETE", `/api/tokens/${made.stored.id}`)).status).toBe(204);
    const { json: own } = await mia("POST", "/api/tokens", { kind: "agent", name: "mine" });
    expect((await mia("GET", "/api/tokens")).json.tokens).toMatchObject([{ id: own.stored.id }]);
  });
});

it("X-6 what an admin's token may, it may while they are one: else they could name others and approve themselves", async () => {
  const server = await testServer();
  const ada = await server.browser("ada");
  await ada("PUT", "/api/people/bob", { name: "Bob", roles: ["admin", "approver"] });
  const bob = await server.browser("bob");
  const drafts = [
    { kind: "agent", name: "names", namesInitiator: true },
    { kind: "agent", name: "for cleo", onBehalfOf: "cleo" },
    { kind: "agent", name: "mine", onBehalfOf: "bob" },
    { kind: "person", name: "me" },
  ];
  const made = await Promise.all(drafts.map(async (draft) => (await bob("POST", "/api/tokens", draft)).json.token));
  const statuses = () =>
    Promise.all(
      made.map(
        async (token) =>
          (await server.anybody("GET", "/api/me", undefined, { authorization: `Bearer ${token}` })).status,
      ),
    );
  expect(await statuses()).toEqual([200, 200, 200, 200]);
  await ada("PUT", "/api/people/bob", { name: "Bob", roles: ["approver"] });
  expect(await statuses()).toEqual([401, 401, 200, 200]);
  expect(server.logged.at(-1)).toMatch(/bob is no admin .* \["names","for cleo"\]/);
  await ada("PUT", "/api/people/bob", { name: "Bob", roles: ["admin", "approver"] });
  expect(await statuses()).toEqual([200, 200, 200, 200]);
});

it("a token that rests is listed with why and what to do, to admins and to whoever made it, and its machine is told", async () => {
  const server = await testServer();
  const ada = await server.browser("ada");
  await ada("PUT", "/api/people/bob", { name: "Bob", roles: ["admin"] });
  const bob = await server.browser("bob");
  const drafts = [
    { kind: "agent", name: "the build" },
    { kind: "agent", name: "for mia", onBehalfOf: "mia" },
    { kind: "person", name: "bob's own" },
  ];
  const made: string[] = [];
  for (const draft of drafts) made.push((await bob("POST", "/api/tokens", draft)).json.token);
  const listed = async (ask: Ask) =>
    (await ask("GET", "/api/tokens")).json.tokens.map((one: { name: string; rests: { code: string } | null }) => [
      one.name,
      one.rests?.code ?? null,
    ]);
  const states = (build: string | null, mias: string | null, own: string | null) => [
    ["the build", build],
    ["for mia", mias],
    ["bob's own", own],
  ];
  expect(await listed(ada)).toEqual(states(null, null, null));
  await ada("PUT", "/api/people/bob", { name: "Bob", roles: ["approver"] });
  expect(await listed(ada)).toEqual(states("maker-no-admin", "maker-no-admin", null));
  expect(await listed(bob)).toEqual(states("maker-no-admin", "maker-no-admin", null));
  expect(await listed(await server.browser("mia"))).toEqual([]);
  const [rested] = (await ada("GET", "/api/tokens")).json.tokens;
  expect(rested.rests).toMatchObject({
    why: expect.stringContaining("no admin"),
    fix: expect.stringContaining("new one"),
  });
  const refused = await server.anybody("GET", "/api/me", undefined, { authorization: `Bearer ${made[0]}` });
  expect([refused.status, refused.json.error.message]).toEqual([401, expect.stringContaining("no admin any more")]);
  expect(refused.text).not.toContain("bob");
  const guessed = `${made[0]?.slice(0, -4)}AAAA`;
  const unknown = await server.anybody("GET", "/api/me", undefined, { authorization: `Bearer ${guessed}` });
  expect(unknown.json.error.message).toContain("unknown, revoked or expired");
  await ada("DELETE", "/api/people/mia");
  await ada("DELETE", "/api/people/bob");
  expect(await listed(ada)).toEqual([["the build", "maker-left"]]);
});

it("of two admins who remove each other at once, the one who stays keeps what they have made", async () => {
  const server = await testServer();
  const ada = await server.browser("ada");
  await ada("PUT", "/api/people/bob", { name: "Bob", roles: ["admin"] });
  const browsers = { ada, bob: await server.browser("bob") };
  const tokens = new Map<string, string>();
  for (const [id, browser] of Object.entries(browsers))
    tokens.set(id, (await browser("POST", "/api/tokens", { kind: "agent", name: "the build" })).json.token);
  await Promise.all([ada("DELETE", "/api/people/bob"), browsers.bob("DELETE", "/api/people/ada")]);
  const left = (await server.stores.people("acme")).filter(({ roles }) => roles.includes("admin"));
  expect(left).toHaveLength(1);
  const authorization = `Bearer ${tokens.get(left[0]?.id ?? "")}`;
  expect((await server.anybody("GET", "/api/me", undefined, { authorization })).status).toBe(200);
});

it("a token from before makers were noted stays with whoever made it for themselves, also under an id that had another holder", async () => {
  const server = await testServer();
  const ada = await server.browser("ada");
  expect((await ada("DELETE", "/api/people/mia")).status).toBe(204);
  await ada("PUT", "/api/people/mia", { name: "Another Mia", roles: [] });
  const mia = await server.browser("mia");
  const { json: made } = await mia("POST", "/api/tokens", { kind: "person", name: "mine" });
  const key = `token:acme:${made.stored.id}`;
  const { maker: _, ...older } = JSON.parse((await server.stores.kept(key)) ?? "");
  await server.stores.keep(key, JSON.stringify(older), new Date(older.expiresAt));
  expect((await mia("GET", "/api/tokens")).json.tokens).toMatchObject([{ id: made.stored.id }]);
  expect((await mia("DELETE", `/api/tokens/${made.stored.id}`)).status).toBe(204);
});

it("X-3 what the call would do is said in the server's words, whatever words came with it", async () => {
  const server = await testServer();
  const agent = await server.agent();
  const deeds = [
    { kind: "delete-recursive", of: ["/srv"], through: ["sudo"] },
    { kind: "fold", of: ["a", "b"], through: [] },
  ];
  const { json } = await agent("POST", "/api/approvals", postedDraft({ call: { effects: ["reads a file"], deeds } }));
  expect(json.call.effects).toEqual(["deletes /srv and all below it (through sudo)", "fold: a b"]);
});
