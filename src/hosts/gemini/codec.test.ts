import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { decisionOf, describeHost, momentOf, readFixtures, type Seen, type Wish } from "../conformance.fixture.ts";
import type { HostAnswer, Native } from "../host.ts";
import { gemini } from "./host.ts";

const FIXTURES = join(import.meta.dirname, "fixtures", gemini.provenVersion);
const { codec } = gemini;

describeHost({ host: gemini, fixtures: [FIXTURES], reads });

/** As the program does it (hookRunner, hookAggregator, coreToolHookTriggers): JSON first, then text with the exit code. */
function reads({ event, payload }: Native, { stdout, stderr, exitCode }: HostAnswer): Seen {
  const said = outputOf(stdout.trim() || stderr.trim(), exitCode);
  const specific = isJsonObject(said.hookSpecificOutput) ? said.hookSpecificOutput : {};
  const context = typeof specific.additionalContext === "string" ? { context: specific.additionalContext } : {};
  const reason = (said.reason as string | undefined) ?? "No reason provided";
  const denied = said.decision === "deny" || said.decision === "block";
  switch (event) {
    case "SessionStart":
      return context;
    case "BeforeAgent":
      return denied ? { blocked: reason } : context;
    case "BeforeTool": {
      expect(said.decision, "an ask may hang for ever").not.toBe("ask");
      if (denied) return { blocked: reason };
      const input = specific.tool_input as JsonObject | undefined;
      const prompt = typeof input?.prompt === "string" ? input.prompt : "";
      return {
        ...(input ? { rewrite: input } : {}),
        ...(prompt.includes("<holdfast-context") ? { context: prompt } : {}),
      };
    }
    case "AfterTool":
      return denied ? afterDenial(payload, reason) : context;
    case "AfterAgent":
      if (said.continue === false) return { halted: said.stopReason as string };
      return denied ? { continued: reason } : {};
    default:
      expect(stdout).toBe("");
      return {};
  }
}

/** The reason is all that the model sees of the result. */
function afterDenial({ tool_response: response }: JsonObject, reason: string): Seen {
  const error = isJsonObject(response) && isJsonObject(response.error) ? (response.error.message as string) : undefined;
  if (error !== undefined && reason.startsWith(`${error}\n\n<holdfast-context`)) return { context: reason };
  return reason.startsWith("Blocked by holdfast:") ? { blocked: reason } : { rewrite: reason };
}

function outputOf(text: string, exitCode: number): JsonObject {
  if (text === "") return {};
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return exitCode === 0 || exitCode === 1 ? { decision: "allow" } : { decision: "deny", reason: text };
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
    return { event, decision: decisionOf(event, wish, gemini) };
  });
  return codec.render(native, outcomes);
}

const stdoutOf = (native: Native, ...wishes: readonly Wish[]) => answerTo(native, ...wishes).stdout;

const LABELLED = String.raw`<holdfast-context source=\"hooks, not the user\">\n[teller] mind the gap\n</holdfast-context>`;
const SHELL = "BeforeTool.run_shell_command";

