/** What a daemon does while nobody waits, to be fast when somebody does. */
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect } from "vitest";
import { askDaemon } from "../../src/entry/daemon/talk.ts";
import { claudeShell } from "../payloads.ts";
import { it } from "../program.ts";
import { userHooks } from "../rules.ts";
import { call } from "./client.ts";
import { ask, hasClient, socketOf, startDaemon } from "./started.ts";

describe.skipIf(!hasClient)("a daemon that warms up", () => {
  it("answers made-up calls by itself: no hook of a person's runs for them, no record of them stays", async ({
    machine,
  }) => {
    const counted = machine.write("counted", "");
    await userHooks(machine, [{ event: "pre_tool_use", script: `cat > /dev/null; echo once >> '${counted}'` }]);
    // Of a daemon that was killed meanwhile.
    mkdirSync(join(machine.stateDir, "run", "warm-up-4194305"), { recursive: true, mode: 0o700 });
    await startDaemon(machine);
    await ask(machine, "git status");
    const status = async () => JSON.parse((await askDaemon(socketOf(machine), "status")) ?? "{}");
    while (!(await status()).isWarm) await sleep(100);
    await expect.poll(async () => (await status()).calls).toBe(1);
    expect(readFileSync(counted, "utf8")).toBe("once\n");
    expect(machine.records("audit").map(({ session }) => session)).not.toContain("warm-up");
    expect(machine.records("audit")).toHaveLength(1);
    expect(readdirSync(join(machine.stateDir, "run")).filter((name) => name.includes("warm-up"))).toEqual([]);
  });

  it("rehearses in the worker of a person's module, whose code runs for real calls only", async ({ machine }) => {
    const counted = machine.write("counted", "");
    machine.write(
      "config/hook.mjs",
      `import { appendFileSync } from "node:fs";
      import { threadId } from "node:worker_threads";
      import { defineHook } from "holdfast";
      appendFileSync(${JSON.stringify(counted)}, "loaded\\n");
      export default defineHook({ name: "counting", on: ["pre_tool_use"], judge({ tool }) {
        appendFileSync(${JSON.stringify(counted)}, tool.command + " in " + threadId + "\\n");
        return { rewrite: { command: tool.command + " # seen" } };
      } });`,
    );
    const hook = { type: "module", path: "./hook.mjs" };
    machine.write("config/holdfast.json", JSON.stringify({ version: 1, hooks: { pre_tool_use: [{ hooks: [hook] }] } }));
    await machine.cli(["check"]);
    await startDaemon(machine);
    const first = await ask(machine, "one");
    const status = async () => JSON.parse((await askDaemon(socketOf(machine), "status")) ?? "{}");
    while (!(await status()).isWarm) await sleep(100);
    const second = await ask(machine, "two");
    expect([first?.stdout, second?.stdout]).toEqual([
      expect.stringContaining("one # seen"),
      expect.stringContaining("two # seen"),
    ]);
    const lines = readFileSync(counted, "utf8")
      .split("\n")
      .filter((line) => line.includes(" in "));
    expect(lines.map((line) => line.replace(/\d+$/, ""))).toEqual(["one in ", "two in "]);
    // One worker: it was there for the rehearsal too.
    expect(new Set(lines.map((line) => line.slice(4))).size).toBe(1);
  });

  it("takes nobody's word for it that a call is made up", async ({ machine }) => {
    await startDaemon(machine);
    await ask(machine, "first");
    await call(socketOf(machine), {
      argv: ["hook", "--host", "claude-code"],
      env: machine.env as Record<string, string>,
      cwd: machine.projectDir,
      payload: claudeShell(machine, "second"),
      id: "warm-up",
    });
    expect(machine.records("audit").map(({ id }) => id)).toEqual([expect.anything(), "warm-up"]);
  });
});
