import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { readFixtures } from "../conformance.fixture.ts";
import type { HostAnswer } from "../host.ts";
import type { PiAnswer } from "./answer.ts";
import type { ExtensionApi, ExtensionContext, PiEventName } from "./extension-api.ts";
import { plugin } from "./plugin.ts";

type Reply = PiAnswer | Partial<HostAnswer & { remarks: string[] }> | Error;

const QUESTION = { question: "sure?", refused: "they said no", unasked: "nobody there" };
const EVENTS: { readonly [E in PiEventName]: object } = {
  session_start: { reason: "startup" },
  session_shutdown: { reason: "quit" },
  input: { text: "do it" },
  tool_call: { toolName: "bash", toolCallId: "c", input: { command: "ls", timeout: 5 } },
  tool_result: {
    toolName: "bash",
    toolCallId: "c",
    input: { command: "ls" },
    content: [{ type: "text", text: "out" }],
    isError: false,
  },
  session_before_compact: { reason: "manual", preparation: { tokensBefore: 1, messagesToSummarize: [] } },
  session_compact: { reason: "manual", compactionEntry: { summary: "s", tokensBefore: 1 } },
  agent_before_settle: { outcome: "completed", entries: [], context: { llmMessages: [] } },
};

/** pi, as far as we can see of it: the handlers we leave with it, and what they do to it. */
function fakePi(reply: (payload: JsonObject) => Reply, { person }: { person?: boolean | Error } = {}) {
  const handlers = new Map<string, (event: object, context: ExtensionContext) => Promise<unknown>>();
  const payloads: JsonObject[] = [];
  const sent: object[] = [];
  const shown: string[] = [];
  const questions: string[] = [];
  const api = {
    on: (name: string, handler: (event: object, context: ExtensionContext) => Promise<unknown>) =>
      handlers.set(name, handler),
    sendMessage: (message: object, options: object) => sent.push({ ...message, ...options }),
  };
  const context = {
    cwd: "/project",
    hasUI: person !== undefined,
    ui: {
      notify: (text: string) => shown.push(text),
      async confirm(_title: string, question: string) {
        questions.push(question);
        if (person instanceof Error) throw person;
        return person === true;
      },
    },
    model: { id: "m", provider: "p" },
    sessionManager: { getSessionId: () => "s", getSessionFile: () => undefined },
  } as ExtensionContext;
  const ask = async (payload: JsonObject) => {
    payloads.push(payload);
    const said = reply(payload);
    if (said instanceof Error) throw said;
    const answer = "exitCode" in said || "remarks" in said ? said : { stdout: JSON.stringify(said) };
    return { stdout: "", stderr: "", exitCode: 0, remarks: [], ...answer };
  };
  const load = plugin(() => Object.assign(ask, { now: () => undefined })) as (pi: ExtensionApi) => void;
  load(api as unknown as ExtensionApi);
  const fire = (name: PiEventName, event: object = structuredClone(EVENTS[name])) =>
    handlers.get(name)?.(event, context);
  return { fire, payloads, sent, shown, questions, handlers };
}

const silent = () => ({ exitCode: 0 });
const NAMES = Object.keys(EVENTS) as PiEventName[];

afterEach(() => vi.restoreAllMocks());

describe("what the engine is asked", () => {
  it("one payload per event, named as pi names it, and no event besides", async () => {
    const { fire, payloads, handlers } = fakePi(silent);
    for (const name of NAMES) await fire(name);
    expect(payloads.map((payload) => payload.hook_event_name)).toEqual(NAMES);
    for (const payload of payloads) expect(payload).toMatchObject({ session_id: "s", cwd: "/project", model: "p/m" });
    expect([...handlers.keys()].sort()).toEqual([...NAMES].sort());
  });

  it("the fields are those that were recorded", async () => {
    const { fire, payloads } = fakePi(silent);
    for (const name of NAMES) await fire(name);
    const recorded = readFixtures(join(import.meta.dirname, "fixtures", "0.87.1"));
    for (const payload of payloads) {
      const fields = recorded.filter(({ event }) => event === payload.hook_event_name).map(({ stdin }) => stdin);
      expect([...Object.keys(payload), "transcript_path"].sort()).toEqual(Object.keys(fields[0] ?? {}).sort());
    }
  });

  it("with nothing to say, nothing is done", async () => {
    const { fire, sent, shown } = fakePi(silent);
    for (const name of NAMES) expect((await fire(name)) ?? {}, name).toEqual({});
    expect([sent, shown]).toEqual([[], []]);
  });

  it("remarks are shown where there is a screen, and nowhere else", async () => {
    const remark = () => ({ remarks: ["mind"], exitCode: 1, stderr: "holdfast: odd" });
    const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const stdout = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    const seen = fakePi(remark, { person: true });
    await seen.fire("tool_result");
    expect(seen.shown).toEqual(["mind", "holdfast: odd"]);
    await fakePi(remark).fire("tool_result");
    expect([stderr.mock.calls, stdout.mock.calls]).toEqual([[], []]);
  });
});

