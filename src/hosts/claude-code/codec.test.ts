import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import {
  decisionOf,
  describeHost,
  momentOf,
  outcomesOf,
  readFixtures,
  type Seen,
  type Wish,
} from "../conformance.fixture.ts";
import type { HostAnswer, Native } from "../host.ts";
import { claudeCode } from "./host.ts";

const FIXTURES = join(import.meta.dirname, "fixtures", claudeCode.provenVersion);
const { codec } = claudeCode;

describeHost({ host: claudeCode, fixtures: [FIXTURES], reads });

/** The table of hosts.md, section 3.2, read from the host's side. */
function reads({ event, payload }: Native, { stdout, stderr, exitCode }: HostAnswer): Seen {
  if (exitCode === 2)
    return EXIT_2_BLOCKS.includes(event)
      ? { blocked: stderr }
      : EXIT_2_GOES_ON.includes(event)
        ? { continued: stderr }
        : {};
  if (exitCode !== 0 || stdout === "") return {};
  if (event === "PreCompact" || event === "PostCompact") return { context: stdout };
  const json = JSON.parse(stdout) as JsonObject;
  const specific = isJsonObject(json.hookSpecificOutput) ? json.hookSpecificOutput : {};
  if (isJsonObject(json.hookSpecificOutput)) expect(specific.hookEventName).toBe(event);
  const context = specific.additionalContext as string | undefined;
  const told = context === undefined ? {} : { context };
  switch (event) {
    case "SessionStart":
    case "SubagentStart":
      return told;
    case "UserPromptSubmit":
      return json.decision === "block" ? { blocked: json.reason as string } : told;
    case "PreToolUse": {
      const input = specific.updatedInput as JsonObject | undefined;
      const prompt = typeof input?.prompt === "string" ? input.prompt : "";
      const reason = specific.permissionDecisionReason as string;
      return {
        ...(prompt.includes("<holdfast-context") ? { context: prompt } : told),
        ...(input ? { rewrite: input } : {}),
        ...(specific.permissionDecision === "deny" ? { blocked: reason } : {}),
        ...(specific.permissionDecision === "ask" ? { asked: reason } : {}),
        ...(specific.permissionDecision === "allow" ? { allowed: reason } : {}),
      };
    }
    case "PermissionRequest": {
      const decision = specific.decision as { behavior: string; message?: string };
      return decision.behavior === "deny" ? { blocked: decision.message ?? "" } : { allowed: "the reason 4711" };
    }
    case "PostToolUse":
      return {
        ...told,
        ...(json.decision === "block" ? { blocked: json.reason as string } : {}),
        ...(specific.updatedToolOutput === undefined
          ? {}
          : { rewrite: fitting(payload.tool_response ?? null, specific.updatedToolOutput) }),
      };
    case "PostToolUseFailure":
      expect(specific.updatedToolOutput).toBeUndefined();
      return { ...told, ...(json.decision === "block" ? { blocked: json.reason as string } : {}) };
    case "Stop":
    case "SubagentStop":
      if (json.continue === false) return { halted: json.stopReason as string };
      return json.decision === "block" || context !== undefined
        ? { continued: (json.reason as string) ?? context }
        : {};
    default:
      throw new Error(`${event} was told ${stdout}`);
  }
}

const EXIT_2_BLOCKS = ["PreToolUse", "UserPromptSubmit", "PreCompact"];
const EXIT_2_GOES_ON = ["Stop", "SubagentStop"];

/** Claude Code drops a replacement that is not in the tool's own shape. */
function fitting(response: Json, replacement: Json): Json {
  if (isJsonObject(response)) expect(Object.keys(replacement as JsonObject)).toEqual(Object.keys(response));
  return replacement;
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
    return { event, decision: decisionOf(event, wish, claudeCode) };
  });
  return codec.render(native, outcomes);
}

const stdoutOf = (native: Native, ...wishes: readonly Wish[]) => answerTo(native, ...wishes).stdout;

const LABELLED = String.raw`<holdfast-context source=\"hooks, not the user\">\n[teller] mind the gap\n</holdfast-context>`;

