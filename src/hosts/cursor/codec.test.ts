import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { BLOCK_PREFIX, CONTINUE_PREFIX } from "../answer-text.ts";
import { decisionOf, describeHost, momentOf, type Seen, type Wish } from "../conformance.fixture.ts";
import type { HostAnswer, Native } from "../host.ts";
import { cursor } from "./host.ts";

const { codec } = cursor;

describeHost({
  host: cursor,
  fixtures: [join(import.meta.dirname, "fixtures", "documented")],
  reads,
  // Every tool of the event that is first among the fixtures is of an MCP server.
  withTool: (payload, tool_name) => ({ ...payload, hook_event_name: "preToolUse", tool_name, tool_input: {} }),
});

/** Cursor's documentation: exit 0 and JSON, exit 2 a denial; a permission hook without a usable object blocks. */
function reads({ event }: Native, { stdout, stderr, exitCode }: HostAnswer): Seen {
  const permissions = ["preToolUse", "beforeMCPExecution", "beforeShellExecution", "beforeReadFile"];
  const guards = [...permissions, "beforeSubmitPrompt"].includes(event);
  if (exitCode === 2) return guards ? { blocked: stderr } : {};
  if (exitCode !== 0) return {};
  const said = JSON.parse(stdout);
  const text = said.user_message ?? "";
  switch (event) {
    case "preToolUse":
    case "beforeMCPExecution":
    case "beforeShellExecution":
    case "beforeReadFile":
      if (said.permission === "deny") return { blocked: text };
      return said.updated_input && event === "preToolUse" ? rewritten(said.updated_input) : {};
    case "beforeSubmitPrompt":
      return said.continue === false ? { blocked: text } : {};
    case "postToolUse": {
      const output = said.updated_mcp_tool_output?.content?.[0]?.text;
      const hidden = typeof output === "string" && output.startsWith(BLOCK_PREFIX);
      return {
        ...(said.additional_context ? { context: said.additional_context } : {}),
        ...(output === undefined ? {} : hidden ? { blocked: output } : { rewrite: output }),
      };
    }
    case "sessionStart":
      return said.additional_context ? { context: said.additional_context } : {};
    case "stop":
      return said.followup_message ? { continued: said.followup_message } : {};
    default:
      return {};
  }
}

/** What a sub-agent is told stands in its prompt. */
const rewritten = (input: JsonObject): Seen => ({
  rewrite: input,
  ...(typeof input.prompt === "string" && input.prompt.includes("the context 4712") ? { context: input.prompt } : {}),
});

const MOMENT = momentOf({ env: { CURSOR_PROJECT_DIR: "/started" } });
const call = (changes: JsonObject = {}): JsonObject => ({
  hook_event_name: "preToolUse",
  conversation_id: "c",
  cursor_version: "3.20.21",
  workspace_roots: ["/project"],
  cwd: "/project/sub",
  tool_name: "Shell",
  tool_input: { command: "npm test", timeout: 30000 },
  ...changes,
});
const mcp = (changes: JsonObject = {}): JsonObject =>
  call({
    hook_event_name: "beforeMCPExecution",
    tool_name: "update",
    tool_input: `{"id":1}`,
    mcp_server_name: "crm",
    ...changes,
  });

function answerTo(payload: JsonObject, wish: Wish): JsonObject & { undelivered?: readonly string[] } {
  const native = codec.parse(payload, MOMENT);
  const outcomes = native.events.map((event) => ({ event, decision: decisionOf(event, wish, cursor) }));
  const { stdout, stderr, exitCode, undelivered } = codec.render(native, outcomes);
  expect([stderr, exitCode]).toEqual(["", 0]);
  return { ...JSON.parse(stdout), ...(undelivered ? { undelivered } : {}) };
}

const eventOf = (payload: JsonObject) => codec.parse(payload, MOMENT).events[0];

