import { describe, expect, it, onTestFinished } from "vitest";
import { newChannel } from "../../channels/administration.ts";
import { sealingKey } from "../../channels/credentials.ts";
import { nodeFile } from "../../knowledge/base/base.fixture.ts";
import { candidate, scratchCuration } from "../../knowledge/curation/curation.fixture.ts";
import { stored as storedRun } from "../../runs/files/store.fixture.ts";
import { localKnowledge } from "./knowledge/local-knowledge.ts";
import { ROUTES } from "./routes/table.ts";
import { testRuns } from "./runs/runs.fixture.ts";
import { PUBLIC_URL, type TestServer, testServer } from "./server.fixture.ts";
import { startSession } from "./sessions.ts";
import { createToken } from "./tokens.ts";

const KEYRING = [sealingKey("a key for tests only, 32 characters")] as const;
const SECRET = "acme-secret-acme-secret-acme-secret";

/** What a stranger would send to each route that names something, and the names of acme's things. */
const BODIES: Readonly<Record<string, unknown>> = {
  useApproval: { digest: "digest-of-acme", eventId: "e" },
  withdrawApproval: { why: "mine" },
  respondToApproval: { decision: "approve" },
  delegateApproval: { to: "olga" },
  linkIdentity: { identity: "slack:U0OLGA" },
  changeChannel: { name: "taken over" },
  testChannel: undefined,
  testChannelApproval: undefined,
  changeRun: { note: "taken over" },
  decideProposal: { decision: "reject" },
  undoDecision: { origin: "s1:practice:0" },
};

/** These name nothing of anybody's: they make or count one's own. */
const OWN = new Set(["putPerson", "getAuditSource"]);

async function acme() {
  const kept = await testRuns("acme");
  const curation = scratchCuration();
  const { base } = curation;
  onTestFinished(base.remove);
  curation.session("s1", [candidate("acme-proposal")]);
  base.write("nodes/practice-acme.md", nodeFile("practice-acme"));
  const knowledge = localKnowledge({ roots: () => [base.root], organisation: "acme" });
  const server = await testServer({ keyring: KEYRING, runs: kept.source, knowledge });
  const run = await storedRun(kept.store, { name: "acme-run" });
  const { stores } = server;
  const approval = await server.asked({ digest: "digest-of-acme", call: { session: "acme-session" } });
  const config = { url: "http://127.0.0.1:9/hook", secret: SECRET };
  const channel = newChannel({ organisation: "acme", type: "webhook", name: "acme-room", config }, KEYRING, new Date());
  await stores.putChannel(channel);
  await stores.linkIdentity("slack:U0BOB", "acme", "bob");
  const { stored } = await createToken(stores, {
    organisation: "acme",
    name: "acme-token",
    kind: "agent",
    agent: null,
    person: null,
    scopes: ["request"],
    createdBy: "ada",
    lastsMs: 60_000,
  });
  const agent = await server.agent();
  const row = { at: new Date().toISOString(), session: "acme-session", event: "pre_tool_use", decision: "allow" };
  const rows = [{ ...row, sequence: 1, tool: "Bash", ms: 1, record: '{"what":"acme-record"}' }];
  await agent("POST", "/api/audit", { source: "laptop", rows });
  const things: Readonly<Record<string, string>> = {
    approvals: approval.id,
    people: "bob",
    channels: channel.id,
    tokens: stored.id,
    sources: "laptop",
    runs: run.id,
    knowledge: knowledge.bases("acme")[0]?.id ?? "missing",
    proposals: encodeURIComponent("s1:practice:0"),
  };
  return { server, approval, channel, things };
}

const pathOf = (path: string, things: Readonly<Record<string, string>>) =>
  path.replace(/(\w+)\/:\w+/g, (_, kind: string) => `${kind}/${things[kind] ?? "missing"}`);

async function strangers(server: TestServer) {
  const organisation = "other";
  return [
    ["a person", await server.browser("olga")],
    ["an agent", await server.agent({ organisation, createdBy: "olga" })],
  ] as const;
}

