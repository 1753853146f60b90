import { describe, expect } from "vitest";
import { hostById } from "../../src/hosts/registry.ts";
import { claude, claudeShell, kiro, kiroShell, RECORDED } from "../payloads.ts";
import { inPool, it } from "../program.ts";
import { answers, blockedBy, blocks, tells, userHooks } from "../rules.ts";

const eventOf = (name: string) => name.replace(/^.*\//, "").replace(/\..*$/, "");
const silence = { code: 0, stdout: "", stderr: "" };
const said = ({ code, stdout, stderr }: { code: number | null; stdout: string; stderr: string }) => ({
  code,
  stdout,
  stderr,
});

/** The codecs' own tests take them all. */
const onePerEvent = [
  ...new Map(RECORDED.map((recorded) => [`${recorded.host} ${eventOf(recorded.name)}`, recorded])).values(),
];

describe.concurrent("what nothing objects to", () => {
  it("is answered without a word, whatever a host sends", async ({ machine }) => {
    const results = await inPool(onePerEvent, 4, async (recorded) => {
      const { payload, env, event } = recorded.on(machine);
      const args = ["hook", "--host", recorded.host, "--event", event];
      return {
        name: `${recorded.host} ${recorded.name}`,
        silence: hostById(recorded.host)?.silence ?? "",
        ...said(await machine.run(args, { stdin: JSON.stringify(payload), env })),
      };
    });
    const spoke = results.filter(
      ({ code, stdout, stderr, silence }) => code !== 0 || stdout !== silence || stderr !== "",
    );
    expect(spoke).toEqual([]);
    expect(results.length).toBeGreaterThan(40);
  });
});

describe.concurrent("Claude Code is answered in its own words", () => {
  it("a blocked call", async ({ machine }) => {
    await userHooks(machine, [
      { event: "pre_tool_use", matcher: "^shell$", script: blocks("no deploys.\nDo instead: wait.") },
    ]);
    const { stdout, ...rest } = said(await machine.hook("claude-code", claudeShell(machine, "deploy")));
    expect(rest).toEqual({ code: 0, stderr: "" });
    const answer = JSON.parse(stdout);
    expect(answer).toEqual({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: blockedBy("no deploys.\nDo instead: wait."),
      },
    });
    expect(stdout).toBe(JSON.stringify(answer));
  });

  it("a rewritten call, one that asks, and context", async ({ machine }) => {
    const specific = { hook_event_name: "pre_tool_use" };
    await userHooks(machine, [
      {
        event: "pre_tool_use",
        matcher: "^shell$",
        script: answers({
          hook_specific_output: {
            ...specific,
            updated_input: { command: "ls --dry-run" },
            additional_context: "noted",
          },
        }),
      },
      {
        event: "pre_tool_use",
        matcher: "^write$",
        script: answers({
          hook_specific_output: { ...specific, permission_decision: "ask", permission_decision_reason: "is it right?" },
        }),
      },
      { event: "session_start", script: tells("session_start", "be kind") },
    ]);
    const [rewritten, asked, started] = await Promise.all([
      machine.hook("claude-code", claudeShell(machine, "ls")),
      machine.hook("claude-code", claude(machine, "PreToolUse.Write")),
      machine.hook("claude-code", claude(machine, "SessionStart")),
    ]);
    const label = (hook: string, text: string) =>
      `<holdfast-context source="hooks, not the user">\n[${hook}] ${text}\n</holdfast-context>`;
    const stdout = (fields: object) => JSON.stringify({ hookSpecificOutput: fields });
    expect(said(rewritten)).toEqual({
      ...silence,
      stdout: stdout({
        hookEventName: "PreToolUse",
        updatedInput: { command: "ls --dry-run" },
        additionalContext: label("1-pre_tool_use", "noted"),
      }),
    });
    expect(said(asked)).toEqual({
      ...silence,
      stdout: stdout({
        hookEventName: "PreToolUse",
        permissionDecision: "ask",
        permissionDecisionReason: "Confirmation asked for by holdfast: is it right?",
      }),
    });
    expect(said(started)).toEqual({
      ...silence,
      stdout: stdout({ hookEventName: "SessionStart", additionalContext: label("3-session_start", "be kind") }),
    });
  });

  it("a turn that goes on, once", async ({ machine }) => {
    await userHooks(machine, [{ event: "stop", script: blocks("run the tests") }]);
    const [first, again] = await Promise.all([
      machine.hook("claude-code", claude(machine, "Stop")),
      machine.hook("claude-code", claude(machine, "Stop.active")),
    ]);
    expect(said(first)).toEqual({
      ...silence,
      stdout: JSON.stringify({ decision: "block", reason: "Continued by holdfast: run the tests" }),
    });
    expect(said(again)).toEqual(silence);
  });
});

