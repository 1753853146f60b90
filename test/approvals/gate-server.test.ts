/** The real hook program and the real server, each in a process of its own; the server is killed while a call waits. */
import { join } from "node:path";
import { expect } from "vitest";
import { PERSONAL } from "../../src/approvals/approval.ts";
import { AGENT_SCOPES } from "../../src/entry/server/principal.ts";
import { createToken } from "../../src/entry/server/tokens.ts";
import { claudeShell } from "../payloads.ts";
import { denialOf, expectLetThrough, type Gate, it } from "./gate.fixture.ts";

async function serve({ machine }: Gate, port = 0): Promise<{ url: string; kill(): Promise<unknown> }> {
  const { child, printed, ended } = machine.start(["serve", "--port", String(port), "--json"]);
  const line = new Promise<string>((resolve) => child.stdout.once("data", (chunk: Buffer) => resolve(String(chunk))));
  await printed('"url"');
  const { url } = JSON.parse(await line);
  return {
    url,
    kill() {
      child.kill("SIGKILL");
      return ended;
    },
  };
}

async function envFor({ machine, stores }: Gate, url: string) {
  const { token } = await createToken(stores, {
    organisation: PERSONAL,
    name: "test",
    kind: "agent",
    agent: null,
    person: null,
    scopes: AGENT_SCOPES,
    createdBy: "test",
    lastsMs: 3_600_000,
  });
  machine.write(
    "managed/holdfast.json",
    JSON.stringify({ approvals_store: { server: url, token_env: "AGENT_TOKEN" } }),
  );
  return { HOLDFAST_MANAGED_DIR: join(machine.dir, "managed"), AGENT_TOKEN: token };
}

it("X-5 a call whose server is killed while it waits goes on with the next server, and runs once", async ({ gate }) => {
  await gate.rules();
  const first = await serve(gate);
  const env = await envFor(gate, first.url);
  const payload = JSON.stringify(claudeShell(gate.machine, "make ship"));
  const waiting = gate.machine.hook("claude-code", payload, { env });
  const [approval] = await gate.asked();
  await first.kill();
  await gate.vote(approval?.id ?? "", "approve");
  await serve(gate, Number(new URL(first.url).port));
  expectLetThrough(await waiting);
  expect(await gate.all()).toMatchObject([{ id: approval?.id, status: "used" }]);
});

it("X-1 a call whose server is killed for good is blocked, and the yes is still there for the repeated one", async ({
  gate,
}) => {
  await gate.rules({ wait: "5s" });
  const first = await serve(gate);
  const env = await envFor(gate, first.url);
  const payload = JSON.stringify(claudeShell(gate.machine, "make ship"));
  const waiting = gate.machine.hook("claude-code", payload, { env });
  const [approval] = await gate.asked();
  await first.kill();
  await gate.vote(approval?.id ?? "", "approve");
  expect(denialOf(await waiting)).toMatch(/cannot be reached|pending/);
  await serve(gate, Number(new URL(first.url).port));
  expectLetThrough(await gate.machine.hook("claude-code", payload, { env }));
  expect(await gate.all()).toMatchObject([{ status: "used" }]);
});
