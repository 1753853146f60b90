import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { decisionOf, describeHost, momentOf, readFixtures, type Seen, type Wish } from "../conformance.fixture.ts";
import type { HostAnswer, Native } from "../host.ts";
import { pi } from "./host.ts";

const FIXTURES = join(import.meta.dirname, "fixtures", pi.provenVersion);
const { codec } = pi;

describeHost({ host: pi, fixtures: [FIXTURES], reads });

/** What our plugin does on each event, told a second time: plugin.test.ts and the real program hold it to that. */
function reads({ event }: Native, { stdout, stderr, exitCode }: HostAnswer): Seen {
  if (exitCode === 2) return BLOCKABLE.includes(event) ? { blocked: stderr } : {};
  if (exitCode !== 0 || stdout === "") return {};
  const answer = JSON.parse(stdout);
  for (const field of Object.keys(answer)) expect(FIELDS[event], `${event}: ${field}`).toContain(field);
  return {
    ...(answer.block === undefined ? {} : { blocked: answer.block }),
    ...(answer.ask === undefined ? {} : { asked: answer.ask.question }),
    ...(answer.continue === undefined ? {} : { continued: answer.continue }),
    ...(answer.halt === undefined ? {} : { halted: answer.halt }),
    ...(answer.context === undefined ? {} : { context: answer.context }),
    ...(answer.input === undefined ? {} : { rewrite: answer.input }),
    ...(answer.content === undefined ? {} : { rewrite: answer.content }),
  };
}

const BLOCKABLE = ["input", "tool_call", "session_before_compact"];

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  session_start: ["context"],
  session_compact: ["context"],
  input: ["block", "context"],
  tool_call: ["block", "ask", "input", "context"],
  tool_result: ["block", "content", "context"],
  agent_before_settle: ["continue", "halt", "context"],
  session_before_compact: ["block", "context"],
};

const recorded = new Map(readFixtures(FIXTURES).map((fixture) => [fixture.name, fixture]));

function nativeOf(name: string, changes: JsonObject = {}): Native {
  const fixture = recorded.get(name);
  if (!fixture) throw new Error(`no fixture ${name}`);
  return codec.parse({ ...fixture.stdin, ...changes }, momentOf(fixture));
}

function answerTo(native: Native, wish: Wish): HostAnswer {
  return codec.render(
    native,
    native.events.map((event) => ({ event, decision: decisionOf(event, wish, pi) })),
  );
}

const orderFor = (native: Native, wish: Wish) => JSON.parse(answerTo(native, wish).stdout);

describe("what pi sends", () => {
  it("the context of an event is read from the payload", () => {
    expect(nativeOf("tool_call.bash").events).toMatchObject([
      {
        name: "pre_tool_use",
        host: "pi",
        session: "01a1dca2-e293-700c-b91e-fbda7340a6e9",
        cwd: "/project",
        model: "lab/fake",
        transcriptPath: expect.stringContaining(".pi/agent/sessions/"),
        tool: { kind: "shell", command: "echo hi > out.txt", id: "call_0001" },
      },
    ]);
  });

  it.each([
    ["startup", "startup"],
    ["new", "clear"],
    ["resume", "resume"],
    ["fork", "resume"],
    ["reload", "resume"],
    ["something new", "startup"],
  ])("a session that starts by %s has source %s", (reason, source) => {
    expect(nativeOf("session_start", { source: reason }).events).toMatchObject([{ name: "session_start", source }]);
  });

  it("a session ends when pi quits or takes another, and not when extensions are loaded anew", () => {
    for (const reason of ["quit", "new", "resume", "fork"]) {
      expect(nativeOf("session_shutdown", { reason }).events).toMatchObject([{ name: "session_end", reason }]);
    }
    expect(nativeOf("session_shutdown", { reason: "reload" })).toMatchObject({ events: [] });
  });

  it("a turn that a person interrupted, or that failed, is no stop: nobody is to be told to go on", () => {
    expect(nativeOf("agent_before_settle").events).toMatchObject([
      { name: "stop", lastAssistantMessage: "ALL DONE", continuations: 0 },
    ]);
    for (const outcome of ["aborted", "error"]) {
      const native = nativeOf("agent_before_settle", { outcome });
      expect([native.events, native.unknownEvent]).toEqual([[], undefined]);
    }
  });

  it("a failed tool is post_tool_use with failed; output of texts only is one text", () => {
    expect(nativeOf("tool_result.bash-failed").events).toMatchObject([
      { name: "post_tool_use", failed: true, response: "first\n\n\nCommand exited with code 3" },
    ]);
    expect(nativeOf("tool_result.read").events).toMatchObject([{ failed: false, response: "lab project\n" }]);
    const image = [{ type: "image", data: "aGk=", mimeType: "image/png" }];
    expect(nativeOf("tool_result.read", { tool_response: image }).events).toMatchObject([{ response: image }]);
  });

  it("after a compaction the session starts anew, because what it was told is gone", () => {
    expect(nativeOf("session_compact").events).toMatchObject([
      { name: "session_start", source: "compact" },
      {
        name: "post_compaction",
        trigger: "manual",
        summary: expect.stringContaining("SUMMARY"),
        originalTokenCount: 110,
      },
    ]);
    expect(nativeOf("session_before_compact").events).toMatchObject([
      { name: "pre_compaction", trigger: "manual", tokenEstimate: 110, messageCount: 4 },
    ]);
  });

  it("a person's own command is nothing for hooks, and not unknown either", () => {
    const native = codec.parse({ hook_event_name: "user_bash", command: "rm -rf /" }, momentOf({}));
    expect([native.events, native.unknownEvent]).toEqual([[], undefined]);
  });

  it("a tool call without its tool or its input is not believed", () => {
    for (const changes of [{ tool_name: null }, { tool_name: "" }, { tool_input: null }, { tool_input: "rm" }]) {
      for (const name of ["tool_call.bash", "tool_result.bash"]) {
        expect(() => nativeOf(name, changes)).toThrow(/tool_(name|input)/);
      }
    }
  });
});