describe.concurrent("Kiro is answered by exit code", () => {
  it("K-5 allows with exit 0 and both streams empty, blocks with exit 2 and one message on stderr", async ({
    machine,
  }) => {
    await userHooks(machine, [
      { event: "pre_tool_use", matcher: "^shell$", script: "grep -q deploy && echo no >&2 && exit 2; exit 0" },
    ]);
    const [allowed, blocked, blocked3] = await Promise.all([
      machine.hook("kiro", kiroShell(machine, "ls")),
      machine.hook("kiro", kiroShell(machine, "deploy")),
      machine.hook("kiro", kiro(machine, "PreToolUse.execute_bash", { tool_input: { command: "deploy" } })),
    ]);
    expect(said(allowed)).toEqual(silence);
    for (const answer of [blocked, blocked3])
      expect(said(answer)).toEqual({ code: 2, stdout: "", stderr: blockedBy("no") });
  });

  it("context goes to stdout where Kiro reads it, and to a notice where it does not", async ({ machine }) => {
    await userHooks(machine, [
      { event: "user_prompt_submit", script: tells("user_prompt_submit", "it is Friday") },
      { event: "post_tool_use", script: tells("post_tool_use", "well done") },
    ]);
    const prompt = await machine.hook("kiro", kiro(machine, "userPromptSubmit"));
    expect(said(prompt)).toEqual({
      ...silence,
      stdout: `<holdfast-context source="hooks, not the user">\n[1-user_prompt_submit] it is Friday\n</holdfast-context>`,
    });
    expect(said(await machine.hook("kiro", kiro(machine, "postToolUse.shell")))).toEqual(silence);
    expect(machine.records("notices")).toMatchObject([{ code: "undelivered", event_name: "post_tool_use" }]);
  });

  it("K-2 the event's name counts in any letter case", async ({ machine }) => {
    await userHooks(machine, [{ event: "pre_tool_use", script: blocks("no") }]);
    const names = ["PRETOOLUSE", "pretooluse", "PreToolUse"];
    const codes = await inPool(names, 3, async (hook_event_name) => {
      const { code } = await machine.hook("kiro", kiroShell(machine, "ls", { hook_event_name }));
      return code;
    });
    expect(codes).toEqual([2, 2, 2]);
  });

  it("K-4 keys nobody knows are ignored, and keys that are missing are no crash", async ({ machine }) => {
    const bare = { hook_event_name: "preToolUse", cwd: machine.projectDir };
    const results = await inPool(
      [
        kiroShell(machine, "ls", { from_the_future: [{ a: 1 }] }),
        bare,
        { ...bare, hook_event_name: "postToolUse", tool_name: "shell" },
        { ...bare, hook_event_name: "postToolUse" },
        { hook_event_name: "preToolUse" },
      ],
      3,
      (payload) => machine.hook("kiro", payload),
    );
    expect(results.map(said)).toEqual(results.map(() => silence));
    // A shell without a command is no crash either, and nobody can judge it.
    const { code, stderr } = await machine.hook("kiro", { ...bare, tool_name: "shell" });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("without a command that is a text") });
  });
});

it("K-1 without arguments the payload tells whose it is", async ({ machine }) => {
  await userHooks(machine, [{ event: "pre_tool_use", matcher: "^shell$", script: blocks("no") }]);
  const guess = (payload: object, env: Record<string, string> = {}) =>
    machine.run(["hook"], { stdin: JSON.stringify(payload), env });
  const ide = kiro(machine, "PreToolUse.execute_bash");
  const { transcript_path: _, ...byHand } = claudeShell(machine, "ls");
  const [fromClaude, handWritten, fromKiro, fromIde, nested] = await Promise.all([
    guess(claudeShell(machine, "ls")),
    guess(byHand),
    guess(kiroShell(machine, "ls")),
    guess(ide),
    guess(ide, { CLAUDECODE: "1" }),
  ]);
  for (const { code, stdout } of [fromClaude, handWritten]) {
    expect(code).toBe(0);
    expect(stdout).toContain('"permissionDecision":"deny"');
  }
  for (const answer of [fromKiro, fromIde, nested])
    expect(said(answer)).toEqual({ code: 2, stdout: "", stderr: blockedBy("no") });
});
