import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { decisionOf, describeHost, momentOf, type Seen, type Wish } from "../conformance.fixture.ts";
import type { HostAnswer, Native } from "../host.ts";
import { kiro } from "./host.ts";

const folder = (version: string) => join(import.meta.dirname, "fixtures", version);
const { codec } = kiro;

describeHost({ host: kiro, fixtures: [folder("documented-2.x"), folder("documented-3.x")], reads });

/** Kiro's documentation: exit 2 blocks with what stderr says, stdout is context on two events, all else is a warning. */
function reads({ event }: Native, { stdout, stderr, exitCode }: HostAnswer): Seen {
  if (exitCode === 2)
    return ["preToolUse", "PreToolUse", "UserPromptSubmit"].includes(event) ? { blocked: stderr } : {};
  if (exitCode !== 0 || stdout === "") return {};
  const listens = ["agentSpawn", "SessionStart", "userPromptSubmit", "UserPromptSubmit"].includes(event);
  return listens ? { context: stdout } : {};
}

const MOMENT = momentOf({ env: { KIRO_SESSION_ID: "from the environment" } });
const call = (changes: JsonObject = {}): JsonObject => ({
  hook_event_name: "preToolUse",
  cwd: "/project",
  tool_name: "shell",
  tool_input: { command: "npm test" },
  ...changes,
});

function answerTo(payload: JsonObject, wish: Wish): HostAnswer {
  const native = codec.parse(payload, MOMENT);
  return codec.render(
    native,
    native.events.map((event) => ({ event, decision: decisionOf(event, wish, kiro) })),
  );
}

describe("what Kiro sends", () => {
  it.each(["preToolUse", "PreToolUse", "pretooluse", "PRETOOLUSE"])("K-2: %s is pre_tool_use", (hook_event_name) => {
    expect(codec.parse(call({ hook_event_name }), MOMENT).events).toMatchObject([{ name: "pre_tool_use" }]);
    expect(codec.fail(hook_event_name, "broken").exitCode).toBe(2);
  });

  it("K-2: an unknown event is exit 0 and silent", () => {
    const native = codec.parse({ hook_event_name: "somethingNew" }, MOMENT);
    expect(codec.render(native, [])).toEqual({ stdout: "", stderr: "", exitCode: 0 });
  });

  it("K-4: extra keys are ignored, and a missing tool, input, response or directory never crashes", () => {
    for (const hook_event_name of ["preToolUse", "postToolUse", "PreToolUse", "PostToolUse"]) {
      for (const missing of ["tool_name", "tool_input", "tool_response", "cwd"]) {
        const { [missing]: _left_out, ...payload } = call({ hook_event_name, tool_response: {}, extra: [1] });
        expect(() => codec.parse(payload, MOMENT)).not.toThrow();
        expect(() => codec.parse({ ...payload, [missing]: 7 }, MOMENT)).not.toThrow();
      }
    }
    expect(codec.parse({ hook_event_name: "preToolUse" }, MOMENT)).toMatchObject({
      events: [{ cwd: "/elsewhere", tool: { name: "", kind: "other", input: {}, paths: [] } }],
      unknownTool: "(none named)",
    });
  });

  it("K-27, K-32: what ran without a tool's name is no event, and without a directory has none", () => {
    const post = { hook_event_name: "postToolUse", tool_response: {} };
    expect(codec.parse({ ...post, cwd: "/project" }, MOMENT).events).toEqual([]);
    expect(codec.parse({ ...post, tool_name: "shell" }, MOMENT).events).toMatchObject([{ cwd: "" }]);
  });

  it.each([
    [undefined, false],
    [{}, false],
    [{ success: true }, false],
    [{ success: "no" }, false],
    [{ success: false }, true],
    ["Output:\nok\n\nExit Code: 0", false],
    ["Output:\nbad\n\nExit Code: 12", true],
    ["Created the a.txt file.", false],
  ])("K-28: the response %j means failed = %j", (response, failed) => {
    const payload = call({
      hook_event_name: "postToolUse",
      ...(response === undefined ? {} : { tool_response: response }),
    });
    expect(codec.parse(payload, MOMENT).events).toMatchObject([{ failed }]);
  });

  it("the session is in the payload, else in the environment", () => {
    expect(codec.parse(call({ session_id: "sess_1" }), MOMENT).events[0]?.session).toBe("sess_1");
    expect(codec.parse(call(), MOMENT).events[0]?.session).toBe("from the environment");
    expect(codec.parse(call(), momentOf({ env: {} })).events[0]?.session).toBe("");
  });
});

