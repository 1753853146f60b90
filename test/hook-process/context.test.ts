import { describe, expect } from "vitest";
import { claude, claudeShell, kiro, kiroShell } from "../payloads.ts";
import { it, type Machine } from "../program.ts";
import { projectHooks, tells, userHooks } from "../rules.ts";

describe.concurrent("what a session was told", () => {
  const start = (machine: Machine, source: string, session_id = "one") =>
    machine.hook("claude-code", claude(machine, "SessionStart", { source, session_id }));

  it("is not told again until its context is lost", async ({ machine }) => {
    await userHooks(machine, [{ event: "session_start", script: tells("session_start", "be kind") }]);
    const told = async (source: string, session?: string) =>
      (await start(machine, source, session)).stdout.includes("be kind");
    expect(await told("startup")).toBe(true);
    expect(await told("resume")).toBe(false);
    expect(await told("clear")).toBe(true);
    expect(await told("compact")).toBe(true);
    expect(await told("resume")).toBe(false);
    expect(await told("resume", "two")).toBe(true);
    await machine.hook("claude-code", claude(machine, "SessionEnd", { session_id: "one" }));
    expect(await told("resume")).toBe(true);
  });

  it("counts over all events of the session", async ({ machine }) => {
    await userHooks(machine, [
      { event: "user_prompt_submit", script: tells("user_prompt_submit", "be kind") },
      { event: "pre_tool_use", script: tells("pre_tool_use", "be kind") },
    ]);
    expect((await machine.hook("claude-code", claude(machine, "UserPromptSubmit"))).stdout).toContain("be kind");
    expect((await machine.hook("claude-code", claudeShell(machine, "ls"))).stdout).toBe("");
  });

  it("is only what it could be told: what a host did not take is still to come", async ({ machine }) => {
    await userHooks(machine, [
      { event: "pre_tool_use", script: tells("pre_tool_use", "be kind") },
      { event: "user_prompt_submit", script: tells("user_prompt_submit", "be kind") },
    ]);
    expect((await machine.hook("kiro", kiroShell(machine, "ls"))).stdout).toBe("");
    expect((await machine.hook("kiro", kiro(machine, "userPromptSubmit"))).stdout).toContain("be kind");
    expect((await machine.hook("kiro", kiro(machine, "userPromptSubmit"))).stdout).toBe("");
  });

  it("a notice and a context of one call are both remembered", async ({ machine }) => {
    await projectHooks(machine, [{ event: "session_start", script: "exit 0", id: "untrusted-advice" }]);
    await userHooks(machine, [{ event: "session_start", script: tells("session_start", "be kind") }]);
    await start(machine, "startup");
    expect((await start(machine, "resume")).stdout).toBe("");
    expect(machine.records("notices")).toHaveLength(1);
  });

  it("without a session's name it is the project's", async ({ machine }) => {
    await userHooks(machine, [{ event: "user_prompt_submit", script: tells("user_prompt_submit", "be kind") }]);
    const elsewhere = machine.write("elsewhere/.git/HEAD", "").replace("/.git/HEAD", "");
    const prompt = (cwd: string) => machine.hook("kiro", kiro(machine, "userPromptSubmit", { cwd }));
    expect((await prompt(machine.projectDir)).stdout).toContain("be kind");
    expect((await prompt(machine.projectDir)).stdout).toBe("");
    expect((await prompt(elsewhere)).stdout).toContain("be kind");
  });
});
