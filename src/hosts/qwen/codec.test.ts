import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { BLOCK_PREFIX } from "../answer-text.ts";
import { decisionOf, describeHost, momentOf, readFixtures, type Seen, type Wish } from "../conformance.fixture.ts";
import type { HostAnswer, Native } from "../host.ts";
import { qwen } from "./host.ts";

const FIXTURES = join(import.meta.dirname, "fixtures", qwen.provenVersion);
const { codec } = qwen;

describeHost({ host: qwen, fixtures: [FIXTURES], reads });

/** What the program does with an answer when ours is the only hook, read from its side. */
function reads({ event }: Native, { stdout, stderr, exitCode }: HostAnswer): Seen {
  if (exitCode === 2) return ["PreToolUse", "UserPromptSubmit"].includes(event) ? { blocked: stderr } : {};
  if (exitCode !== 0 || stdout === "") return {};
  expect(stdout.length).toBeLessThan(1024 * 1024);
  const json = JSON.parse(stdout) as JsonObject;
  const specific = isJsonObject(json.hookSpecificOutput) ? json.hookSpecificOutput : {};
  if (isJsonObject(json.hookSpecificOutput)) expect(specific.hookEventName).toBe(event);
  const told = typeof specific.additionalContext === "string" ? { context: specific.additionalContext } : {};
  const stopped = json.continue === false ? (json.stopReason as string) : undefined;
  switch (event) {
    case "SessionStart":
    case "PreCompact":
    case "PostToolUseFailure":
      return told;
    case "UserPromptSubmit":
      return json.decision === "block" ? { blocked: json.reason as string } : told;
    case "PreToolUse": {
      const reason = specific.permissionDecisionReason as string;
      if (specific.permissionDecision === "ask") return { asked: reason };
      return { blocked: specific.permissionDecision === "deny" ? reason : (stopped ?? "") };
    }
    case "PermissionRequest": {
      const decision = specific.decision as { behavior: string; message?: string };
      return decision.behavior === "deny" ? { blocked: decision.message ?? "" } : { allowed: "the reason 4711" };
    }
    case "PostToolUse": {
      if (stopped === undefined) return told;
      const context = stopped.includes("<holdfast-context") ? { context: stopped } : {};
      return { rewrite: stopped, ...context, ...(stopped.startsWith(BLOCK_PREFIX) ? { blocked: stopped } : {}) };
    }
    case "Stop":
      // Both are an order to go on.
      return json.decision === "block" || stopped !== undefined
        ? { continued: (json.reason as string) ?? stopped }
        : {};
    default:
      throw new Error(`${event} was told ${stdout}`);
  }
}

const fixtures = new Map(readFixtures(FIXTURES).map((fixture) => [fixture.name, fixture]));

function nativeOf(name: string, changes: JsonObject = {}): Native {
  const fixture = fixtures.get(name);
  if (!fixture) throw new Error(`no fixture ${name}`);
  return codec.parse({ ...fixture.stdin, ...changes }, momentOf(fixture));
}

function answerTo(native: Native, ...wishes: readonly Wish[]): HostAnswer {
  const outcomes = wishes.map((wish, index) => {
    const event = native.events[index];
    if (!event) throw new Error("too many wishes");
    return { event, decision: decisionOf(event, wish, qwen) };
  });
  return codec.render(native, outcomes);
}

const stdoutOf = (native: Native, ...wishes: readonly Wish[]) => answerTo(native, ...wishes).stdout;
const reasonOf = (native: Native, ...wishes: readonly Wish[]): string =>
  JSON.parse(stdoutOf(native, ...wishes)).hookSpecificOutput.permissionDecisionReason;

const SHELL = "PreToolUse.run_shell_command";