describe("the bytes Claude Code gets", () => {
  it("deny", () => {
    expect(stdoutOf(nativeOf("PreToolUse"), { kind: "block", reason: "rm -rf / deletes everything." })).toBe(
      `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Blocked by holdfast: rm -rf / deletes everything."}}`,
    );
  });

  it("ask", () => {
    expect(stdoutOf(nativeOf("PreToolUse"), { kind: "ask", reason: "this pushes" })).toBe(
      `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"Confirmation asked for by holdfast: this pushes"}}`,
    );
  });

  it("allow", () => {
    expect(stdoutOf(nativeOf("PreToolUse"), { kind: "allow", reason: "read only" })).toBe(
      `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"Allowed by holdfast: read only"}}`,
    );
  });

  it("rewrite: the whole input, and no permission with it", () => {
    expect(stdoutOf(nativeOf("PreToolUse"), { rewrite: { command: "echo ho", description: "write file" } })).toBe(
      `{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"echo ho","description":"write file"}}}`,
    );
  });

  it("rewrite that a person is asked about", () => {
    expect(stdoutOf(nativeOf("PreToolUse"), { kind: "ask", reason: "sure?", rewrite: { command: "echo ho" } })).toBe(
      `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"Confirmation asked for by holdfast: sure?","updatedInput":{"command":"echo ho"}}}`,
    );
  });

  it("context", () => {
    expect(stdoutOf(nativeOf("SessionStart"), { context: ["mind the gap"] })).toBe(
      `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"${LABELLED}"}}`,
    );
  });

  it("stop, go on: the context goes along in the reason", () => {
    expect(stdoutOf(nativeOf("Stop"), { kind: "continue", reason: "The tests fail.", context: ["mind the gap"] })).toBe(
      `{"decision":"block","reason":"Continued by holdfast: The tests fail.\\n\\n${LABELLED}"}`,
    );
  });

  it("stop, halt", () => {
    expect(stdoutOf(nativeOf("Stop"), { kind: "halt", reason: "enough" })).toBe(
      `{"continue":false,"stopReason":"Halted by holdfast: enough"}`,
    );
  });

  it("prompt blocked", () => {
    expect(stdoutOf(nativeOf("UserPromptSubmit"), { kind: "block", reason: "a key is in it" })).toBe(
      `{"decision":"block","reason":"Blocked by holdfast: a key is in it"}`,
    );
  });

  it("permission denied, and granted", () => {
    expect(stdoutOf(nativeOf("PermissionRequest"), { kind: "block", reason: "not here" })).toBe(
      `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"Blocked by holdfast: not here"}}}`,
    );
    expect(stdoutOf(nativeOf("PermissionRequest"), { kind: "allow" })).toBe(
      `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`,
    );
  });

  it("output hidden behind the reason, in the shape of the tool", () => {
    expect(stdoutOf(nativeOf("PostToolUse"), { kind: "block", reason: "a key was printed" })).toBe(
      `{"decision":"block","reason":"Blocked by holdfast: a key was printed","hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":{"stdout":"Blocked by holdfast: a key was printed","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}}}`,
    );
  });

  it("compaction: a block is an exit code, context is plain text, and nothing else is ever printed", () => {
    expect(answerTo(nativeOf("PreCompact"), { kind: "block", reason: "not now" })).toEqual({
      stdout: "",
      stderr: "Blocked by holdfast: not now",
      exitCode: 2,
    });
    expect(answerTo(nativeOf("PreCompact"), { context: ["mind the gap"] })).toEqual({
      stdout: `<holdfast-context source="hooks, not the user">\n[teller] mind the gap\n</holdfast-context>`,
      stderr: "",
      exitCode: 0,
    });
  });

  it("our own failure on a permission is a denial, because exit 2 is none there", () => {
    expect(codec.fail("PermissionRequest", "broken")).toEqual({
      stdout: `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"Blocked by holdfast: broken"}}}`,
      stderr: "",
      exitCode: 0,
    });
  });
});

