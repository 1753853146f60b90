/** Records of a machine, handed to a real server that is killed and started again, by the process that calls start. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import { PERSONAL } from "../../src/approvals/approval.ts";
import type { AuditRow } from "../../src/approvals/store.ts";
import { claudeShell } from "../payloads.ts";
import { processesOf, textOf } from "../processes.ts";
import { type Gate, it, managed, serve } from "./gate.fixture.ts";

/** On another machine: a server hands in the journals of its own by itself. */
async function serveElsewhere(gate: Gate, port?: number) {
  const cwd = dirname(gate.machine.write("server/README.md", ""));
  const server = await serve(gate, port, { cwd, env: { HOLDFAST_STATE_DIR: join(cwd, "state") } });
  onTestFinished(async () => {
    await server.kill();
  });
  return server;
}

const environmentFor = (gate: Gate, url: string) =>
  managed(gate, { scopes: ["ingest"], section: { records: { server: url, token_env: "MACHINE_TOKEN" } } });

async function handedIn({ stores }: Gate): Promise<readonly AuditRow[]> {
  const { rows } = await stores.audit({ organisation: PERSONAL, limit: 1_000 });
  return rows.filter(({ decision }) => decision !== "notice").sort((left, right) => left.sequence - right.sequence);
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(100);
}

const recorded = ({ machine }: Gate): { id: string }[] =>
  readFileSync(join(machine.projectDir, ".holdfast/tracking/audit.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

it("X-10 what is recorded while the server is killed reaches the next one: nothing lost, nothing twice, in order", async ({
  gate,
}) => {
  const first = await serveElsewhere(gate);
  const env = await environmentFor(gate, first.url);
  const call = (command: string) =>
    gate.machine.hook("claude-code", JSON.stringify(claudeShell(gate.machine, command)), { env });
  for (let index = 0; index < 3; index++) await call(`echo before ${index}`);
  await until(async () => (await handedIn(gate)).length > 0);
  await first.kill();
  const answers = await Promise.all(Array.from({ length: 6 }, (_, index) => call(`echo down ${index}`)));
  for (const { code, stderr } of answers) expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  await serveElsewhere(gate, Number(new URL(first.url).port));
  await call("echo after");
  await until(async () => (await handedIn(gate)).length >= 10);

  const rows = await handedIn(gate);
  expect(rows.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 10 }, (_, index) => index + 1));
  expect(rows.map(({ record }) => JSON.parse(record).id)).toEqual(recorded(gate).map(({ id }) => id));
  expect(new Set(rows.map(({ source }) => source)).size).toBe(1);
  // Handed in once more by hand: the server has it all.
  const again = await gate.machine.run(["hand-in", "--json"], { env });
  expect(JSON.parse(again.stdout)).toMatchObject({ rows: 0 });
  expect(await handedIn(gate)).toHaveLength(10);
});

it("a server that cannot be reached is a notice, and no call is the slower or the noisier for it", async ({ gate }) => {
  const gone = await serveElsewhere(gate);
  const env = await environmentFor(gate, gone.url);
  await gone.kill();
  const payload = JSON.stringify(claudeShell(gate.machine, "echo alone"));
  const { code, stderr } = await gate.machine.hook("claude-code", payload, { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  await until(async () => (await gate.machine.run(["notices"])).stdout.includes("could not be handed in"));
});

it("a token that was revoked ends its process with a notice, and the next call with a new one hands in", async ({
  gate,
}) => {
  const server = await serveElsewhere(gate);
  const env = await environmentFor(gate, server.url);
  const call = (token: string) =>
    gate.machine.hook("claude-code", JSON.stringify(claudeShell(gate.machine, "echo one")), {
      env: { ...env, MACHINE_TOKEN: token },
    });
  const handingIn = () => processesOf(gate.machine).filter((pid) => textOf(pid, "cmdline").includes("hand-in"));
  const notices = async () => (await gate.machine.run(["notices"])).stdout.split("set MACHINE_TOKEN to it").length - 1;
  await call("hf_revoked");
  await until(async () => (await notices()) === 1 && handingIn().length === 0);
  await call("hf_revoked");
  expect(handingIn()).toEqual([]);
  expect(await handedIn(gate)).toEqual([]);
  await call(env.MACHINE_TOKEN);
  await until(async () => (await handedIn(gate)).length === 3);
  expect(await notices()).toBe(1);
});

it("a project that is handed in to a server of its own machine is kept once", async ({ gate }) => {
  const { url } = await serve(gate);
  const env = await environmentFor(gate, url.replace("127.0.0.1", "localhost"));
  for (const word of ["one", "two", "three"])
    await gate.machine.hook("claude-code", JSON.stringify(claudeShell(gate.machine, `echo ${word}`)), { env });
  await until(async () => (await handedIn(gate)).length >= 3);
  await gate.machine.run(["hand-in"], { env });
  await sleep(3_000);
  expect((await handedIn(gate)).map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
});

it("without its token nothing is handed in, and the person is told which variable is missing", async ({ gate }) => {
  const server = await serveElsewhere(gate);
  const { MACHINE_TOKEN: _none, ...env } = await environmentFor(gate, server.url);
  await gate.machine.hook("claude-code", JSON.stringify(claudeShell(gate.machine, "echo one")), { env });
  const { code, stderr } = await gate.machine.run(["hand-in"], { env });
  expect(code).toBe(3);
  expect(stderr).toContain("HF1091");
  expect(stderr).toContain("MACHINE_TOKEN");
  expect(await handedIn(gate)).toEqual([]);
});