describe("the bytes Qwen Code gets", () => {
  it("deny: said twice, because another hook's allow takes back a permissionDecision", () => {
    expect(stdoutOf(nativeOf(SHELL), { kind: "block", reason: "no." })).toBe(
      `{"continue":false,"stopReason":"Blocked by holdfast: no.","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Blocked by holdfast: no."}}`,
    );
  });

  it("ask", () => {
    expect(JSON.parse(stdoutOf(nativeOf(SHELL), { kind: "ask", reason: "this pushes" }))).toEqual({
      continue: false,
      stopReason: "Confirmation asked for by holdfast: this pushes",
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "ask",
        permissionDecisionReason: "Confirmation asked for by holdfast: this pushes",
      },
    });
  });

  it("allow is not sent: it grants nothing, and would take back another hook's denial", () => {
    expect(answerTo(nativeOf(SHELL), { kind: "allow" })).toEqual({ stdout: "", stderr: "", exitCode: 0 });
  });

  it("output is hidden by stopping the result, with the context in it", () => {
    const answer = answerTo(nativeOf("PostToolUse.run_shell_command"), { kind: "block", reason: "a key" });
    expect(answer).toEqual({
      stdout: `{"continue":false,"stopReason":"Blocked by holdfast: a key"}`,
      stderr: "",
      exitCode: 0,
    });
    const told = stdoutOf(nativeOf("PostToolUse.run_shell_command"), { kind: "block", context: ["mind the gap"] });
    expect(JSON.parse(told).stopReason).toContain("mind the gap");
  });

  it("another output takes the place of the tool's own", () => {
    expect(JSON.parse(stdoutOf(nativeOf("PostToolUse.read_file"), { rewrite: "***" }))).toEqual({
      continue: false,
      stopReason: "Holdfast replaces the output of this call. Go by this one only:\n***",
    });
  });

  it("a failed call's output stays, and the model is told what to make of it", () => {
    const { stdout, undelivered } = answerTo(nativeOf("PostToolUseFailure.run_shell_command"), {
      kind: "block",
      reason: "a key",
      context: ["mind the gap"],
    });
    const { hookSpecificOutput, ...rest } = JSON.parse(stdout);
    expect(rest).toEqual({});
    expect(hookSpecificOutput.additionalContext).toMatch(/^Blocked by holdfast: a key\n\n<holdfast[\s\S]*mind the gap/);
    expect(undelivered).toEqual([expect.stringContaining("stayed visible")]);
  });

  it("go on, with the context in the reason; nothing that would end the turn, because it goes on at that", () => {
    const { decision, reason } = JSON.parse(stdoutOf(nativeOf("Stop"), { kind: "continue", context: ["mind"] }));
    expect([decision, reason.includes("mind")]).toEqual(["block", true]);
    expect(answerTo(nativeOf("Stop"), { kind: "halt", reason: "enough" }).stdout).toBe("");
  });

  it("a permission is denied and granted in its own form, and our own failure denies it", () => {
    const denied = `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"Blocked by holdfast: no"}}}`;
    expect(stdoutOf(nativeOf("PermissionRequest"), { kind: "block", reason: "no" })).toBe(denied);
    expect(codec.fail("PermissionRequest", "no")).toEqual({ stdout: denied, stderr: "", exitCode: 0 });
    expect(stdoutOf(nativeOf("PermissionRequest"), { kind: "allow" })).toBe(
      `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`,
    );
  });

  it("our own failure before a call is a denial that no other hook takes back", () => {
    const { stdout, exitCode } = codec.fail("PreToolUse", "broken");
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([
      0,
      { continue: false, stopReason: `${BLOCK_PREFIX} broken` },
    ]);
  });

  it("no answer is longer than Qwen Code reads, or half of it would let the call run", () => {
    const reason = "\u0001".repeat(2_000_000);
    const write = nativeOf("PreToolUse.write_file");
    const rewrite = { file_path: "/project/note.md", content: reason };
    for (const answer of [
      answerTo(nativeOf(SHELL), { kind: "block", reason }),
      answerTo(nativeOf(SHELL), { kind: "ask", reason }),
      answerTo(write, { rewrite }),
      answerTo(nativeOf("PostToolUse.read_file"), { rewrite: reason }),
      answerTo(nativeOf("PostToolUse.read_file"), { kind: "block", reason }),
      answerTo(nativeOf("UserPromptSubmit"), { kind: "block", reason }),
      answerTo(nativeOf("PermissionRequest"), { kind: "block", reason }),
      codec.fail("PreToolUse", reason),
    ]) {
      expect(Buffer.byteLength(answer.stdout)).toBeLessThan(1024 * 1024);
      expect(() => JSON.parse(answer.stdout)).not.toThrow();
    }
  });
});