describe("what Claude Code sends", () => {
  it("the context of an event is read from the payload", () => {
    expect(nativeOf("PreToolUse.subagent-Bash").events[0]).toMatchObject({
      id: "event-1",
      host: "claude-code",
      turn: expect.stringMatching(/^[0-9a-f-]{36}$/),
      agent: "a67f98d605caa5fbd",
      cwd: "/project",
      permissionMode: "bypass",
      transcriptPath: expect.stringContaining(".jsonl"),
      tool: { kind: "shell", command: "echo sub > sub.txt", id: "toolu_lab000002" },
    });
  });

  it.each([
    ["default", "default"],
    ["plan", "plan"],
    ["acceptEdits", "accept_edits"],
    ["bypassPermissions", "bypass"],
    ["auto", "default"],
    ["dontAsk", "default"],
  ])("permission mode %s is %s", (mode, expected) => {
    expect(nativeOf("PreToolUse", { permission_mode: mode }).events[0]?.permissionMode).toBe(expected);
  });

  it.each([
    ["SessionStart", "startup"],
    ["SessionStart.resume", "resume"],
    ["SessionStart.fork", "resume"],
    ["SessionStart.clear", "clear"],
    ["SessionStart.compact", "compact"],
  ])("%s has source %s", (name, source) => {
    expect(nativeOf(name).events).toMatchObject([{ name: "session_start", source }]);
  });

  it("a stop that hooks already continued says so", () => {
    expect(nativeOf("Stop").events).toMatchObject([{ continuations: 0, lastAssistantMessage: "ALL DONE" }]);
    expect(nativeOf("Stop.active").events).toMatchObject([{ continuations: 1 }]);
  });

  it("a failed tool is post_tool_use with failed, and its error is the response", () => {
    expect(nativeOf("PostToolUseFailure").events).toMatchObject([
      { name: "post_tool_use", failed: true, response: "Exit code 3", durationMs: 13 },
    ]);
  });

  it("a delegating call is a tool call and a delegation", () => {
    expect(nativeOf("PreToolUse.Agent").events).toMatchObject([
      { id: "event-1", name: "pre_tool_use", tool: { kind: "delegate" } },
      { id: "event-1-2", name: "pre_delegation", targetAgentId: "general-purpose", objective: "SUBTASK please" },
    ]);
    const unnamed = nativeOf("PreToolUse.Agent", { tool_name: "Task", tool_input: { description: "look" } });
    expect(unnamed.events[1]).toMatchObject({ targetAgentId: "general-purpose", objective: "look" });
  });

  it("a failed delegation is a failed tool call and a delegation_failure", () => {
    expect(nativeOf("PostToolUseFailure.Agent").events).toMatchObject([
      { name: "post_tool_use", failed: true },
      { name: "delegation_failure", targetAgentId: "no-such-agent", status: "failed", delegationId: "toolu_lab000001" },
    ]);
  });

  it("the end of a compaction's summariser is no delegation, and not unknown either", () => {
    const native = nativeOf("SubagentStop.compaction");
    expect(native.events).toEqual([]);
    expect(native.unknownEvent).toBeUndefined();
    expect(nativeOf("SubagentStop").events).toMatchObject([{ name: "post_delegation", summary: "SUB RESULT" }]);
  });

  it("a tool call without its tool or its input is not believed", () => {
    for (const changes of [{ tool_name: null }, { tool_name: "" }, { tool_input: null }, { tool_input: "rm" }]) {
      for (const name of ["PreToolUse", "PermissionRequest", "PostToolUse"]) {
        expect(() => nativeOf(name, changes)).toThrow(/tool_(name|input)/);
      }
    }
  });
});

