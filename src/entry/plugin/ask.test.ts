import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, vi } from "vitest";
import { claudeShell } from "../../../test/payloads.ts";
import { distDir, it, type Machine } from "../../../test/program.ts";
import { hostById } from "../../hosts/registry.ts";
import { asker } from "./ask.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

function askerOn(machine: Machine) {
  for (const [name, value] of Object.entries(machine.env)) vi.stubEnv(name, value);
  const host = hostById("claude-code");
  if (!host) throw new Error("there is no such host");
  const ask = asker({ host, cwd: machine.projectDir, distDir });
  return async (command: string) => (await ask(claudeShell(machine, command) as never)).stdout;
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