describe("what Qwen Code cannot be told", () => {
  it("a rewrite becomes a block that says exactly what to run instead", () => {
    const reason = reasonOf(nativeOf(SHELL), { rewrite: { command: "npm test", is_background: false } });
    expect(reason).toMatch(/^Blocked by holdfast: this call must be made differently/);
    expect(reason.endsWith("\nRun exactly this instead:\nnpm test")).toBe(true);
  });

  it("a rewrite with context beside it is one block with both", () => {
    const native = nativeOf(SHELL);
    const reason = reasonOf(native, { rewrite: { command: "npm test" }, context: ["mind the gap"] });
    expect(reason).toMatch(/npm test\n\n<holdfast-context[\s\S]*mind the gap/);
    expect(answerTo(native, { rewrite: { command: "npm test" }, context: ["mind"] }).undelivered).toBeUndefined();
  });

  it("a rewritten delegation names the whole call to make instead, with what the call itself was rewritten to", () => {
    const agent = nativeOf("PreToolUse.agent");
    const call = { description: "sub job", prompt: "OTHER", subagent_type: "Explore" };
    const reason = reasonOf(agent, { rewrite: call }, { rewrite: { objective: "Look only", context: "It is old" } });
    expect(reason.match(/Call agent with exactly this input instead/g)).toHaveLength(1);
    expect(reason).toContain(JSON.stringify({ ...call, prompt: "Look only\n\nContext:\nIt is old" }));
  });

  it("what is blocked outright comes with no advice on how to call it", () => {
    const agent = nativeOf("PreToolUse.agent");
    const call = { rewrite: { description: "d", prompt: "p" } };
    expect(reasonOf(agent, call, { kind: "block", reason: "too deep" })).toBe("Blocked by holdfast: too deep");
  });

  it("context before a call reaches the model with a block only, and is reported once for each that lost it", () => {
    expect(reasonOf(nativeOf(SHELL), { kind: "block", context: ["mind the gap"] })).toContain("mind the gap");
    for (const wish of [{ context: ["mind"] }, { kind: "ask", context: ["mind"] }] as const) {
      expect(answerTo(nativeOf(SHELL), wish).undelivered).toEqual([expect.stringContaining("not sent")]);
    }
    const both = answerTo(nativeOf("PreToolUse.agent"), { context: ["mind"] }, { context: ["the gap"] });
    expect([both.stdout, both.undelivered?.length]).toEqual(["", 2]);
  });

  it("context before a compaction is sent, and reported where it is longer than what is taken", () => {
    expect(answerTo(nativeOf("PreCompact"), { context: ["short"] }).undelivered).toBeUndefined();
    const long = answerTo(nativeOf("PreCompact"), { context: ["<".repeat(1_000)] });
    expect([long.stdout.length > 1_000, long.undelivered]).toEqual([true, [expect.stringContaining("was cut")]]);
  });

  it("context beside a blocked prompt is reported as not sent", () => {
    const { undelivered } = answerTo(nativeOf("UserPromptSubmit"), { kind: "block", context: ["mind"] });
    expect(undelivered).toEqual([expect.stringContaining("not sent")]);
  });
});

