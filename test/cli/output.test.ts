import { describe, expect } from "vitest";
import { appendRecords } from "../../src/records/journal.ts";
import { claudeShell } from "../payloads.ts";
import { it, type Machine } from "../program.ts";
import { blocks, projectHooks, userHooks } from "../rules.ts";
import { noTerminal, onTerminal } from "./terminal.ts";

const ESCAPE = "\u001b";

async function prepare(machine: Machine): Promise<void> {
  await userHooks(machine, [{ event: "pre_tool_use", script: blocks("no"), id: "mine" }]);
  await projectHooks(machine, [{ event: "stop", script: blocks("no"), id: "theirs" }]);
  machine.write("project/event.json", JSON.stringify(claudeShell(machine, "ls")));
  appendRecords(machine.journal("ledger"), [
    { timestamp: "2026-01-01T00:00:00Z", tool_name: "Bash", input_summary: "ls\u009b31m\u202e", success: true },
  ]);
  appendRecords(machine.journal("notices"), [
    { timestamp: "2026-01-01T00:00:00Z", event_name: "load", message: "x", is_error: true },
  ]);
}

/** Every command that reports, in a way that lets it report. */
const REPORTING: readonly string[][] = [
  ["init", "--dry-run"],
  ["init"],
  ["check"],
  ["hooks"],
  ["hooks", "run", "--event", "event.json"],
  ["explain", "--command", "ls"],
  ["log", "verify"],
  ["schema"],
  ["schema", "config"],
  ["trust"],
  ["trust", "--list"],
  ["trust", "--revoke"],
  ["test"],
  ["replay"],
  ["pause", "--status"],
  ["pause", "--dry-run"],
  ["pause", "--end"],
  ["state"],
  ["plans"],
  ["uninstall", "--dry-run"],
  ["uninstall"],
];

describe.concurrent("--json", () => {
  it("is one JSON value for every command that reports, and nothing besides", async ({ machine }) => {
    await prepare(machine);
    for (const args of REPORTING) {
      const { stdout, stderr } = await machine.cli([...args, "--json"]);
      expect(() => JSON.parse(stdout), args.join(" ")).not.toThrow();
      expect(stderr, args.join(" ")).toBe("");
    }
  });

  it("is one JSON value per line for records, the same value with nothing hidden in it", async ({ machine }) => {
    await prepare(machine);
    const { stdout } = await machine.cli(["log", "--json"]);
    expect(stdout).toContain("ls\\u009b31m\\u202e");
    expect(JSON.parse(stdout)).toMatchObject({ input_summary: "ls\u009b31m\u202e" });
    expect(JSON.parse((await machine.cli(["notices", "--json"])).stdout)).toMatchObject({ message: "x" });
  });

  it("a failure in the middle is one JSON value too", async ({ machine }) => {
    const env = { HOLDFAST_STATE_DIR: `${machine.write("file", "")}/state` };
    const { code, stdout, stderr } = await machine.cli(["init", "--json"], { env });
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    expect(JSON.parse(stdout).error.message).toContain("ENOTDIR");
  });

  it("of demo tells every step", async ({ machine }) => {
    const { code, stdout, stderr } = await machine.run(["demo", "--json"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { steps } = JSON.parse(stdout);
    const decisions = steps.map(({ answer }: { answer: { decision: string } }) => answer.decision);
    expect(new Set(decisions)).toEqual(new Set(["allowed", "blocked", "rewritten", "ask", "continued", "ended"]));
  });
});

describe.concurrent("colours", () => {
  it("are for terminals: neither in a pipe nor in a file", async ({ machine }) => {
    await prepare(machine);
    for (const args of [["hooks"], ["check"], ["log"]]) {
      const { stdout, stderr } = await machine.run(args, { env: { FORCE_COLOR: "1", TERM: "xterm-256color" } });
      expect(`${stdout}${stderr}`).not.toContain(ESCAPE);
    }
  });

  it.skipIf(noTerminal !== undefined)("are on a terminal, unless it is told otherwise", async ({ machine }) => {
    await prepare(machine);
    const screens = await Promise.all(
      [{}, { NO_COLOR: "1" }, { TERM: "dumb" }].map(
        async (env) => (await onTerminal(machine, ["hooks"], { env }).ended).screen,
      ),
    );
    expect(screens.map((screen) => screen.includes(`${ESCAPE}[33muntrusted${ESCAPE}[39m`))).toEqual([
      true,
      false,
      false,
    ]);
    expect(screens.map((screen) => screen.includes(ESCAPE))).toEqual([true, false, false]);
    expect(screens.every((screen) => screen.includes("protected-paths"))).toBe(true);
  });

  it.skipIf(noTerminal !== undefined)(
    "stay out of a file while the other stream is a terminal",
    async ({ machine }) => {
      machine.write("project/holdfast.yaml", "nope: 1\n");
      const { program } = await import("../program.ts");
      const { quoted } = await import("./terminal.ts");
      const { screen } = await onTerminal(machine, [], { line: `${quoted(program)} check 2> errors` }).ended;
      expect(screen).toContain(ESCAPE);
      expect(machine.read("project/errors")).toMatch(/^error HF202 {2}holdfast\.yaml:1/);
    },
  );
});

it("a failure of the machine is said in a sentence, with a stack only for who asks", async ({ machine }) => {
  const env = { HOLDFAST_STATE_DIR: `${machine.write("file", "")}/state` };
  const { code, stdout, stderr } = await machine.run(["log", "verify"], { env });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^error {2}holdfast could not finish: ENOTDIR[^\n]*\n$/);
  expect((await machine.run(["log", "verify"], { env: { ...env, HOLDFAST_DEBUG: "1" } })).stderr).toContain("    at ");
});
