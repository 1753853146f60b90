/** What a person may bend: one call, or everything for a while. Judged through the real hook command. */
import { describe, expect } from "vitest";
import { it, type Machine } from "../program.ts";
import { noTerminal, onTerminal } from "./terminal.ts";

const shell = (machine: Machine, command: string, session = "s1") => ({
  session_id: session,
  transcript_path: "/t",
  cwd: machine.projectDir,
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command },
  tool_use_id: "t1",
});

const judged = async (machine: Machine, command: string, session?: string) => {
  const { stdout } = await machine.hook("claude-code", shell(machine, command, session));
  const answer = stdout === "" ? {} : JSON.parse(stdout).hookSpecificOutput;
  return { decision: answer.permissionDecision ?? "none", reason: String(answer.permissionDecisionReason ?? "") };
};
const codeIn = (reason: string) => /allow-once ([0-9a-f]{8})/.exec(reason)?.[1] ?? "";

describe.skipIf(noTerminal)("allow-once", () => {
  it("KB-5 a person lets exactly this call through, once, and it is on record", async ({ machine }) => {
    const blocked = await judged(machine, "git push --force origin main");
    expect(blocked.decision).toBe("deny");
    const terminal = onTerminal(machine, ["allow-once", codeIn(blocked.reason)]);
    await terminal.shows("Let exactly this call through");
    terminal.type("y");
    expect((await terminal.ended).code).toBe(0);
    expect((await judged(machine, "git push --force origin main --tags")).decision).toBe("deny");
    expect((await judged(machine, "git push --force origin main", "another-session")).decision).toBe("deny");
    expect((await judged(machine, "git push --force origin main")).decision).toBe("none");
    expect((await judged(machine, "git push --force origin main")).decision).toBe("deny");
    expect(machine.records("notices").map(({ code }) => code)).toContain("pass");
    expect(machine.records("audit").some(({ notes }) => JSON.stringify(notes ?? "").includes("allowedOnce"))).toBe(
      true,
    );
  });

  it("a person's own commands are never lent to an agent", async ({ machine }) => {
    const { reason } = await judged(machine, "holdfast trust");
    expect(codeIn(reason)).toBe("");
    const [{ call }] = machine.records("audit") as [{ call: string }];
    const { code, stderr } = await machine.run(["allow-once", call.slice(0, 8)]);
    expect(code).toBe(3);
    expect(stderr).toContain("cannot be let through");
  });
});

it("allow-once without a terminal lets nothing through", async ({ machine }) => {
  const { reason } = await judged(machine, "rm -rf /");
  expect((await machine.run(["allow-once", codeIn(reason)])).code).toBe(2);
  expect((await judged(machine, "rm -rf /")).decision).toBe("deny");
});

describe.skipIf(noTerminal)("pause", () => {
  it("opens for a while, only here, and leaves managed rules and Holdfast's own state closed", async ({ machine }) => {
    machine.write("project/holdfast.yaml", "version: 1\n");
    expect((await judged(machine, "rm -rf /")).decision).toBe("deny");
    const terminal = onTerminal(machine, ["pause", "--minutes", "5"]);
    expect((await terminal.ended).code).toBe(0);
    expect((await judged(machine, "rm -rf /")).decision).toBe("none");
    expect((await judged(machine, `echo x > '${machine.stateDir}/trust.json'`)).decision).toBe("deny");
    expect((await judged(machine, "holdfast trust")).decision).toBe("deny");
    expect((await machine.cli(["pause", "--status"])).stdout).toContain("paused until");
    expect((await machine.cli(["pause", "--end"])).code).toBe(0);
    expect((await judged(machine, "rm -rf /")).decision).toBe("deny");
    expect(machine.records("notices").map(({ code }) => code)).toContain("pause");
  });

  it("does not bend what a managed file set", async ({ machine }) => {
    const env = { HOLDFAST_MANAGED_DIR: `${machine.dir}/managed` };
    machine.write("managed/holdfast.yaml", "guards: { destructive-command: { mode: enforce } }\n");
    const terminal = onTerminal(machine, ["pause"], { env });
    expect((await terminal.ended).code).toBe(0);
    const { stdout } = await machine.hook("claude-code", shell(machine, "rm -rf /"), { env });
    expect(JSON.parse(stdout).hookSpecificOutput.permissionDecision).toBe("deny");
  });
});

it("pause without a terminal opens nothing, and a forged long one is no window", async ({ machine }) => {
  expect((await machine.run(["pause"])).code).toBe(2);
  expect((await machine.cli(["pause", "--minutes", "999"])).code).toBe(3);
});

it("pause --end says that no window was open, where none was", async ({ machine }) => {
  expect((await machine.cli(["pause", "--end"])).stdout).toBe(
    `no window was open in ${machine.projectDir}: the rules hold\n`,
  );
});