describe("what Qwen Code sends", () => {
  it("the prompt after a tool's result is nobody's, and not unknown either", () => {
    const native = nativeOf("UserPromptSubmit.tool-continuation");
    expect([native.events, native.unknownEvent]).toEqual([[], undefined]);
    expect(nativeOf("UserPromptSubmit").events).toMatchObject([{ prompt: "please do the lab task" }]);
    // In Vim's mode and from an editor a person's prompt comes without submitted_prompt.
    expect(nativeOf("UserPromptSubmit", { submitted_prompt: null, prompt: "x" }).events).toHaveLength(1);
    expect(nativeOf("UserPromptSubmit.tool-continuation", { prompt: "steered" }).events).toHaveLength(1);
  });

  it("a call has the model's id, which is the same on all its events", () => {
    for (const name of [SHELL, "PostToolUse.run_shell_command"]) {
      expect(nativeOf(name).events[0]).toMatchObject({ tool: { id: "call_0001" } });
    }
    expect(nativeOf("PostToolUseFailure.run_shell_command").events[0]).toMatchObject({ tool: { id: "call_0011" } });
    expect(nativeOf(SHELL, { tool_call_id: null, tool_use_id: "own" }).events[0]).toMatchObject({
      tool: { id: "own" },
    });
  });

  it("a command that ends with another code than 0, or by a signal, has failed", () => {
    for (const name of ["PostToolUseFailure.run_shell_command", "PostToolUseFailure.run_shell_command.killed"]) {
      expect(nativeOf(name).events).toMatchObject([{ name: "post_tool_use", failed: true }]);
    }
    expect(nativeOf("PostToolUse.run_shell_command").events).toMatchObject([{ failed: false, durationMs: 81 }]);
  });

  it("a shell command is judged in the directory it names", () => {
    expect(nativeOf("PreToolUse.run_shell_command.directory").events).toMatchObject([{ cwd: "/project/sub" }]);
    const relative = { tool_input: { command: "ls", directory: "sub" } };
    expect(nativeOf(SHELL, relative).events).toMatchObject([{ cwd: "/project/sub" }]);
    expect(nativeOf("PreToolUse.read_file", { tool_input: { directory: "/etc" } }).events).toMatchObject([
      { cwd: "/project" },
    ]);
  });

  it("a sub-agent's call carries the sub-agent", () => {
    expect(nativeOf("PreToolUse.run_shell_command.in-subagent").events[0]).toMatchObject({
      agent: "general-purpose-call_0001",
      permissionMode: "bypass",
      turn: expect.stringContaining("########0"),
    });
  });

  it("an MCP tool that is called through tool_call comes under its own name", () => {
    expect(nativeOf("PreToolUse.mcp.bridged").events).toMatchObject([{ tool: { kind: "mcp", server: "notes" } }]);
  });

  it("a delegating call is a tool call and a delegation, and a failed one both failures", () => {
    expect(nativeOf("PreToolUse.agent").events).toMatchObject([
      { name: "pre_tool_use", tool: { kind: "delegate" } },
      { name: "pre_delegation", targetAgentId: "general-purpose", objective: "SUBPROMPT do it" },
    ]);
    expect(nativeOf("PostToolUseFailure.agent").events).toMatchObject([
      { name: "post_tool_use", failed: true },
      { name: "delegation_failure", targetAgentId: "no-such-agent" },
    ]);
    expect(nativeOf("SubagentStop").events).toMatchObject([{ name: "post_delegation", summary: "SUB-END" }]);
  });

  it.each([
    ["default", "default"],
    ["plan", "plan"],
    ["auto_edit", "accept_edits"],
    ["auto-edit", "accept_edits"],
    ["auto", "default"],
    ["yolo", "bypass"],
  ])("permission mode %s is %s", (mode, expected) => {
    expect(nativeOf(SHELL, { permission_mode: mode }).events[0]?.permissionMode).toBe(expected);
  });

  it("a stop that hooks already continued says so", () => {
    expect(nativeOf("Stop").events).toMatchObject([{ continuations: 0 }]);
    expect(nativeOf("Stop.active").events).toMatchObject([{ continuations: 1 }]);
  });

  it("a payload is ours beyond doubt where the environment names its session", () => {
    const { stdin, env = {} } = fixtures.get(SHELL) ?? { stdin: {} };
    expect(qwen.owns(stdin, env)).toBe(true);
    expect(qwen.owns({ ...stdin, session_id: "another" }, env)).toBe(false);
    expect(qwen.owns({}, {})).toBe(false);
  });
});
