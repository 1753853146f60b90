import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { claudeCode } from "../claude-code/host.ts";
import {
  decisionOf,
  describeHost,
  momentOf,
  outcomesOf,
  readFixtures,
  type Seen,
  type Wish,
} from "../conformance.fixture.ts";
import type { Host, HostAnswer, Native } from "../host.ts";
import { copilot } from "./host.ts";

const CAMEL_CASE = join(import.meta.dirname, "fixtures", copilot.provenVersion);
const PASCAL_CASE = join(CAMEL_CASE, "pascal-case");
const { codec } = copilot;

describeHost({
  host: copilot,
  fixtures: [CAMEL_CASE, PASCAL_CASE],
  reads,
  withTool: (payload, name) => ({ ...payload, ["toolName" in payload ? "toolName" : "tool_name"]: name }),
  namesEvent: false,
});

/** The table of hosts.md, Part 2, section 4, read from the host's side. */
function reads(native: Native, { stdout, exitCode }: HostAnswer): Seen {
  const { event, payload } = native;
  if (exitCode !== 0) {
    const closes = ["preToolUse", "PreToolUse", "permissionRequest", "PermissionRequest"].includes(event);
    return closes ? { blocked: "hook errored" } : {};
  }
  if (stdout === "") return {};
  const json = JSON.parse(stdout) as JsonObject;
  const told = typeof json.additionalContext === "string" ? { context: json.additionalContext } : {};
  switch (event) {
    case "sessionStart":
    case "SessionStart":
    case "subagentStart":
    case "SubagentStart":
    case "postToolUseFailure":
    case "PostToolUseFailure":
      return told;
    case "userPromptSubmitted":
    case "UserPromptSubmit":
      return json.decision === "block" ? { blocked: json.reason as string } : told;
    case "preToolUse":
      return ruled(payload.toolArgs ?? null, json.modifiedArgs, json);
    case "PreToolUse": {
      const nested = json.hookSpecificOutput as JsonObject;
      expect([Object.keys(json), nested.hookEventName]).toEqual([["hookSpecificOutput"], "PreToolUse"]);
      return ruled(payload.tool_input ?? null, nested.updatedInput, nested);
    }
    case "permissionRequest":
    case "PermissionRequest":
      return json.behavior === "deny" ? { blocked: json.message as string } : { allowed: "the reason 4711" };
    case "postToolUse":
    case "PostToolUse": {
      if (json.decision === "block") return { blocked: json.reason as string };
      const { textResultForLlm: text, resultType } = (json.modifiedResult ?? {}) as JsonObject;
      if (json.modifiedResult) expect([typeof text, resultType]).toEqual(["string", "success"]);
      return { ...told, ...(text === undefined ? {} : { rewrite: text }) };
    }
    case "agentStop":
    case "Stop":
      return json.decision === "block" ? { continued: json.reason as string } : {};
    default:
      throw new Error(`${event} was told ${stdout}`);
  }
}

/** Arguments are taken as they come, in place of all there were: a text for a text, an object for an object. */
function ruled(given: Json, args: Json | undefined, answer: JsonObject): Seen {
  if (args !== undefined) expect(typeof args).toBe(typeof given);
  if (isJsonObject(args) && isJsonObject(given)) {
    expect(Object.keys(args)).toEqual(expect.arrayContaining(Object.keys(given)));
  }
  const { permissionDecision: decision, permissionDecisionReason, additionalContext } = answer;
  const prompt = isJsonObject(args) && typeof args.prompt === "string" ? args.prompt : "";
  const context = prompt.includes("<holdfast-context") ? prompt : (additionalContext as string | undefined);
  const field = decision === "deny" ? "blocked" : decision === "ask" ? "asked" : "allowed";
  return {
    ...(context === undefined ? {} : { context }),
    ...(args === undefined ? {} : { rewrite: args }),
    ...(decision === undefined ? {} : { [field]: permissionDecisionReason as string }),
  };
}

const fixtures = new Map([CAMEL_CASE, PASCAL_CASE].flatMap(readFixtures).map((fixture) => [fixture.name, fixture]));

function nativeOf(name: string, changes: JsonObject = {}): Native {
  const fixture = fixtures.get(name);
  if (!fixture) throw new Error(`no fixture ${name}`);
  return codec.parse({ ...fixture.stdin, ...changes }, momentOf(fixture));
}