describe("several decisions on one call", () => {
  const agent = nativeOf("PreToolUse.Agent");
  const specificOf = (...wishes: readonly Wish[]) => JSON.parse(stdoutOf(agent, ...wishes)).hookSpecificOutput;

  it("a blocked delegation denies the call, whatever the call itself was granted", () => {
    expect(specificOf({ kind: "allow" }, { kind: "block", reason: "too deep" })).toEqual({
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: "Blocked by holdfast: too deep",
    });
  });

  it("a block leads with its own reasons and leaves the weaker ones out", () => {
    const { permissionDecisionReason } = specificOf(
      { kind: "ask", reason: "weak" },
      { kind: "block", reason: "strong" },
    );
    expect(permissionDecisionReason).toBe("Blocked by holdfast: strong");
  });

  it("a rewritten delegation is folded into the tool's input", () => {
    const rewrite = {
      target_agent_id: "Explore",
      objective: "Look only",
      context: "It is old",
      expected_output: "A list",
    };
    expect(specificOf({}, { rewrite }).updatedInput).toEqual({
      description: "do sub",
      prompt: "Look only\n\nContext:\nIt is old\n\nExpected output:\nA list",
      subagent_type: "Explore",
    });
  });

  it("a delegation's context is for the sub-agent, the call's is for the model", () => {
    const specific = specificOf({ context: ["for the model"] }, { context: ["for the sub-agent"] });
    expect(specific.additionalContext).toContain("for the model");
    expect(specific.additionalContext).not.toContain("for the sub-agent");
    expect(specific.updatedInput.prompt).toMatch(/^SUBTASK please\n\n<holdfast-context/);
  });

  it("a rewrite of the call and context of the delegation are both in what runs", () => {
    const call = { rewrite: { description: "do sub", prompt: "OTHER", subagent_type: "Plan" } };
    const { prompt, subagent_type } = specificOf(call, { context: ["careful"] }).updatedInput;
    expect([prompt.startsWith("OTHER\n\n<holdfast-context"), subagent_type]).toEqual([true, "Plan"]);
  });

  it("the delegation is judged as the call was rewritten, and the call as the delegation was (law 2)", () => {
    const [call, delegation] = agent.events;
    if (!call || !delegation) throw new Error("no events");
    const rewrite = { description: "do sub", prompt: "OTHER", subagent_type: "Plan" };
    const first = { event: call, decision: decisionOf(call, { rewrite }, claudeCode) };
    const asked = codec.current(agent, [first])[1];
    expect(asked).toMatchObject({ name: "pre_delegation", targetAgentId: "Plan", objective: "OTHER" });
    if (!asked) throw new Error("no delegation");
    const second = { event: asked, decision: decisionOf(asked, { rewrite: { objective: "THIRD" } }, claudeCode) };
    const [final, settled] = codec.current(agent, [first, second]);
    expect(final).toMatchObject({ tool: { input: { prompt: "THIRD", subagent_type: "Plan" } } });
    expect(settled).toEqual(second.decision.final);
  });

  it("a call that is judged again after the fold is not folded twice", () => {
    const [call, delegation] = agent.events;
    if (!call || !delegation) throw new Error("no events");
    const second = { event: delegation, decision: decisionOf(delegation, { context: ["careful"] }, claudeCode) };
    const folded = codec.current(agent, [{ event: call, decision: decisionOf(call, {}, claudeCode) }, second])[0];
    if (!folded) throw new Error("no call");
    const again = { event: folded, decision: decisionOf(folded, {}, claudeCode) };
    const { prompt } = JSON.parse(codec.render(agent, [again, second]).stdout).hookSpecificOutput.updatedInput;
    expect(prompt.match(/<holdfast-context/g)).toHaveLength(1);
  });

  it("a blocked call carries no input to run", () => {
    const blocked = { kind: "block", reason: "no", rewrite: { description: "d", prompt: "p" } } as const;
    expect(specificOf(blocked, { context: ["careful"] }).updatedInput).toBeUndefined();
    expect(specificOf(blocked, { context: ["careful"] }).additionalContext).toContain("careful");
  });

  it("a rewrite to what was sent anyway is no rewrite", () => {
    expect(
      stdoutOf(nativeOf("PreToolUse"), {
        rewrite: { description: "write file", command: "echo hi > out.txt; cat out.txt" },
      }),
    ).toBe("");
  });
});

