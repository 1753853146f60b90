import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test as it } from "vitest";
import { HOSTS } from "../../src/hosts/registry.ts";
import { claude, claudeShell, kiroShell } from "../payloads.ts";
import { createMachine, type Machine, program } from "../program.ts";
import { blockedBy, blocks, userHooks } from "../rules.ts";

let machine: Machine;
let remove: () => void;
beforeAll(async () => {
  ({ machine, remove } = createMachine());
  await machine.hook("claude-code", claude(machine, "SessionStart"));
});
afterAll(() => remove());

/** Runs a piece of JavaScript before ours, in the same process. */
const preloaded = (name: string, text: string) => ({
  NODE_OPTIONS: `--require ${JSON.stringify(machine.write(`preloaded/${name}.cjs`, text))}`,
});

describe("law 11: HOLDFAST_INTERNAL=1", () => {
  it.each([[["hook", "--host", "claude-code"]], [["hook", "--host", "nobody"]], [["hook"]]])(
    "%j exits at once, silent, stdin unread",
    async (args) => {
      const { ended } = machine.start(args, { env: { HOLDFAST_INTERNAL: "1" } });
      expect(await ended).toMatchObject({ code: 0, stdout: "", stderr: "" });
    },
  );

  it("no other value means it", async () => {
    const { code } = await machine.hook("claude-code", "", { env: { HOLDFAST_INTERNAL: "0" } });
    expect(code).toBe(2);
  });
});

describe("what is wrong with us is closed, never open", () => {
  it.each([[["--host", "nobody"]], [["--host"]], [["--hots", "kiro"]], [["--host", "kiro", "more"]]])(
    "an unknown host or argument: %j",
    async (args) => {
      const answer = await machine.run(["hook", ...args], { stdin: JSON.stringify(claudeShell(machine, "ls")) });
      expect(answer).toMatchObject({ code: 2, stdout: "" });
      const known = HOSTS.map(({ id }) => id).join(", ");
      expect(answer.stderr).toBe(
        `error HF302  holdfast hook --host <id> [--event <name>]: unknown host or arguments; hosts: ${known}\n`,
      );
    },
  );

  it("--host=kiro is the same as --host kiro", async () => {
    const stdin = JSON.stringify(kiroShell(machine, "ls"));
    expect(await machine.run(["hook", "--host=kiro"], { stdin })).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });

  it("a bug of ours that nothing catches", async () => {
    const env = preloaded("bug", "setImmediate(() => { throw new Error('a bug') });");
    const { child, ended } = machine.start(["hook", "--host", "kiro"], { env });
    child.stdin.write("{");
    expect(await ended).toMatchObject({
      code: 2,
      stdout: "",
      stderr: "Blocked by holdfast: holdfast itself failed: a bug",
    });
    expect(machine.records("notices").at(-1)).toMatchObject({ code: "own-failure", is_error: true, host: "kiro" });
  });

  it("a promise of ours that nobody waits for", async () => {
    const env = preloaded("promise", "setImmediate(() => { Promise.reject(new Error('a bug')) });");
    const { child, ended } = machine.start(["hook", "--host", "claude-code"], { env });
    child.stdin.write("{");
    expect(await ended).toMatchObject({ code: 2, stdout: "" });
  });

  it("a warning of Node's own is not printed", async () => {
    const env = preloaded("warning", "process.emitWarning('careful'); require('node:punycode');");
    const answer = await machine.hook("kiro", kiroShell(machine, "ls"), { env });
    expect(answer).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });

  it.each([
    ["missing", undefined],
    ["cut off", "module.exports = {"],
    ["empty", ""],
  ])("a program file that is %s", async (name, text) => {
    const checkout = join(machine.dir, `checkout ${name}`);
    cpSync(join(program, ".."), join(checkout, "bin"), { recursive: true });
    mkdirSync(join(checkout, "dist"), { recursive: true });
    if (text !== undefined) writeFileSync(join(checkout, "dist", "hook.cjs"), text);
    const answer = await machine.run(["hook", "--host", "kiro"], {
      command: join(checkout, "bin", "holdfast"),
      stdin: JSON.stringify(kiroShell(machine, "ls")),
    });
    expect(answer).toMatchObject({ code: 2, stdout: "" });
    expect(answer.stderr).toMatch(/^error HF701 {2}Holdfast (is not built|cannot start)/);
  });

  it("a host that no longer listens makes no noise", async () => {
    await userHooks(machine, [{ event: "pre_tool_use", matcher: "^shell$", script: blocks("no") }]);
    const { child, ended } = machine.start(["hook", "--host", "claude-code"]);
    child.stdout.destroy();
    child.stdin.end(JSON.stringify(claudeShell(machine, "ls")));
    expect(await ended).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("where it stands", () => {
  it("a directory that is gone is no reason to fail", async () => {
    const payload = JSON.stringify(kiroShell(machine, "ls"));
    const script = `mkdir gone && cd gone && rmdir ../gone && exec "$1" hook --host kiro`;
    const answer = await machine.run(["-c", script, "sh", program], { command: "/bin/sh", stdin: payload });
    expect(answer.code).toBe(2);
    expect(answer.stderr).toEqual(blockedBy("no"));
  });

  it("a relative cwd means the process's own, not one shared by all", async () => {
    const here = machine.write("project/a/holdfast.json", '{"version":1,"guards":{"protected-paths":{"write":["x"]}}}');
    const there = machine.write("project/b/.keep", "");
    const write = (cwd: string) =>
      machine.hook(
        "claude-code",
        claude(machine, "PreToolUse.Write", { cwd: ".", tool_input: { file_path: "x", content: "" } }),
        { cwd },
      );
    expect((await write(join(here, ".."))).stdout).toContain('is protected by \\"x\\"');
    expect((await write(join(there, ".."))).stdout).toBe("");
  });
});