describe("the bytes Gemini CLI gets", () => {
  it("deny", () => {
    expect(stdoutOf(nativeOf(SHELL), { kind: "block", reason: "no" })).toBe(
      `{"decision":"deny","reason":"Blocked by holdfast: no"}`,
    );
  });

  it("deny with context, which nothing else could carry there", () => {
    const wish = { kind: "block", reason: "no", context: ["mind the gap"] } as const;
    expect(answerTo(nativeOf(SHELL), wish)).toEqual({
      stdout: `{"decision":"deny","reason":"Blocked by holdfast: no\\n\\n${LABELLED}"}`,
      stderr: "",
      exitCode: 0,
    });
  });

  it("ask is a denial that says what to do instead", () => {
    expect(stdoutOf(nativeOf(SHELL), { kind: "ask", reason: "this pushes" })).toMatch(
      /^\{"decision":"deny","reason":"Blocked by holdfast: this pushes\\nThis needs a person's yes, /,
    );
  });

  it("rewrite: the whole input, for it takes the place of the model's", () => {
    expect(stdoutOf(nativeOf(SHELL), { rewrite: { command: "echo ho" } })).toBe(
      `{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"command":"echo ho"}}}`,
    );
  });

  it("rewrite and context: the rewrite is sent, the context reported", () => {
    const { stdout, undelivered } = answerTo(nativeOf(SHELL), {
      rewrite: { command: "echo ho" },
      context: ["mind the gap"],
    });
    expect(JSON.parse(stdout).hookSpecificOutput.tool_input).toEqual({ command: "echo ho" });
    expect(undelivered).toEqual([gemini.support.pre_tool_use.answers.context.partly]);
  });

  it("allow is not sent: it would change nothing", () => {
    expect(stdoutOf(nativeOf(SHELL), { kind: "allow" })).toBe("");
  });

  it("context at the start, with the prompt, after a call", () => {
    for (const name of ["SessionStart", "BeforeAgent", "AfterTool.run_shell_command"]) {
      const native = nativeOf(name);
      expect(stdoutOf(native, { context: ["mind the gap"] })).toBe(
        `{"hookSpecificOutput":{"hookEventName":"${native.event}","additionalContext":"${LABELLED}"}}`,
      );
    }
  });

  it("context after a call with an error goes below the error, because of that alone the model hears", () => {
    expect(stdoutOf(nativeOf("AfterTool.read_file.failed"), { context: ["mind the gap"] })).toBe(
      `{"decision":"deny","reason":"File not found: /project/none.txt\\n\\n${LABELLED}"}`,
    );
  });

  it("another output, and one that is hidden, with the context in it", () => {
    const native = nativeOf("AfterTool.run_shell_command");
    expect(stdoutOf(native, { rewrite: "clean", context: ["mind the gap"] })).toBe(
      `{"decision":"deny","reason":"Holdfast replaces the output of this call. Go by this one only:\\nclean\\n\\n${LABELLED}"}`,
    );
    expect(stdoutOf(native, { kind: "block", reason: "a key was printed" })).toBe(
      `{"decision":"deny","reason":"Blocked by holdfast: a key was printed"}`,
    );
  });

  it("stop: go on, with the context in the prompt; halt", () => {
    expect(stdoutOf(nativeOf("AfterAgent"), { kind: "continue", reason: "Test.", context: ["mind the gap"] })).toBe(
      `{"decision":"deny","reason":"Continued by holdfast: Test.\\n\\n${LABELLED}"}`,
    );
    expect(stdoutOf(nativeOf("AfterAgent"), { kind: "halt", reason: "enough" })).toBe(
      `{"continue":false,"stopReason":"Halted by holdfast: enough"}`,
    );
  });

  it("our own failure has a text on stderr and none on stdout: without one, exit 2 would block nothing", () => {
    expect(codec.fail("BeforeTool", "")).toEqual({
      stdout: "",
      stderr: "Blocked by holdfast: it failed and could not say why",
      exitCode: 2,
    });
    expect(codec.fail("PreCompress", "broken")).toMatchObject({ exitCode: 1 });
  });
});

describe("what Gemini CLI sends", () => {
  it("the context of an event is read from the payload", () => {
    expect(nativeOf(SHELL).events[0]).toMatchObject({
      id: "event-1",
      host: "gemini",
      session: "4036f46d-5c06-4212-b14f-fda0cbb06119",
      cwd: "/project",
      transcriptPath: expect.stringContaining(".jsonl"),
      tool: { kind: "shell", command: "echo hi > out.txt" },
    });
  });

  it("a shell command that names its directory is judged there", () => {
    expect(nativeOf("BeforeTool.run_shell_command.directory").events[0]?.cwd).toBe("/project/sub");
    const elsewhere = { tool_input: { command: "ls", dir_path: "/elsewhere" } };
    expect(nativeOf(SHELL, elsewhere).events[0]?.cwd).toBe("/elsewhere");
    expect(nativeOf("BeforeTool.glob", { tool_input: { pattern: "*", dir_path: "sub" } }).events[0]?.cwd).toBe(
      "/project",
    );
  });

  it.each([
    ["AfterTool.run_shell_command", false],
    ["AfterTool.run_shell_command.failed", true],
    ["AfterTool.run_shell_command.killed", true],
    ["AfterTool.read_file", false],
    ["AfterTool.read_file.failed", true],
    ["AfterTool.mcp", false],
    ["AfterTool.invoke_agent", true],
    ["AfterTool.invoke_agent.complete", false],
  ])("%s has failed: %s", (name, failed) => {
    expect(nativeOf(name).events[0]).toMatchObject({ name: "post_tool_use", failed });
  });

  it.each([
    ["Output: Exit Code: 3\nProcess Group PGID: 1", false],
    ["Output: Exit Code: 3\nmore\nProcess Group PGID: 1", false],
    ["Output: x\nExit Code: 0\nProcess Group PGID: 1", false],
    ["Output: Exit Code: 0\nExit Code: 1\nProcess Group PGID: 1", true],
    ["Output: x\nExit Code: 127\nBackground PIDs: 1, 2\nProcess Group PGID: 1", true],
    ["Output: x\nError: spawn\nExit Code: 1", true],
    ["Command was automatically cancelled because it exceeded the timeout of 5.0 minutes without output.", true],
  ])("a command whose result is %j has failed: %s", (text, failed) => {
    for (const llmContent of [text, `<untrusted_context>\n${text}\n</untrusted_context>`]) {
      const native = nativeOf("AfterTool.run_shell_command", { tool_response: { llmContent } });
      expect(native.events[0]).toMatchObject({ failed });
    }
  });

  it("a delegating call is a delegation too, at its start and at its end", () => {
    expect(nativeOf("BeforeTool.invoke_agent").events).toMatchObject([
      { id: "event-1", name: "pre_tool_use", tool: { kind: "delegate" } },
      { id: "event-1-2", name: "pre_delegation", targetAgentId: "generalist", objective: "SUBPROMPT" },
    ]);
    expect(nativeOf("AfterTool.invoke_agent.complete").events[1]).toMatchObject({
      name: "post_delegation",
      targetAgentId: "generalist",
      summary: expect.stringContaining("SUB-END"),
    });
    expect(nativeOf("AfterTool.invoke_agent").events[1]).toMatchObject({
      name: "delegation_failure",
      errorType: "ERROR_NO_COMPLETE_TASK_CALL",
      error: "Agent stopped calling tools but did not call 'complete_task'.",
    });
  });

  it("the end of a turn carries the agent's words, and whether it was continued where the host knows", () => {
    expect(nativeOf("AfterAgent.active").events).toMatchObject([{ name: "stop", continuations: 1 }]);
    expect(nativeOf("AfterAgent.continued-with-tool").events).toMatchObject([
      { lastAssistantMessage: "FIRST\nSECOND", continuations: 0 },
    ]);
  });

  it("the prompt by which a hook continues a turn is a prompt, and says whose it is", () => {
    expect(nativeOf("BeforeAgent.continued").events).toMatchObject([
      { name: "user_prompt_submit", prompt: "Continued by holdfast: GO" },
    ]);
  });

  it("a payload is known by the session it and its environment name", () => {
    const { stdin, env = {} } = fixtures.get("SessionStart") ?? { stdin: {} };
    expect(gemini.owns(stdin, env)).toBe(true);
    expect(gemini.owns(stdin, {})).toBe(false);
    expect(gemini.owns({ ...stdin, session_id: "another" }, env)).toBe(false);
  });

  it("a tool call without its tool or its input is not believed", () => {
    for (const changes of [{ tool_name: null }, { tool_name: "" }, { tool_input: null }, { tool_input: "rm" }]) {
      for (const name of [SHELL, "AfterTool.run_shell_command"]) {
        expect(() => nativeOf(name, changes)).toThrow(/tool_(name|input)/);
      }
    }
  });
});

describe("several decisions on one delegation", () => {
  const agent = nativeOf("BeforeTool.invoke_agent");

  it("context is for the sub-agent and stands in its prompt", () => {
    const { tool_input: input } = JSON.parse(stdoutOf(agent, {}, { context: ["careful"] })).hookSpecificOutput;
    expect(input.prompt).toMatch(/^SUBPROMPT\n\n<holdfast-context/);
    expect(input.agent_name).toBe("generalist");
  });

  it("a blocked delegation denies the call", () => {
    expect(stdoutOf(agent, { kind: "allow" }, { kind: "block", reason: "too deep" })).toBe(
      `{"decision":"deny","reason":"Blocked by holdfast: too deep"}`,
    );
  });

  it("the delegation is judged as the call was rewritten", () => {
    const [call] = agent.events;
    if (!call) throw new Error("no events");
    const rewrite = { agent_name: "other", prompt: "OTHER" };
    const first = { event: call, decision: decisionOf(call, { rewrite }, gemini) };
    expect(codec.current(agent, [first])[1]).toMatchObject({ targetAgentId: "other", objective: "OTHER" });
  });
});