describe("what Cursor sends", () => {
  it("a command's directory is the call's, then the payload's, then the workspace, then where the session began", () => {
    expect(eventOf(call())?.cwd).toBe("/project/sub");
    expect(eventOf(call({ cwd: "" }))?.cwd).toBe("/project");
    expect(eventOf(call({ cwd: "", workspace_roots: [] }))?.cwd).toBe("/started");
    const { cwd: _left_out, ...bare } = call({ workspace_roots: null });
    expect(codec.parse(bare, momentOf({ env: {} })).events[0]?.cwd).toBe("/elsewhere");
    expect(eventOf(call({ tool_input: { command: "ls", working_directory: "/other" } }))?.cwd).toBe("/other");
    expect(eventOf(call({ tool_input: { command: "ls", cwd: "packages/a" } }))?.cwd).toBe("/project/sub/packages/a");
  });

  it("the session is its id, else the conversation's", () => {
    expect(eventOf(call({ session_id: "s" }))?.session).toBe("s");
    expect(eventOf(call())?.session).toBe("c");
  });

  it.each([
    ["crm", "crm"],
    ["project-0-project-crm", "crm"],
    ["project-1-project-my-crm", "my-crm"],
    ["project-0-elsewhere-crm", "project-0-elsewhere-crm"],
    ["plugin-slack-slack", "plugin-slack-slack"],
    [undefined, ""],
  ])("the MCP server %s is %s, as rules name it", (mcp_server_name, server) => {
    const payload = mcp(mcp_server_name === undefined ? { mcp_server_name: null } : { mcp_server_name });
    expect(eventOf(payload)).toMatchObject({ tool: { kind: "mcp", server, method: "update", input: { id: 1 } } });
  });

  it("an MCP tool's input may be a text, an object or nothing, and what is none of them is refused", () => {
    for (const tool_input of ["", { id: 1 }, `{"id":1}`]) expect(() => eventOf(mcp({ tool_input }))).not.toThrow();
    for (const tool_input of ["{", "[]", 7, null]) expect(() => eventOf(mcp({ tool_input }))).toThrow(/tool_input/);
  });

  it("a denied call is no call that ran: it leaves no event", () => {
    const failure = call({ hook_event_name: "postToolUseFailure", error_message: "no", failure_type: "error" });
    expect(eventOf(failure)).toMatchObject({ name: "post_tool_use", failed: true, response: "no" });
    expect(eventOf({ ...failure, failure_type: "permission_denied" })).toBeUndefined();
  });

  it("an output in a text is read, and an exit code in it counts", () => {
    const post = (tool_output: string) => eventOf(call({ hook_event_name: "postToolUse", tool_output, duration: 7.6 }));
    expect(post(`{"output":"x","exitCode":3}`)).toMatchObject({ failed: true, durationMs: 8 });
    expect(post("plain")).toMatchObject({ failed: false, response: "plain" });
  });

  it("only a turn that ended by itself is a stop, and its loop count is how often it was continued", () => {
    const stop = (changes: JsonObject) => eventOf({ hook_event_name: "stop", conversation_id: "c", ...changes });
    expect(stop({ status: "completed", loop_count: 3 })).toMatchObject({ name: "stop", continuations: 3 });
    for (const status of ["aborted", "error"]) expect(stop({ status, loop_count: 0 })).toBeUndefined();
  });

  it("through Claude Code's settings an event may have that program's name, and fails as closed", () => {
    expect(codec.parse(call({ hook_event_name: "PreToolUse" }), MOMENT)).toMatchObject({
      event: "preToolUse",
      events: [{ name: "pre_tool_use", tool: { kind: "shell" } }],
    });
    const { cursor_version: _left_out, ...others } = call({ hook_event_name: "PreToolUse" });
    expect(codec.parse(others, MOMENT).unknownEvent).toBe("PreToolUse");
    expect(codec.fail("PreToolUse", "broken").exitCode).toBe(2);
    expect(codec.fail("UserPromptSubmit", "broken").exitCode).toBe(2);
    expect(codec.fail("Stop", "broken").exitCode).toBe(1);
  });

  it("a payload is Cursor's if it says its version, whatever the environment says", () => {
    expect(cursor.owns(call())).toBe(true);
    expect(cursor.owns({ hook_event_name: "PreToolUse", session_id: "s" })).toBe(false);
  });
});