describe("what is done in pi", () => {
  const told = (content: string) => ({ customType: "holdfast", content, display: false, triggerTurn: false });

  it("a blocked call does not run", async () => {
    expect(await fakePi(() => ({ block: "no" })).fire("tool_call")).toEqual({ block: true, reason: "no" });
  });

  it("a rewritten call has exactly the new fields, in pi's own object", async () => {
    const event = { toolName: "bash", toolCallId: "c", input: { command: "ls", timeout: 5 } };
    const { input } = event;
    expect(await fakePi(() => ({ input: { command: "pwd" } })).fire("tool_call", event)).toBeUndefined();
    expect(event.input).toBe(input);
    expect(input).toEqual({ command: "pwd" });
  });

  it.each([
    ["says yes", true, undefined, { command: "pwd" }],
    ["says no", false, { block: true, reason: "they said no" }, { command: "ls" }],
    ["is not there", undefined, { block: true, reason: "nobody there" }, { command: "ls" }],
  ])("a person who is asked and %s", async (_case, person, result, input) => {
    const event = { toolName: "bash", toolCallId: "c", input: { command: "ls" } };
    const pi = fakePi(() => ({ ask: QUESTION, input: { command: "pwd" } }), person === undefined ? {} : { person });
    expect(await pi.fire("tool_call", event)).toEqual(result);
    expect(event.input).toEqual(input);
    expect(pi.questions).toEqual(person === undefined ? [] : ["sure?"]);
  });

  it("a question that cannot be put is a block", async () => {
    const pi = fakePi(() => ({ ask: QUESTION }), { person: new Error("stale") });
    expect(await pi.fire("tool_call")).toMatchObject({ block: true, reason: expect.stringContaining("stale") });
  });

  it("a blocked prompt is not sent, and the person is told why", async () => {
    const seen = fakePi(() => ({ block: "no" }), { person: true });
    expect(await seen.fire("input")).toEqual({ action: "handled" });
    expect(seen.shown).toEqual(["no"]);
    const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    expect(await fakePi(() => ({ block: "no" })).fire("input")).toEqual({ action: "handled" });
    expect(stderr.mock.calls).toEqual([["no\n"]]);
  });

  it("context is added to the session and starts no turn", async () => {
    for (const name of ["session_start", "input", "tool_call", "session_before_compact", "session_compact"] as const) {
      const pi = fakePi(() => ({ context: "mind" }));
      expect(await pi.fire(name), name).toBeUndefined();
      expect(pi.sent, name).toEqual([told("mind")]);
    }
  });

  it("output is replaced or hidden, and context stands below it", async () => {
    const text = (value: string) => ({ type: "text", text: value });
    const fire = (answer: PiAnswer) => fakePi(() => answer).fire("tool_result");
    expect(await fire({ block: "hidden" })).toEqual({ content: [text("hidden")] });
    expect(await fire({ content: [text("***")] })).toEqual({ content: [text("***")] });
    expect(await fire({ context: "mind" })).toEqual({ content: [text("out"), text("mind")] });
    expect(await fire({ block: "hidden", context: "mind" })).toEqual({ content: [text("hidden"), text("mind")] });
  });

  it("a turn goes on, ends or takes context along, and what other extensions add stays", async () => {
    const event = { ...EVENTS.agent_before_settle, entries: ["theirs"] };
    const entry = (content: string, display: boolean) => ({
      type: "custom_message",
      customType: "holdfast",
      content,
      display,
    });
    const fire = (answer: PiAnswer) => fakePi(() => answer, { person: true }).fire("agent_before_settle", event);
    expect(await fire({ continue: "more" })).toEqual({ continue: true, entries: ["theirs", entry("more", true)] });
    expect(await fire({ halt: "enough" })).toEqual({ continue: false });
    expect(await fire({ context: "mind" })).toEqual({ entries: ["theirs", entry("mind", false)] });
  });

  it("a compaction is called off", async () => {
    const pi = fakePi(() => ({ block: "not now" }), { person: true });
    expect(await pi.fire("session_before_compact")).toEqual({ cancel: true });
    expect(pi.shown).toEqual(["not now"]);
  });
});

describe("whatever fails", () => {
  const FAILURES: readonly (readonly [string, Reply])[] = [
    ["the engine answers with its own failure", { exitCode: 2, stderr: "Blocked by holdfast: broken" }],
    ["the engine throws", new Error("broken")],
    ["the answer is no JSON", { exitCode: 0, stdout: "{broken" }],
  ];

  it.each(FAILURES)("nothing is thrown, and what guards is closed: %s", async (_case, reply) => {
    vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const { fire } = fakePi(() => reply);
    expect(await fire("tool_call")).toEqual({
      block: true,
      reason: expect.stringMatching(/^Blocked by holdfast: .*/),
    });
    expect(await fire("input")).toEqual({ action: "handled" });
    expect(await fire("session_before_compact")).toEqual({ cancel: true });
    for (const name of ["session_start", "session_shutdown", "session_compact"] as const) {
      expect(await fire(name), name).toBeUndefined();
    }
  });

  it("a call that cannot be put into words is blocked", async () => {
    const { fire, payloads } = fakePi(silent);
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    expect(await fire("tool_call", { toolName: "x", toolCallId: "c", input: circular })).toMatchObject({ block: true });
    expect(payloads).toEqual([]);
  });
});

describe("registered twice", () => {
  it("one of the two serves a session, also where pi announces it twice", async () => {
    const [first, second] = [fakePi(silent), fakePi(silent)];
    const start = { reason: "startup" };
    for (const pi of [first, second, first, second]) await pi.fire("session_start", start);
    for (const pi of [first, second]) await pi.fire("tool_call");
    expect(first.payloads.map(({ hook_event_name: name }) => name)).toEqual(["session_start", "tool_call"]);
    expect(second.payloads).toEqual([]);
  });

  it("where no session was announced, each does its duty", async () => {
    const [first, second] = [fakePi(silent), fakePi(silent)];
    for (const pi of [first, second]) await pi.fire("tool_call");
    expect([first.payloads.length, second.payloads.length]).toEqual([1, 1]);
  });

  it("another session is another matter", async () => {
    const [first, second] = [fakePi(silent), fakePi(silent)];
    const start = { reason: "startup" };
    for (const pi of [first, second]) await pi.fire("session_start", start);
    await second.fire("session_start", { reason: "new" });
    await second.fire("tool_call");
    expect(second.payloads.length).toBe(2);
  });
});