describe("what our plugin in pi is told", () => {
  const LABELLED = `<holdfast-context source="hooks, not the user">\n[teller] mind the gap\n</holdfast-context>`;

  it("a blocked call carries the context in its reason, and no input to run", () => {
    expect(
      orderFor(nativeOf("tool_call.bash"), {
        kind: "block",
        reason: "no",
        rewrite: { command: "ls" },
        context: ["mind the gap"],
      }),
    ).toEqual({ block: `Blocked by holdfast: no\n\n${LABELLED}` });
  });

  it("a question shows the call as it would run, whole, and has an answer for every way it can end", () => {
    const command = `echo ${"x".repeat(5_000)}; echo end`;
    const order = orderFor(nativeOf("tool_call.bash"), { kind: "ask", reason: "sure?", rewrite: { command } });
    expect(order).toEqual({
      ask: {
        question: `Confirmation asked for by holdfast: sure?\n\n${command}`,
        refused: expect.stringMatching(/^Blocked by holdfast: sure\?\nThe person was asked and said no\./),
        unasked: expect.stringMatching(/^Blocked by holdfast: sure\?\nThis needs a person's yes, and nobody is there/),
      },
      input: { command },
    });
  });

  it("a question about a long file says how much of it is not shown", () => {
    const native = nativeOf("tool_call.write", { tool_input: { path: "a", content: "x".repeat(3_000) } });
    const { question } = orderFor(native, { kind: "ask", reason: "sure?" }).ask;
    expect(question).toMatch(/\n\nwrite \{"path":"a","content":"xxx.* \(and 1\d\d\d characters more\)$/s);
  });

  it("allow is nothing, because pi asks nobody", () => {
    expect(answerTo(nativeOf("tool_call.bash"), { kind: "allow" })).toEqual({ stdout: "", stderr: "", exitCode: 0 });
  });

  it("a rewrite to what was sent anyway is no rewrite", () => {
    const same = { rewrite: { command: "echo hi > out.txt" } };
    expect(answerTo(nativeOf("tool_call.bash"), same).stdout).toBe("");
  });

  it("other output is a list of texts and images, whatever a hook wrote", () => {
    const native = nativeOf("tool_result.bash");
    expect(orderFor(native, { rewrite: "***" })).toEqual({ content: [{ type: "text", text: "***" }] });
    const parts = [
      { type: "text", text: "a" },
      { type: "image", data: "aGk=", mimeType: "image/png" },
    ];
    expect(orderFor(native, { rewrite: parts })).toEqual({ content: parts });
    for (const rewrite of [{ stdout: "x" }, [], [{ type: "video" }], [{ type: "text" }], 7, null]) {
      expect(orderFor(native, { rewrite })).toEqual({ content: [{ type: "text", text: JSON.stringify(rewrite) }] });
    }
  });

  it("hidden output is the reason, with the context beside it", () => {
    expect(
      orderFor(nativeOf("tool_result.bash"), { kind: "block", reason: "a key", context: ["mind the gap"] }),
    ).toEqual({ block: "Blocked by holdfast: a key", context: LABELLED });
  });

  it("context beside a blocked prompt is reported as not sent", () => {
    const { stdout, undelivered } = answerTo(nativeOf("input"), { kind: "block", reason: "no", context: ["mind"] });
    expect(JSON.parse(stdout)).toEqual({ block: "Blocked by holdfast: no" });
    expect(undelivered).toEqual([expect.stringContaining("not sent")]);
  });

  it("stop: the context goes along with what makes the agent go on", () => {
    const stop = nativeOf("agent_before_settle");
    expect(orderFor(stop, { kind: "continue", reason: "The tests fail.", context: ["mind the gap"] })).toEqual({
      continue: `Continued by holdfast: The tests fail.\n\n${LABELLED}`,
    });
    expect(orderFor(stop, { kind: "halt", reason: "enough", context: ["mind the gap"] })).toEqual({
      halt: "Halted by holdfast: enough",
      context: LABELLED,
    });
  });
});
