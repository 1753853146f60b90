import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { request } from "node:https";
import { userInfo } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished } from "vitest";
import { draftOf } from "../../src/approvals/approval.fixture.ts";
import { Approvals } from "../../src/approvals/service.ts";
import { createToken } from "../../src/entry/server/tokens.ts";
import { nodeFile } from "../../src/knowledge/base/base.fixture.ts";
import { openStores } from "../../src/stores/open.ts";
import { it, type Machine } from "../program.ts";

interface Ready {
  readonly url: string;
  readonly signIn: string | null;
}

async function served(machine: Machine, args: readonly string[] = [], env: Record<string, string> = {}) {
  const { child, ended } = machine.start(["serve", "--port", "0", "--json", ...args], { env });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  child.stdout.on("data", (chunk) => {
    text += String(chunk);
  });
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  while (!text.includes("\n")) {
    await Promise.race([once(child.stdout, "data"), ended]);
    if (isOver) throw new Error(`it ended: ${(await ended).stderr}`);
  }
  return { ...(JSON.parse(text) as Ready), child, ended };
}

async function signedIn({ signIn }: Ready): Promise<string> {
  const reply = await fetch(signIn ?? "", { redirect: "manual" });
  expect(reply.status).toBe(303);
  return (reply.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
}

const ASSIGNMENT = `---
schemaVersion: 1
name: work
tasks:
  - { id: first, title: The first task }
---
Do the work.
`;
const AGENT = `---
schemaVersion: 1
name: worker
backend: command
backendConfig: { command: [sh, -c, "echo WORKING; sleep 60"] }
---
You work.
`;

const storeOf = (machine: Machine) => openStores({ url: join(machine.stateDir, "approvals", "approvals.db") });

describe("holdfast serve", () => {
  it("prints one line when it is ready, signs the person in by its link, and ends cleanly", async ({ machine }) => {
    const server = await served(machine);
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const cookie = await signedIn(server);
    const me = (await (await fetch(`${server.url}/api/me`, { headers: { cookie } })).json()) as Record<string, unknown>;
    expect(me).toMatchObject({ organisation: "personal", person: { id: userInfo().username } });
    expect((await fetch(`${server.url}/inbox`, { headers: { cookie } })).status).toBe(200);
    server.child.kill("SIGTERM");
    const { code, stdout, stderr } = await server.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.trimEnd().split("\n")).toHaveLength(1);
  });

  it("shows the runs and the knowledge of this machine, and stops a run that another process drives", async ({
    machine,
  }) => {
    machine.write("config/assignments/work/assignment.md", ASSIGNMENT);
    machine.write("config/agents/worker/agent.md", AGENT);
    machine.write("project/.holdfast/knowledge/nodes/practice-tests.md", nodeFile("practice-tests"));
    const run = machine.start(["run", "work", "--agent", "worker"]);
    await new Promise<void>((heard) => {
      run.child.stderr.on("data", (chunk) => String(chunk).includes("WORKING") && heard());
    });
    // Whoever is judged there leaves the plan by which the server finds the project.
    await machine.hook("claude-code", { hook_event_name: "SessionStart", session_id: "s", cwd: machine.projectDir });
    const server = await served(machine);
    const cookie = await signedIn(server);
    const read = async (path: string) => (await fetch(server.url + path, { headers: { cookie } })).json();
    const { runs } = (await read("/api/runs?status=running")) as { runs: { id: string }[] };
    expect(runs).toHaveLength(1);
    const page = async () => (await fetch(`${server.url}/runs/${runs[0]?.id}`, { headers: { cookie } })).text();
    await expect.poll(page).toContain("WORKING");
    await expect.poll(() => read("/api/knowledge")).toMatchObject({ bases: [{ nodes: 1 }] });
    const { csrfToken } = (await read("/api/me")) as { csrfToken: string };
    const stopped = await fetch(`${server.url}/api/runs/${runs[0]?.id}/stop`, {
      method: "POST",
      headers: { cookie, origin: server.url, "x-csrf-token": csrfToken },
    });
    expect(stopped.status).toBe(204);
    expect((await run.ended).code).toBe(130);
  });

  it("X-5 killed and started again it has lost nothing: the sign-in holds, the request waits, and what is due is done", async ({
    machine,
  }) => {
    const first = await served(machine);
    const cookie = await signedIn(first);
    const stores = await storeOf(machine);
    onTestFinished(() => stores.close());
    const approvals = new Approvals(stores);
    const waiting = await approvals.request(draftOf());
    first.child.kill("SIGKILL");
    await first.ended;
    const dueMeanwhile = await approvals.request(draftOf({ policy: { expiresAfterMs: 1 } }));

    const second = await served(machine);
    const read = async (id: string) =>
      (await (await fetch(`${second.url}/api/approvals/${id}`, { headers: { cookie } })).json()) as {
        approval: { status: string };
      };
    expect((await read(waiting.id)).approval.status).toBe("pending");
    expect((await read(dueMeanwhile.id)).approval.status).toBe("expired");
    const me = (await (await fetch(`${second.url}/api/me`, { headers: { cookie } })).json()) as { csrfToken: string };
    const reply = await fetch(`${second.url}/api/approvals/${waiting.id}/respond`, {
      method: "POST",
      headers: { cookie, origin: second.url, "content-type": "application/json", "x-csrf-token": me.csrfToken },
      body: JSON.stringify({ decision: "approve" }),
    });
    expect(reply.status).toBe(200);
    expect((await stores.get(waiting.id))?.status).toBe("approved");
  });

  it("holdfast serve tokens lists tokens without their secrets, and says of one that rests why and what to do", async ({
    machine,
  }) => {
    const stores = await storeOf(machine);
    onTestFinished(() => stores.close());
    const bob = { id: "bob", organisation: "personal", name: "Bob", roles: ["admin"] };
    await stores.putPerson(bob);
    const draft = { organisation: "personal", kind: "agent", agent: null, person: null, createdBy: "bob" } as const;
    const made = await createToken(stores, { ...draft, name: "the build", scopes: ["request"], lastsMs: 60_000 });
    const printed = async (...args: string[]) => (await machine.start(["serve", "tokens", ...args]).ended).stdout;
    expect(await printed()).toMatch(/good +the build/);
    await stores.putPerson({ ...bob, roles: [] });
    const text = await printed();
    expect(text).toMatch(/rests +the build/);
    expect(text).toContain("no admin any more");
    expect(text).toContain("make a new one");
    const json = await printed("--json");
    expect(JSON.parse(json)).toMatchObject([{ id: made.stored.id, rests: { code: "maker-no-admin" } }]);
    for (const secret of [made.token, made.stored.hash]) expect(text + json).not.toContain(secret);
    const { code, stderr } = await machine.start(["serve", "tokens", "--organisation", "elsewhere"]).ended;
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining(`no organisation "elsewhere"`) });
  });

  it("X-11 two servers on one store: what is decided at one wakes whoever waits at the other", async ({ machine }) => {
    const [one, other] = [await served(machine), await served(machine)];
    const cookie = await signedIn(one);
    const stores = await storeOf(machine);
    onTestFinished(() => stores.close());
    const { id } = await new Approvals(stores).request(draftOf());
    const waiting = fetch(`${other.url}/api/approvals/${id}/wait?version=1`, { headers: { cookie } });
    const me = (await (await fetch(`${one.url}/api/me`, { headers: { cookie } })).json()) as { csrfToken: string };
    await fetch(`${one.url}/api/approvals/${id}/respond`, {
      method: "POST",
      headers: { cookie, origin: one.url, "content-type": "application/json", "x-csrf-token": me.csrfToken },
      body: JSON.stringify({ decision: "deny", reason: "not today" }),
    });
    expect(await (await waiting).json()).toMatchObject({ status: "denied", votes: [{ reason: "not today" }] });
  });

  it("an agent that starts it, or asks for a link, gets none", async ({ machine }) => {
    const { signIn } = await served(machine, [], { CLAUDECODE: "1" });
    expect(signIn).toBeNull();
    const { code, stderr } = await machine.cli(["serve", "link"]);
    expect(code).toBe(2);
    expect(stderr).toContain("HF501");
  });

  it.for<[string, string[]]>([
    ["HF918", ["--host", "0.0.0.0"]],
    ["HF918", ["--host", "0.0.0.0", "--behind-proxy"]],
    ["HF918", ["--public-url", "http://holdfast.example.com"]],
    ["HF918", ["--tls-cert", "missing.pem", "--tls-key", "missing.pem"]],
    ["HF701", ["--tls-cert", "cert.pem"]],
    ["HF701", ["--port", "seventy"]],
    ["HF701", ["--port", "70000"]],
    ["HF701", ["--oidc-issuer", "https://issuer.example"]],
    ["HF701", ["stop"]],
    ["HF922", ["--store", "mysql://localhost/x"]],
  ])("says %s to serve %s", async ([error, args], { machine }) => {
    const { code, stderr } = await machine.cli(["serve", ...args]);
    expect({ code, stderr: stderr.includes(error) }, stderr).toEqual({ code: 3, stderr: true });
  });

  const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
  it.skipIf(!hasOpenssl)("with a certificate of its own it speaks TLS, and its cookies do too", async ({ machine }) => {
    const [cert, key] = [join(machine.dir, "cert.pem"), join(machine.dir, "key.pem")];
    const subject = ["-subj", "/CN=localhost", "-days", "2", "-nodes"];
    execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-keyout", key, "-out", cert, ...subject], {
      stdio: "ignore",
    });
    const server = await served(machine, ["--tls-cert", cert, "--tls-key", key]);
    expect(server.url).toMatch(/^https:/);
    const asked = request(server.signIn ?? "", { rejectUnauthorized: false });
    asked.end();
    const [reply] = await once(asked, "response");
    expect(reply.headers["set-cookie"]?.[0]).toMatch(/^__Host-holdfast=.*Secure/);
    expect(reply.headers["strict-transport-security"]).toBeDefined();
  });
});
