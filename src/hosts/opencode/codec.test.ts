import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { decisionOf, describeHost, momentOf, type Seen, type Wish } from "../conformance.fixture.ts";
import type { HostAnswer, Native } from "../host.ts";
import { opencode } from "./host.ts";

const { codec } = opencode;

describeHost({ host: opencode, fixtures: [join(import.meta.dirname, "fixtures", "1.18.18")], reads });

const AWAITED = ["chat.message", "tool.execute.before", "experimental.session.compacting"];

/** What plugin.ts does with an answer, told a second time. */
function reads({ event }: Native, { stdout, stderr, exitCode }: HostAnswer): Seen {
  if (exitCode === 2) return AWAITED.includes(event) ? { blocked: stderr } : {};
  if (exitCode !== 0 || stdout === "") return {};
  const { args, output, context, permission, message, prompt } = JSON.parse(stdout);
  const hidden = typeof output === "string" && output.startsWith("Blocked by holdfast:");
  return {
    ...(event === "tool.execute.before" && args ? { rewrite: args, ...inPrompt(args) } : {}),
    ...(event === "tool.execute.after" && output ? (hidden ? { blocked: output } : { rewrite: output }) : {}),
    ...(event === "permission.asked" && permission === "reject" ? { blocked: message } : {}),
    ...(event === "permission.asked" && permission === "once" ? { allowed: "the reason 4711" } : {}),
    ...(event === "step-finish" && prompt ? { continued: prompt } : {}),
    ...(context && !["permission.asked", "step-finish", "dispose"].includes(event) ? { context } : {}),
  };
}

/** A delegation's context stands in the sub-agent's prompt. */
const inPrompt = ({ prompt }: { prompt?: string }): Seen =>
  prompt?.includes("the context 4712") ? { context: prompt } : {};

const MOMENT = momentOf({});
const call = (changes: JsonObject = {}): JsonObject => ({
  hook_event_name: "tool.execute.before",
  cwd: "/project",
  session_id: "ses_1",
  tool_name: "bash",
  tool_input: { command: "npm test" },
  tool_use_id: "call_1",
  ...changes,
});

function answerTo(payload: JsonObject, wish: Wish): HostAnswer {
  const native = codec.parse(payload, MOMENT);
  return codec.render(
    native,
    native.events.map((event) => ({ event, decision: decisionOf(event, wish, opencode) })),
  );
}

describe("what OpenCode sends", () => {
  it("a command that names its directory is judged there", () => {
    const cwdOf = (fields: JsonObject) => codec.parse(call(fields), MOMENT).events[0]?.cwd;
    expect([cwdOf({ workdir: "/" }), cwdOf({})]).toEqual(["/", "/project"]);
  });

  it("a sub-agent's call belongs to the session it works for, and names the sub-agent", () => {
    const [event] = codec.parse(call({ agent_id: "ses_2", parent_agent_id: "ses_3" }), MOMENT).events;
    expect(event).toMatchObject({ session: "ses_1", agent: "ses_2", parentAgent: "ses_3" });
  });

  it.each([
    [0, false],
    [3, true],
    [null, false],
  ])("a command that ended with %j has failed = %j", (exit_code, failed) => {
    const after = call({ hook_event_name: "tool.execute.after", tool_response: "x", exit_code });
    expect(codec.parse(after, MOMENT).events).toMatchObject([{ name: "post_tool_use", failed, response: "x" }]);
  });
});

describe("what the plugin is told", () => {
  it("a block is a text to throw, with the context below it", () => {
    const { exitCode, stderr, stdout } = answerTo(call(), { kind: "block", reason: "no", context: ["mind the gap"] });
    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^Blocked by holdfast: no\n\n.*mind the gap/s);
  });

  it("a rewrite is the whole input, beside context", () => {
    const { stdout } = answerTo(call(), { rewrite: { command: "npm ci" }, context: ["mind the gap"] });
    expect(JSON.parse(stdout)).toEqual({ args: { command: "npm ci" }, context: expect.stringContaining("mind") });
  });

  it("hidden output and context go together", () => {
    const after = call({ hook_event_name: "tool.execute.after", tool_response: "a key" });
    const { stdout } = answerTo(after, { kind: "block", reason: "secret", context: ["ask for it"] });
    expect(JSON.parse(stdout)).toEqual({
      output: "Blocked by holdfast: secret",
      context: expect.stringContaining("ask for it"),
    });
  });
});
