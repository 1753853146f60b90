import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { hasClient } from "../daemon/started.ts";
import { kiroShell } from "../payloads.ts";
import { it, type Machine } from "../program.ts";

/** A guard whose worker nothing in Node can end before what it waits for does. */
async function stuckGuard(machine: Machine, wait: string, timeoutSec = 1): Promise<void> {
  const imports =
    'import { execFileSync, execSync } from "node:child_process";\nimport { readFileSync } from "node:fs";';
  const hook = `defineHook({ name: "stuck", on: ["pre_tool_use"], onError: "block", judge() { ${wait} } })`;
  machine.write("config/stuck.mjs", `import { defineHook } from "holdfast";\n${imports}\nexport default ${hook};\n`);
  const entry = { type: "module", path: "./stuck.mjs", timeout_sec: timeoutSec };
  machine.write("config/holdfast.json", JSON.stringify({ version: 1, hooks: { pre_tool_use: [{ hooks: [entry] }] } }));
  await machine.cli(["check"]);
}

/** Longer than any test may take: who waits for it never answers. */
const LONG_SEC = 120;

describe("a module hook that waits where nothing can interrupt it is out of time like any other", () => {
  it.for<[string, (machine: Machine) => string]>([
    ["a program", () => `execFileSync("sleep", ["${LONG_SEC}"]);`],
    ["a shell, which waits for another", () => `execSync("sleep ${LONG_SEC}; true", { stdio: "inherit" });`],
    ["a pipe that nobody writes to", ({ dir }) => `readFileSync(${JSON.stringify(join(dir, "pipe"))});`],
  ])("%s", async ([, waitOf], { machine }) => {
    execFileSync("mkfifo", [join(machine.dir, "pipe")]);
    await stuckGuard(machine, waitOf(machine));
    const { code, stdout, stderr } = await machine.hook("kiro", kiroShell(machine, "ls"));
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("Blocked by holdfast: hook stuck failed (timeout): did not answer within 1000 ms");
    expect(machine.records("notices").at(-1)).toMatchObject({ hook: "stuck", code: "timeout" });
  });

  it.skipIf(!hasClient)("also in the process that a client becomes", async ({ machine }) => {
    await stuckGuard(machine, `execFileSync("sleep", ["${LONG_SEC}"]);`);
    const command = join(import.meta.dirname, "../../dist/native/holdfast");
    const stdin = JSON.stringify(kiroShell(machine, "ls"));
    const env = { HOLDFAST_DAEMON: "off" };
    const { code, stderr } = await machine.run(["hook", "--host", "kiro"], { command, stdin, env });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("hook stuck failed (timeout)") });
  });

  it("a bug of ours meanwhile is the answer and the only record: nothing is added while the process ends", async ({
    machine,
  }) => {
    const pipe = join(machine.dir, "pipe");
    execFileSync("mkfifo", [pipe]);
    await stuckGuard(machine, `readFileSync(${JSON.stringify(pipe)});`);
    const bug = machine.write(
      "preloaded/bug.cjs",
      `if (require("node:worker_threads").isMainThread)
         process.once("worker", (worker) => worker.once("online", () => setTimeout(() => {
           setTimeout(() => { throw new Error("a second bug") }, 20);
           setTimeout(() => process.kill(process.pid, "SIGTERM"), 40);
           throw new Error("a bug");
         }, 300)));`,
    );
    const env = { NODE_OPTIONS: `--require ${JSON.stringify(bug)}` };
    const { code, stderr } = await machine.hook("kiro", kiroShell(machine, "ls"), { env });
    expect({ code, stderr }).toEqual({ code: 2, stderr: "Blocked by holdfast: holdfast itself failed: a bug" });
    expect(machine.records("notices").map((notice) => notice.message)).toEqual([expect.stringContaining("a bug")]);
    expect(machine.records("audit")).toEqual([]);
  });

  it.skipIf(process.platform !== "linux")("and what it started does not outlive the call", async ({ machine }) => {
    const file = join(machine.dir, "pid");
    // Time enough for a busy machine to start it.
    await stuckGuard(machine, `execSync("echo $$ > '${file}'; sleep ${LONG_SEC}; true");`, 4);
    await machine.hook("kiro", kiroShell(machine, "ls"));
    const pid = readFileSync(file, "utf8").trim();
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
  });
});