function answerTo(native: Native, ...wishes: readonly Wish[]): HostAnswer {
  const outcomes = wishes.map((wish, index) => {
    const event = native.events[index];
    if (!event) throw new Error("too many wishes");
    return { event, decision: decisionOf(event, wish, copilot) };
  });
  return codec.render(native, outcomes);
}

const saidTo = (native: Native, ...wishes: readonly Wish[]) => JSON.parse(answerTo(native, ...wishes).stdout);

describe("what Copilot sends", () => {
  it.each([
    ["postToolUse.bash", false],
    ["postToolUse.bash.exit3", true],
    ["PostToolUse.Bash", false],
    ["postToolUse.view", false],
    ["postToolUseFailure.view", true],
    ["PostToolUseFailure.Read", true],
  ])("%s has failed: %j", (name, failed) => {
    expect(nativeOf(name).events[0]).toMatchObject({ name: "post_tool_use", failed });
  });

  it.each([
    ["<shellId: 12 completed with exit code 127>", true],
    ["<shellId: 0 completed with exit code -1>\n", true],
    ["<shellId: build completed with exit code 1>", true],
    ["<shellId: 0 completed with exit code 0>", false],
    ["<shellId: 0 completed with exit code 3>\n<shellId: 0 completed with exit code 0>", false],
    ["the text <shellId: 0 completed with exit code 3> in a log", false],
    ["", false],
  ])("only the last line of a command's result tells whether it failed: %j", (textResultForLlm, failed) => {
    const changes = { toolResult: { resultType: "success", textResultForLlm } };
    expect(nativeOf("postToolUse.bash", changes).events[0]).toMatchObject({ failed });
    expect(nativeOf("postToolUse.view", changes).events[0]).toMatchObject({ failed: false });
  });

  it.each([
    "preToolUse.bash.in-subagent",
    "postToolUse.bash.in-subagent",
    "permissionRequest.bash.in-subagent",
    "userPromptSubmitted.in-subagent",
    "agentStop.in-subagent",
    "subagentStart",
    "subagentStop",
    "PreToolUse.in-subagent",
    "PostToolUse.in-subagent",
    "PermissionRequest.in-subagent",
    "UserPromptSubmit.in-subagent",
    "Stop.in-subagent",
    "SubagentStart",
    "SubagentStop",
  ])("%s says which sub-agent acts and who asked it", (name) => {
    const id = expect.stringMatching(/^[0-9a-f-]{36}$/);
    const [event] = nativeOf(name).events;
    expect(event).toMatchObject({ agent: id, parentAgent: id });
    expect(event?.agent).not.toBe(event?.parentAgent);
  });

  it("what the main agent does has no agent", () => {
    for (const name of ["preToolUse.bash", "PreToolUse.Bash", "userPromptSubmitted", "Stop"]) {
      expect(nativeOf(name).events[0]).toMatchObject({ agent: null, parentAgent: null });
    }
  });

  it("a sub-agent's last words are there in both dialects", () => {
    expect(nativeOf("subagentStop").events).toMatchObject([{ name: "post_delegation", summary: "SUB DONE" }]);
    expect(nativeOf("SubagentStop").events).toMatchObject([{ name: "post_delegation", summary: "SUBDONE" }]);
  });

  it("a call that delegates is a delegation in both dialects, and so is its failure", () => {
    for (const name of ["preToolUse.task", "PreToolUse.Agent"]) {
      expect(nativeOf(name).events).toMatchObject([
        { name: "pre_tool_use", tool: { kind: "delegate" } },
        { name: "pre_delegation", targetAgentId: "general-purpose", objective: "SUBPROMPT do it" },
      ]);
    }
    expect(nativeOf("postToolUseFailure.task").events).toMatchObject([
      { name: "post_tool_use", failed: true },
      { name: "delegation_failure", error: expect.stringContaining("Unknown agent_type") },
    ]);
  });

  it.each(["preToolUse.apply_patch", "PreToolUse.apply_patch"])("%s is an edit of the patch's files", (name) => {
    expect(nativeOf(name).events[0]).toMatchObject({
      tool: { kind: "edit", paths: ["added.txt"], content: "hello" },
    });
  });

  it("the permission to write a file names the file and what would stand in it", () => {
    expect(nativeOf("permissionRequest.edit").events[0]).toMatchObject({
      tool: { kind: "edit", paths: ["/project/note.md"], content: expect.stringContaining("+note") },
    });
  });

  it("an event that came through Claude Code's settings is known without the command line", () => {
    for (const { name, event, stdin } of readFixtures(PASCAL_CASE)) {
      expect(codec.parse(stdin, momentOf({})).event, name).toBe(event);
    }
  });

  it("a payload of which nobody says the event is refused", () => {
    const { stdin } = fixtures.get("preToolUse.bash") ?? { stdin: {} };
    expect(() => codec.parse(stdin, momentOf({}))).toThrow("names the event");
  });
});