describe("organisations are kept apart", () => {
  const named = ROUTES.filter(({ path, operation }) => path.includes(":") && !OWN.has(operation));

  it.each(named.map((route) => [route.operation, route] as const))(
    "B14-4 %s does not find what belongs to another organisation",
    async (operation, { method, path, body, query, access }) => {
      const { server, things, approval, channel } = await acme();
      expect(body === undefined || operation in BODIES, `a body for ${operation} in BODIES`).toBe(true);
      const wanted = pathOf(path, things);
      expect(wanted).not.toContain("missing");
      const needed =
        operation === "waitForApproval"
          ? "?version=0"
          : query && "identity" in query.shape
            ? "?identity=slack:U0BOB"
            : "";
      for (const [who, ask] of await strangers(server)) {
        const reply = await ask(method.toUpperCase(), wanted + needed, BODIES[operation]);
        const isForThem = access.some((wanted) => wanted.startsWith("agent:") === (who === "an agent"));
        expect(reply.status, `${who}: ${reply.text}`).toBe(isForThem ? 404 : 403);
        expect(reply.text).not.toContain("acme");
      }
      expect(await server.stores.get(approval.id)).toEqual(approval);
      expect(await server.stores.history(approval.id)).toHaveLength(1);
      expect(await server.stores.channel(channel.id)).toEqual(channel);
      expect((await server.stores.person("acme", "bob"))?.name).toBe("Bob");
      expect((await server.stores.identified("slack:U0BOB", "acme"))?.id).toBe("bob");
    },
  );

  const lists = ROUTES.filter(
    ({ method, path }) => method === "get" && !path.includes(":") && !path.endsWith("events"),
  );

  it.each(lists.map((route) => [route.operation, route] as const))(
    "B14-4 %s shows nothing of another organisation",
    async (_operation, { path }) => {
      const { server } = await acme();
      for (const [, ask] of await strangers(server)) expect((await ask("GET", path)).text).not.toContain("acme");
      const own = await (await server.browser("ada"))("GET", path);
      expect(own.status).toBe(200);
    },
  );

  it("a person of the same id elsewhere is somebody else", async () => {
    const { server } = await acme();
    const olga = await server.browser("olga");
    expect((await olga("PUT", "/api/people/bob", { name: "Not Bob", roles: ["admin"] })).status).toBe(200);
    expect(await server.stores.person("acme", "bob")).toMatchObject({ name: "Bob", roles: ["approver"] });
    expect((await olga("GET", "/api/audit/sources/laptop")).json.lastSequence).toBe(0);
  });

  it("a person of the same id elsewhere does not use up how often somebody may decide, on pages either", async () => {
    const { server } = await acme();
    const namesake = { id: "bob", organisation: "other", name: "Not Bob", roles: [] };
    await server.stores.putPerson(namesake);
    const cookie = `holdfast=${await startSession(server.stores, namesake)}`;
    const csrf = String((await server.anybody("GET", "/api/me", undefined, { cookie })).json.csrfToken);
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const headers = { ...form, cookie, origin: PUBLIC_URL };
    let status = 0;
    for (let count = 0; count < 121; count++)
      ({ status } = await server.anybody("POST", "/approvals/A-unknown/decide", `csrf=${csrf}&decision=deny`, headers));
    expect(status).toBe(429);
    const bob = await server.browser("bob");
    const own = await bob("POST", "/approvals/A-unknown/decide", `csrf=${bob.csrf}&decision=deny`, form);
    expect(own.status).toBe(404);
  });

  it("a machine cannot write into the chain of another organisation's source", async () => {
    const { server } = await acme();
    const theirs = await server.agent({ organisation: "other" });
    const row = { at: new Date().toISOString(), session: "s", event: "stop", decision: "allow", tool: null, ms: 1 };
    const rows = [1, 2].map((sequence) => ({ ...row, sequence, record: "{}" }));
    expect((await theirs("POST", "/api/audit", { source: "laptop", rows })).json).toEqual({
      added: 2,
      lastSequence: 2,
    });
    const ours = await server.agent();
    expect((await ours("GET", "/api/audit/sources/laptop")).json.lastSequence).toBe(1);
  });
});