describe("replacing a tool's output", () => {
  const outputOf = (native: Native, rewrite: Json) => {
    const answer = answerTo(native, { rewrite });
    return { ...JSON.parse(answer.stdout), undelivered: answer.undelivered };
  };

  it("a text for Bash goes to stdout, and nothing of the old output is left", () => {
    const response = { stdout: "key", stderr: "key", interrupted: false, isImage: false };
    const native = nativeOf("PostToolUse", { tool_response: response });
    expect(outputOf(native, "***").hookSpecificOutput.updatedToolOutput).toEqual({
      ...response,
      stdout: "***",
      stderr: "",
    });
  });

  it("fields in the tool's own shape replace those fields, deep down, and keep the others", () => {
    const { file, ...rest } = nativeOf("PostToolUse.Read").payload.tool_response as { file: JsonObject };
    const { updatedToolOutput } = outputOf(nativeOf("PostToolUse.Read"), {
      file: { content: "***" },
    }).hookSpecificOutput;
    expect(updatedToolOutput).toEqual({ ...rest, file: { ...file, content: "***" } });
  });

  it("an MCP tool's output is a content list, whatever it was before", () => {
    for (const name of ["PostToolUse.mcp", "PostToolUse.mcp-structured"]) {
      expect(outputOf(nativeOf(name), "***").hookSpecificOutput.updatedToolOutput).toEqual([
        { type: "text", text: "***" },
      ]);
    }
  });

  it("what would not fit the tool's schema is never sent as if it did", () => {
    for (const rewrite of [{ text: "***" }, { stdout: null }, { stdout: ["***"] }, ["***"], 7]) {
      const { updatedToolOutput } = outputOf(nativeOf("PostToolUse"), rewrite).hookSpecificOutput;
      expect(updatedToolOutput).toMatchObject({ stdout: JSON.stringify(rewrite), stderr: "" });
    }
    const unknown = outputOf(nativeOf("PostToolUse.Write"), "***");
    expect(unknown).toMatchObject({ decision: "block", reason: expect.stringContaining("***") });
    expect(unknown.hookSpecificOutput).toBeUndefined();
    expect(unknown.undelivered).toEqual([expect.stringContaining("stayed visible")]);
  });

  it("a failed tool's output can only be added to, whatever the tool", () => {
    const mcp = nativeOf("PostToolUseFailure", { tool_name: "mcp__lab__ask", tool_input: {} });
    expect(JSON.parse(stdoutOf(mcp, { kind: "block", reason: "a key" }))).toEqual({
      decision: "block",
      reason: "Blocked by holdfast: a key",
    });

    const answer = answerTo(nativeOf("PostToolUseFailure"), { kind: "block", reason: "a key", context: ["mind"] });
    expect(JSON.parse(answer.stdout)).toEqual({
      decision: "block",
      reason: "Blocked by holdfast: a key",
      hookSpecificOutput: { hookEventName: "PostToolUseFailure", additionalContext: expect.stringContaining("mind") },
    });
    expect(answer.undelivered).toEqual([expect.stringContaining("stayed visible")]);
  });
});

describe("what Claude Code must not be told", () => {
  it("context at the end of a turn or of a sub-agent is not sent, because it would go on", () => {
    for (const name of ["Stop", "SubagentStop"]) {
      const answer = answerTo(nativeOf(name), { context: ["mind the gap"] });
      expect([answer.stdout, answer.undelivered?.length]).toEqual(["", 1]);
    }
  });

  it("context beside a blocked prompt or a blocked compaction is reported as not sent", () => {
    for (const name of ["UserPromptSubmit", "PreCompact"]) {
      const { undelivered } = answerTo(nativeOf(name), { kind: "block", context: ["mind"] });
      expect(undelivered).toEqual([expect.stringContaining("not sent")]);
    }
  });

  it("an event that nobody hooks is passed without a byte", () => {
    const native = nativeOf("MessageDisplay");
    expect(codec.render(native, outcomesOf(native, {}, claudeCode))).toEqual({ stdout: "", stderr: "", exitCode: 0 });
  });
});