describe("whose payload it is", () => {
  const { owns }: Host = copilot;
  const below = { COPILOT_CLI: "1", COPILOT_PROJECT_DIR: "/project" };

  it.each([...fixtures.values()])("$name is Copilot's, whatever the environment says", ({ stdin }) => {
    expect(owns?.(stdin, {})).toBe(true);
  });

  const others = [
    join(import.meta.dirname, "../claude-code/fixtures", claudeCode.provenVersion),
    join(import.meta.dirname, "../kiro/fixtures/documented-2.x"),
    join(import.meta.dirname, "../kiro/fixtures/documented-3.x"),
  ].flatMap(readFixtures);

  it.each(others)("$name of another host is not, even below Copilot's own shell", ({ stdin }) => {
    expect(owns?.(stdin, below)).toBe(false);
  });

  it("a time stamp alone does not make it Copilot's: Gemini CLI, Qwen Code and VS Code have one too", () => {
    const common = { cwd: "/project", hook_event_name: "SessionStart", timestamp: "2026-11-15T00:23:53.778Z" };
    const transcript_path = "/home/user/.gemini/tmp/project/chats/session-1.json";
    expect(copilot.owns({ ...common, session_id: "s", transcript_path })).toBe(false);
    expect(copilot.owns({ ...common, session_id: "s", transcript_path: "" })).toBe(false);
    expect(copilot.owns({ cwd: "/p", sessionId: "s", hookEventName: "PreToolUse", timestamp: 1 })).toBe(false);
    expect(copilot.owns({ cwd: "/p", sessionId: "s", timestamp: "2026-11-15T00:23:53.778Z" })).toBe(false);
  });

  it("composed payloads are of Copilot's shape", () => {
    const sample = { on: "pre_tool_use", native: "preToolUse", session: "s", cwd: "/", id: "c" } as const;
    expect(copilot.owns(codec.compose(sample) ?? {})).toBe(true);
    expect(codec.compose({ ...sample, on: "notification" })).toBeUndefined();
  });
});

const LABELLED = `<holdfast-context source="hooks, not the user">\n[teller] mind the gap\n</holdfast-context>`;