describe("what Cursor is told", () => {
  it("nothing is an empty object, because no output is a failure that closes", () => {
    for (const wish of [{}, { kind: "allow" }] as const) expect(answerTo(call(), wish)).toEqual({});
  });

  it("a block is a denial for the person and for the agent, with context below", () => {
    const text = `${BLOCK_PREFIX} no`;
    expect(answerTo(call(), { kind: "block", reason: "no" })).toEqual({
      permission: "deny",
      user_message: text,
      agent_message: text,
    });
    expect(answerTo(call(), { kind: "block", context: ["mind"] }).user_message).toContain("mind");
  });

  it("an ask is a denial that says what to do, on every tool", () => {
    for (const payload of [call(), mcp()]) {
      const { permission, user_message } = answerTo(payload, { kind: "ask", reason: "this pushes" });
      expect(permission).toBe("deny");
      expect(user_message).toMatch(/^Blocked by holdfast: this pushes\nThis needs a person's yes/);
    }
  });

  it("a rewrite is the whole input without a permission, which would answer for the person", () => {
    expect(answerTo(call(), { rewrite: { command: "npm ci", timeout: 30000 } })).toEqual({
      updated_input: { command: "npm ci", timeout: 30000 },
    });
  });

  it("a rewrite of an MCP call is a denial with the input to use, and is reported", () => {
    const { permission, user_message, undelivered } = answerTo(mcp(), { rewrite: { id: 2 } });
    expect(permission).toBe("deny");
    expect(user_message).toBe(
      `${BLOCK_PREFIX} this call must be made differently, and Cursor cannot change the call of an MCP tool\nCall MCP:crm/update with exactly this input instead:\n{"id":2}`,
    );
    expect(undelivered).toHaveLength(1);
    expect(answerTo(mcp(), { rewrite: { id: 1 } })).toEqual({});
  });

  it("a prompt is stopped with a text for the person", () => {
    const prompt = { hook_event_name: "beforeSubmitPrompt", conversation_id: "c", prompt: "a key" };
    expect(answerTo(prompt, { kind: "block", reason: "a key" })).toEqual({
      continue: false,
      user_message: `${BLOCK_PREFIX} a key`,
    });
  });

  it("an MCP tool's output is replaced; beside another's the model is told, and that is reported", () => {
    const post = (changes: JsonObject) =>
      call({ hook_event_name: "postToolUse", tool_output: `{"a":1}`, tool_input: {}, ...changes });
    expect(answerTo(post({ tool_name: "MCP:query" }), { rewrite: "x" })).toEqual({
      updated_mcp_tool_output: { content: [{ type: "text", text: "x" }] },
    });
    const result = { content: [{ type: "text", text: "y" }], isError: false };
    expect(answerTo(post({ tool_name: "MCP:query" }), { rewrite: result })).toEqual({
      updated_mcp_tool_output: result,
    });
    const { additional_context, undelivered } = answerTo(post({}), { kind: "block", reason: "a secret" });
    expect(additional_context).toBe(`${BLOCK_PREFIX} a secret`);
    expect(undelivered).toHaveLength(1);
  });

  it("a turn goes on by a message that hooks can tell from a person's", () => {
    const stop = { hook_event_name: "stop", conversation_id: "c", status: "completed", loop_count: 0 };
    const { followup_message } = answerTo(stop, { kind: "continue", reason: "run the tests" });
    expect(followup_message).toBe(`${CONTINUE_PREFIX} run the tests`);
  });
});
