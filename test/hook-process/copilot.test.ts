/** Copilot reads Claude Code's settings: what it calls there, and who answers. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { claudeShell } from "../payloads.ts";
import { it, type Machine } from "../program.ts";

const RECORDED = join(import.meta.dirname, "../../src/hosts/copilot/fixtures/1.0.102/pascal-case/PreToolUse.Bash.json");

function copilotShell({ projectDir: cwd }: Machine, command: string): object {
  return { ...JSON.parse(readFileSync(RECORDED, "utf8")).stdin, cwd, tool_input: { command, description: "d" } };
}

const copilotEnv = ({ projectDir }: Machine) => ({ COPILOT_CLI: "1", COPILOT_PROJECT_DIR: projectDir });

const registerCopilot = (machine: Machine) => machine.cli(["init", "--hosts", "copilot"]);

describe("Copilot calling what is registered with Claude Code", () => {
  it("is answered in its own form, also where it drops the arguments of the command", async ({ machine }) => {
    const stdin = JSON.stringify(copilotShell(machine, "rm -rf ~"));
    for (const args of [["hook", "--host", "claude-code"], []]) {
      const { code, stdout } = await machine.run(args, { stdin, env: copilotEnv(machine) });
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" },
      });
    }
    expect(machine.records("audit").map(({ host }) => host)).toEqual(["copilot", "copilot"]);
  });

  it("hears nothing where Copilot has a registration of its own", async ({ machine }) => {
    await registerCopilot(machine);
    const stdin = JSON.stringify(copilotShell(machine, "rm -rf ~"));
    for (const args of [["hook", "--host", "claude-code"], []]) {
      const answer = await machine.run(args, { stdin, env: copilotEnv(machine) });
      expect(answer).toMatchObject({ code: 0, stdout: "", stderr: "" });
    }
    expect(machine.records("audit")).toEqual([]);
  });

  it("does not silence a Claude Code that was started below it", async ({ machine }) => {
    await registerCopilot(machine);
    const env = copilotEnv(machine);
    const { stdout } = await machine.hook("claude-code", claudeShell(machine, "rm -rf ~"), { env });
    expect(stdout).toContain(`"permissionDecision":"deny"`);
    expect(machine.records("audit").map(({ host }) => host)).toEqual(["claude-code"]);
  });

  it("is the only one to be heard without arguments: a person gets the help", async ({ machine }) => {
    const { stdout, stderr } = await machine.run([], { env: { COPILOT_CLI: "1" } });
    expect(stdout + stderr).toContain("usage: holdfast <command>");
  });
});