describe("what Copilot is told", () => {
  it("a denial is flat in its own dialect, and nested in the other", () => {
    const wish: Wish = { kind: "block", reason: "no" };
    const denied = { permissionDecision: "deny", permissionDecisionReason: "Blocked by holdfast: no" };
    expect(saidTo(nativeOf("preToolUse.bash"), wish)).toEqual(denied);
    expect(saidTo(nativeOf("PreToolUse.Bash"), wish)).toEqual({
      hookSpecificOutput: { hookEventName: "PreToolUse", ...denied },
    });
  });

  it("a rewrite is the whole of the arguments, with context beside it", () => {
    const wish: Wish = { rewrite: { command: "ls" }, context: ["mind the gap"] };
    const whole = { command: "ls", description: "write hi" };
    const rewrite: Wish = { ...wish, rewrite: whole };
    expect(saidTo(nativeOf("preToolUse.bash"), rewrite)).toEqual({
      modifiedArgs: whole,
      additionalContext: LABELLED,
    });
    expect(saidTo(nativeOf("PreToolUse.Bash"), rewrite)).toEqual({
      hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext: LABELLED, updatedInput: whole },
    });
  });

  it("a patch is rewritten as the text it is", () => {
    const input = "*** Begin Patch\n*** Delete File: b\n*** End Patch\n";
    expect(saidTo(nativeOf("preToolUse.apply_patch"), { rewrite: { input } })).toEqual({ modifiedArgs: input });
    expect(saidTo(nativeOf("PreToolUse.apply_patch"), { rewrite: { input } })).toEqual({
      hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: input },
    });
  });

  it("a blocked call is never rewritten too", () => {
    const wish: Wish = { kind: "block", rewrite: { command: "ls", description: "d" } };
    expect(saidTo(nativeOf("preToolUse.bash"), wish)).not.toHaveProperty("modifiedArgs");
  });

  it("allow is said of shell commands, where it counts, and reported elsewhere", () => {
    expect(saidTo(nativeOf("preToolUse.bash"), { kind: "allow" })).toMatchObject({ permissionDecision: "allow" });
    for (const name of ["preToolUse.create", "preToolUse.mcp", "PreToolUse.Write"]) {
      expect(answerTo(nativeOf(name), { kind: "allow" })).toEqual({
        stdout: "",
        stderr: "",
        exitCode: 0,
        undelivered: [expect.stringContaining("shell commands only")],
      });
    }
    expect(saidTo(nativeOf("permissionRequest.edit"), { kind: "allow" })).toEqual({ behavior: "allow" });
  });

  it("what a delegation's hooks say stands in the sub-agent's prompt", () => {
    const native = nativeOf("preToolUse.task");
    const { modifiedArgs, ...rest } = saidTo(native, {}, { context: ["mind the gap"] });
    expect(rest).toEqual({});
    expect(modifiedArgs).toEqual({
      ...(native.payload.toolArgs as JsonObject),
      prompt: `SUBPROMPT do it\n\n${LABELLED}`,
    });
  });

  it("hidden output takes the context along, which Copilot drops beside a block", () => {
    const wish: Wish = { kind: "block", reason: "a key", context: ["mind the gap"] };
    for (const name of ["postToolUse.bash", "PostToolUse.Bash"]) {
      expect(saidTo(nativeOf(name), wish)).toEqual({
        decision: "block",
        reason: `Blocked by holdfast: a key\n\n${LABELLED}`,
      });
    }
  });

  it("a rewritten result is a text", () => {
    const replaced = (textResultForLlm: string) => ({ modifiedResult: { resultType: "success", textResultForLlm } });
    expect(saidTo(nativeOf("postToolUse.bash"), { rewrite: "less" })).toEqual(replaced("less"));
    expect(saidTo(nativeOf("PostToolUse.Bash"), { rewrite: { a: 1 } })).toEqual(replaced(`{"a":1}`));
  });

  it("what cannot replace an error stands beside it, and that is reported", () => {
    const { stdout, undelivered } = answerTo(nativeOf("postToolUseFailure.view"), { kind: "block", reason: "hush" });
    expect(JSON.parse(stdout)).toEqual({ additionalContext: "Blocked by holdfast: hush" });
    expect(undelivered).toEqual([expect.stringContaining("stayed visible")]);
    const rewritten = saidTo(nativeOf("PostToolUseFailure.Read"), { rewrite: "less" });
    expect(rewritten.additionalContext).toMatch(/^Holdfast replaces the output[^\n]*\nless$/);
  });

  it("a turn goes on with a reason and the context; context alone is reported", () => {
    const wish: Wish = { kind: "continue", reason: "run the tests", context: ["mind the gap"] };
    expect(saidTo(nativeOf("agentStop"), wish)).toEqual({
      decision: "block",
      reason: `Continued by holdfast: run the tests\n\n${LABELLED}`,
    });
    expect(answerTo(nativeOf("Stop"), { context: ["mind the gap"] })).toMatchObject({
      stdout: "",
      undelivered: [expect.stringContaining("only with a continue")],
    });
  });

  it("a prompt that is blocked is blocked in words, because exit 2 does not stop it", () => {
    for (const event of ["userPromptSubmitted", "UserPromptSubmit"]) {
      expect(codec.fail(event, "broken")).toEqual({
        stdout: `{"decision":"block","reason":"Blocked by holdfast: broken"}`,
        stderr: "",
        exitCode: 0,
      });
    }
  });

  it("our own failure before a call tells the model why, in the form of its dialect", () => {
    expect(JSON.parse(codec.fail("preToolUse", "broken").stdout)).toEqual({
      permissionDecision: "deny",
      permissionDecisionReason: "Blocked by holdfast: broken",
    });
    expect(JSON.parse(codec.fail("PreToolUse", "broken").stdout)).toHaveProperty(
      "hookSpecificOutput.permissionDecision",
      "deny",
    );
    expect(codec.fail("permissionRequest", "broken").stdout).toBe(
      `{"behavior":"deny","message":"Blocked by holdfast: broken"}`,
    );
  });

  it("events that Copilot has and we do not judge are passed, also when we fail", () => {
    for (const name of ["preMcpToolCall", "errorOccurred", "userPromptTransformed"]) {
      const native = nativeOf(name);
      expect(native).toMatchObject({ events: [] });
      expect(codec.render(native, outcomesOf(native, {}, copilot)).stdout).toBe("");
      expect(codec.fail(name, "broken").exitCode).toBe(1);
    }
  });
});
