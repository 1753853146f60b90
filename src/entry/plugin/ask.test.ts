import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, vi } from "vitest";
import { claudeShell } from "../../../test/payloads.ts";
import { distDir, it, type Machine } from "../../../test/program.ts";
import { userHooks } from "../../../test/rules.ts";
import { placesOf } from "../../config/places.ts";
import { callDigest } from "../../engine/call-digest.ts";
import { grantPass } from "../../engine/one-time-pass.ts";
import { hostById } from "../../hosts/registry.ts";
import { asker } from "./ask.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

function claudeCode() {
  const host = hostById("claude-code");
  if (!host) throw new Error("there is no such host");
  return host;
}

function askerOn(machine: Machine) {
  for (const [name, value] of Object.entries(machine.env)) vi.stubEnv(name, value);
  const ask = asker({ host: claudeCode(), cwd: machine.projectDir, distDir });
  return async (command: string) => (await ask(claudeShell(machine, command) as never)).stdout;
}

/** Gives hooks no time: a call that a process is started for is given up. */
function hastyAsker(machine: Machine) {
  const host = claudeCode();
  const support = Object.fromEntries(
    Object.entries(host.support).map(([event, row]) => [event, { ...row, timeoutMs: 2 }]),
  );
  return asker({ host: { ...host, support: support as never }, cwd: machine.projectDir, distDir });
}

function moduleHook(machine: Machine, answer: string): string {
  writeFileSync(
    join(machine.configDir, "hook.ts"),
    `import { defineHook } from "holdfast";
    import { threadId } from "node:worker_threads";
    export default defineHook({ name: "probe", on: ["pre_tool_use"], judge: () => ({ block: ${answer} }) });`,
  );
  const hook = { type: "module", path: "./hook.ts" };
  return machine.write(
    "config/holdfast.json",
    JSON.stringify({ version: 1, hooks: { pre_tool_use: [{ hooks: [hook] }] } }),
  );
}

it("a module hook's worker is kept from one question of the host to the next", async ({ machine }) => {
  const ask = askerOn(machine);
  moduleHook(machine, `"worker " + threadId`);
  const first = await ask("ls");
  expect(first).toMatch(/worker \d+/);
  expect(await ask("ls")).toBe(first);
});

it("rules, hooks and an environment that changed count from the next question on", async ({ machine }) => {
  const ask = askerOn(machine);
  moduleHook(machine, `"first " + process.env.WHOSE`);
  expect(await ask("ls")).toContain("first undefined");
  vi.stubEnv("WHOSE", "mine");
  expect(await ask("ls")).toContain("first mine");
  moduleHook(machine, `"second " + process.env.WHOSE`);
  expect(await ask("ls")).toContain("second mine");
  writeFileSync(join(machine.configDir, "holdfast.json"), JSON.stringify({ version: 1 }));
  expect(await ask("ls")).toBe("");
});

it("a call that was given up does not use a person's pass, however late it is judged", async ({ machine }) => {
  const ask = askerOn(machine);
  await userHooks(machine, [{ event: "pre_tool_use", script: "cat > /dev/null" }]);
  const command = "git push --force origin main";
  const payload = claudeShell(machine, command) as never;
  const moment = { id: "asked", at: new Date().toISOString(), env: machine.env, cwd: machine.projectDir };
  const [event] = claudeCode().codec.parse(payload, moment).events;
  const digest = event && callDigest(event);
  if (digest === undefined) throw new Error("the call has no digest");
  grantPass(digest, placesOf(machine.env), new Date());

  const givenUp = await hastyAsker(machine)(payload);
  expect(`${givenUp.stdout}${givenUp.stderr}`).toContain("no decision after 0 s");
  await expect.poll(() => machine.records("audit")).toHaveLength(1);

  expect(await ask(command)).toBe("");
  expect(await ask(command)).toContain('"deny"');
});