describe("what Kiro is told", () => {
  it("K-5: allow is exit 0 and not a byte", () => {
    for (const wish of [{}, { kind: "allow" }] as const) {
      expect(answerTo(call(), wish)).toEqual({ stdout: "", stderr: "", exitCode: 0 });
    }
  });

  it("K-5: block is exit 2 and one message on stderr that starts with the product", () => {
    expect(answerTo(call(), { kind: "block", reason: "rm -rf / deletes everything." })).toEqual({
      stdout: "",
      stderr: "Blocked by holdfast: rm -rf / deletes everything.",
      exitCode: 2,
    });
  });

  it("ask becomes a block that says what to do", () => {
    const { stderr, exitCode } = answerTo(call(), { kind: "ask", reason: "this pushes" });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^Blocked by holdfast: this pushes\nThis needs a person's yes/);
  });

  it("a rewrite becomes a block that says exactly what to run instead", () => {
    const { stderr, exitCode } = answerTo(call(), { rewrite: { command: "npm test -- --bail" } });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^Blocked by holdfast: this call must be made differently/);
    expect(stderr.endsWith("\nRun exactly this instead:\nnpm test -- --bail")).toBe(true);
  });

  it("a rewrite of another tool names the tool and its whole input", () => {
    const write = call({ tool_name: "write", tool_input: { command: "create", path: "a", file_text: "x" } });
    const { stderr } = answerTo(write, { rewrite: { command: "create", path: "b", file_text: "x" } });
    expect(stderr).toContain(
      `Call write with exactly this input instead:\n{"command":"create","path":"b","file_text":"x"}`,
    );
  });

  it("the model may then run exactly that: a hook that rewrites it to itself does not block it again", () => {
    expect(answerTo(call(), { rewrite: { command: "npm test" } })).toEqual({ stdout: "", stderr: "", exitCode: 0 });
  });

  it("a rewrite that is asked about keeps the reason and the command", () => {
    const { stderr } = answerTo(call(), { kind: "ask", reason: "sure?", rewrite: { command: "npm ci" } });
    expect(stderr).toMatch(
      /^Blocked by holdfast: sure\?\nThis needs a person's yes[^\n]*\nRun exactly this instead:\nnpm ci$/,
    );
  });

  it("a call that is blocked outright comes with no advice on how to call it", () => {
    const { stderr } = answerTo(call(), { kind: "block", reason: "no", rewrite: { command: "npm ci" } });
    expect(stderr).toBe("Blocked by holdfast: no");
  });

  it("context reaches the model with a block, and is reported without one", () => {
    expect(answerTo(call(), { kind: "block", context: ["mind the gap"] }).stderr).toContain("mind the gap");
    const alone = answerTo(call(), { context: ["mind the gap"] });
    expect(alone).toMatchObject({ stdout: "", exitCode: 0, undelivered: [expect.stringContaining("not sent")] });
  });

  it("a blocked prompt is stopped where Kiro can, and else the model is told not to act on it", () => {
    const prompt = (hook_event_name: string) => ({ hook_event_name, cwd: "/project", prompt: "a key" });
    expect(answerTo(prompt("UserPromptSubmit"), { kind: "block" }).exitCode).toBe(2);
    expect(answerTo(prompt("userPromptSubmit"), { kind: "block", reason: "a key is in it" })).toMatchObject({
      stdout: expect.stringMatching(/^Blocked by holdfast: a key is in it\nDo not act on the prompt/),
      exitCode: 0,
      undelivered: [expect.stringContaining("does not stop a prompt")],
    });
  });
});
