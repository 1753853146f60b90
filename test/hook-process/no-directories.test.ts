/** Below /proc the system makes no directory and says that there is no such file: Node's own mkdir never ends there. */
import { existsSync } from "node:fs";
import { describe, expect } from "vitest";
import { claudeShell } from "../payloads.ts";
import { it, type Machine, program, registeredProgram } from "../program.ts";

const PROGRAMS = [...new Set([program, registeredProgram])].filter((file) => existsSync(file));
const calls = PROGRAMS.flatMap((command) =>
  ["HOLDFAST_STATE_DIR", "HOLDFAST_CONFIG_DIR", "HOME"].flatMap((variable) =>
    ["/proc/holdfast", "/proc/self/holdfast/state"].map((place) => ({ command, variable, place })),
  ),
);

/** HOME is where the other two are without a variable of their own. */
const environment = (machine: Machine, variable: string, place: string) => ({
  ...(variable === "HOME" ? { HOLDFAST_STATE_DIR: "", HOLDFAST_CONFIG_DIR: "" } : machine.env),
  [variable]: place,
});

describe.skipIf(process.platform !== "linux")("where no directory can be made", { concurrent: true }, () => {
  it.for(calls)("a call has the engine's answer: $command with $variable=$place", async (call, { machine }) => {
    const { command, variable, place } = call;
    const env = environment(machine, variable, place);
    const ask = (line: string) => machine.hook("claude-code", claudeShell(machine, line), { command, env });
    const denied = await ask("git push --force origin main");
    expect(denied).toMatchObject({ code: 0, stdout: expect.stringContaining('"permissionDecision":"deny"') });
    const passed = await ask("git status");
    expect(passed).toMatchObject({ code: 0, stdout: "" });
    const said = variable === "HOLDFAST_CONFIG_DIR" ? /^$/ : /plan could not be stored, .*no directory can be made/;
    expect([denied.stderr, passed.stderr]).toEqual([expect.stringMatching(said), expect.stringMatching(said)]);
    expect(machine.records("audit").map(({ input }) => input.tool.command)).toEqual([
      "git push --force origin main",
      "git status",
    ]);
  });

  it("a call in a directory that is such a place has the engine's answer, and its records wait", async ({
    machine,
  }) => {
    const payload = { ...claudeShell(machine, "git push --force origin main"), cwd: "/proc" };
    const { code, stdout, stderr } = await machine.hook("claude-code", payload, { cwd: "/proc" });
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('"permissionDecision":"deny"') });
    expect(stderr).toMatch(/the audit could not be written \(.*waits in/);
  });

  it.for<[string, number, string]>([
    ["init", 1, "no directory can be made"],
    ["doctor", 1, "/proc/holdfast cannot be written: ENOENT: /proc is a place where no directory can be made"],
    ["daemon serve", 1, "the daemon cannot start: ENOENT: /proc is a place where no directory can be made"],
    ["check", 0, "plan could not be stored"],
    ["trust", 0, "this project brings no code of its own"],
  ])("a command ends, and says so where it needs one: %s", async ([words, code, said], { machine }) => {
    const env = { HOLDFAST_STATE_DIR: "/proc/holdfast", HOLDFAST_CONFIG_DIR: "/proc/holdfast" };
    const ended = await machine.run(words.split(" "), { env, stdin: "" });
    expect({ ...ended, said: ended.stdout + ended.stderr }).toMatchObject({
      code,
      said: expect.stringContaining(said),
    });
  });
});
