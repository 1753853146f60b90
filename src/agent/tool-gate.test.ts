import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { text } from "../core/fields.ts";
import type { Json } from "../core/json.ts";
import type { PersonAnswer, Question } from "../embed/tool-call.ts";
import { agentScene, call, calls, shell } from "./agent.fixture.ts";
import type { Message } from "./message.ts";
import { STANDARD_TOOLS } from "./tools/standard-tools.ts";
import type { Tool } from "./tools/tool.ts";

const scene = agentScene();
const allow = () => ({ allow: true }) as const;
const nested = (event: string, fields: object) => ({ hook_specific_output: { hook_event_name: event, ...fields } });
/** Every block offers a person's way out, with a code of its own; the reason stands before it. */
const reasonOf = (words: string) => words.replace(/\nA person can allow it once: holdfast allow-once [0-9a-f]+\.$/, "");
const results = (messages: readonly Message[]) =>
  messages.flatMap((message) =>
    message.role === "tool" ? [{ text: reasonOf(message.text), failed: message.failed }] : [],
  );
const touched = (name: string) => existsSync(join(scene.project, name));

/** A person who gives the answers in turn and keeps the questions. */
function person(...answers: PersonAnswer[]) {
  const questions: Question[] = [];
  const ask = (question: Question): PersonAnswer => {
    questions.push(question);
    return answers.shift() ?? { allow: false };
  };
  return { ask, questions };
}

describe("pre_tool_use", () => {
  it("Q-52 a blocked tool is not run, the model reads the reason as an error, the turn goes on", async () => {
    scene.hooks({ on: "pre_tool_use", says: { decision: "block", reason: "not here" } });
    const { agent, model } = await scene.agent([calls(shell("touch made")), "understood"], { ask: allow });
    const conversation = await agent.open();
    expect(await conversation.send("go")).toEqual({ status: "completed", text: "understood" });
    expect(touched("made")).toBe(false);
    expect(results(model.requests[1]?.messages ?? [])).toEqual([{ text: "Error: not here", failed: true }]);
  });

  it("Q-53 a block without a reason has one all the same", async () => {
    scene.hooks({ on: "pre_tool_use", says: { decision: "block" } });
    const { agent } = await scene.agent([calls(shell("touch made")), "ok"], { ask: allow });
    const conversation = await agent.open();
    await conversation.send("go");
    expect(results(conversation.messages)[0]?.text).toMatch(/^Error: blocked by hook/);
  });

  it("Q-54 deny by permission_decision is a block, with its own reason", async () => {
    const says = nested("pre_tool_use", { permission_decision: "deny", permission_decision_reason: "denied here" });
    scene.hooks({ on: "pre_tool_use", says });
    const { agent } = await scene.agent([calls(shell("touch made")), "ok"], { ask: allow });
    const conversation = await agent.open();
    await conversation.send("go");
    expect(results(conversation.messages)).toEqual([{ text: "Error: denied here", failed: true }]);
    expect(touched("made")).toBe(false);
  });

  it("Q-55 ask asks a person, also for a tool that would run unasked", async () => {
    scene.hooks({
      on: "pre_tool_use",
      says: nested("pre_tool_use", { permission_decision: "ask", permission_decision_reason: "really?" }),
    });
    const { ask, questions } = person({ allow: true }, { allow: false, reason: "rather not" });
    const search = call("search", { text: "x" });
    const { agent } = await scene.agent([calls(search), calls(search), "ok"], { ask });
    const conversation = await agent.open();
    await conversation.send("go");
    expect(questions.map(({ reason }) => reason)).toEqual(["really?", "really?"]);
    expect(results(conversation.messages)).toEqual([
      { text: 'nothing holds "x"', failed: false },
      { text: "Error: rather not", failed: true },
    ]);
  });

  it("Q-56 an allow before the call spares the person the question, not the hooks on permission_request", async () => {
    const allowed = { on: "pre_tool_use", says: { decision: "approve" } };
    scene.hooks(allowed);
    const { ask, questions } = person();
    const first = await scene.agent([calls(shell("touch made")), "ok"], { ask });
    await (await first.agent.open()).send("go");
    expect(touched("made")).toBe(true);
    expect(questions).toEqual([]);

    const deny = nested("permission_request", { decision: { behavior: "deny", message: "still no" } });
    scene.hooks(allowed, { on: "permission_request", says: deny });
    const second = await scene.agent([calls(shell("touch other")), "ok"], { ask });
    const conversation = await second.agent.open();
    await conversation.send("go");
    expect(results(conversation.messages)).toEqual([{ text: "Error: still no", failed: true }]);
    expect(touched("other")).toBe(false);
  });

  it("Q-57 updated_input is what runs, what the start event shows and what the post hook sees", async () => {
    const updated_input = { command: "echo rewritten" };
    scene.hooks({ on: "pre_tool_use", says: nested("pre_tool_use", { updated_input }) }, { on: "post_tool_use" });
    const { agent } = await scene.agent([calls(shell("echo original")), "ok"], { ask: allow });
    const conversation = await agent.open();
    await conversation.send("go");
    expect(results(conversation.messages)).toEqual([{ text: "rewritten", failed: false }]);
    expect(scene.of("tool_started")[0]).toMatchObject({ input: updated_input });
    expect(scene.seen("post_tool_use")[0]).toMatchObject({ tool_input: updated_input, tool_response: "rewritten" });
    expect(conversation.messages).toContainEqual(expect.objectContaining({ role: "tool", input: updated_input }));
  });

  it("Q-58 a block and a rewrite together block", async () => {
    const says = { decision: "block", reason: "no", ...nested("pre_tool_use", { updated_input: { command: "true" } }) };
    scene.hooks({ on: "pre_tool_use", says });
    const { agent } = await scene.agent([calls(shell("touch made")), "ok"], { ask: allow });
    const conversation = await agent.open();
    await conversation.send("go");
    expect(results(conversation.messages)).toEqual([{ text: "Error: no", failed: true }]);
  });

  it("Q-59 a rewrite that does not fit the tool is not run, and reported", async () => {
    const says = nested("pre_tool_use", { updated_input: { command: "true", colour: "red" } });
    scene.hooks({ on: "pre_tool_use", says });
    const { agent } = await scene.agent([calls(shell("touch made")), "ok"], { ask: allow });
    const conversation = await agent.open();
    await conversation.send("go");
    expect(touched("made")).toBe(false);
    expect(results(conversation.messages)[0]).toMatchObject({ text: expect.stringContaining("colour"), failed: true });
    expect(scene.of("notice")[0]?.notice).toMatchObject({ code: "invalid-rewrite", is_error: true });
  });

  it("Q-60 it runs for the agent's own tools, MCP tools and tools of the program, in parallel calls independently", async () => {
    const fake = (name: string): Tool => ({
      name,
      description: "",
      input: { what: text() },
      run: ({ what }) => `${name} ${what}`,
    });
    scene.hooks({
      on: "pre_tool_use",
      script: `case "$event" in *stopme*) echo '{"decision":"block","reason":"that one"}';; *) echo '{}';; esac`,
    });
    const tools = [...STANDARD_TOOLS, fake("mcp__files__list"), fake("weather")];
    const all = [
      shell("echo own", "a"),
      call("mcp__files__list", { what: "stopme" }, "b"),
      call("weather", { what: "here" }, "c"),
      shell("echo stopme", "d"),
    ];
    const { agent } = await scene.agent([calls(...all), "ok"], { tools, ask: allow });
    const conversation = await agent.open();
    await conversation.send("go");
    expect(new Set(scene.seen("pre_tool_use").map(({ tool_use_id }) => tool_use_id))).toEqual(
      new Set(["a", "b", "c", "d"]),
    );
    expect(results(conversation.messages).map((result) => result.text)).toEqual([
      "own",
      "Error: that one",
      "weather here",
      "Error: that one",
    ]);
  });

  it("F-11 parallel calls run side by side: one that is held up or blocked holds up no other", async () => {
    scene.hooks({
      on: "pre_tool_use",
      script: `case "$event" in *stopme*) echo '{"decision":"block","reason":"no"}';; esac`,
    });
    let release = () => {};
    const waits: Tool = {
      name: "waits",
      description: "",
      input: {},
      run: () =>
        new Promise<string>((done) => {
          release = () => done("waited");
        }),
    };
    const releases: Tool = {
      name: "releases",
      description: "",
      input: {},
      async run() {
        while (!scene.of("tool_started").some(({ name }) => name === "waits")) await new Promise(setImmediate);
        release();
        return "released";
      },
    };
    const tools = [...STANDARD_TOOLS, waits, releases];
    const all = [call("waits", {}), shell("echo stopme"), call("releases", {})];
    const { agent } = await scene.agent([calls(...all), "ok"], { tools, ask: allow });
    const conversation = await agent.open();
    await conversation.send("go");
    expect(results(conversation.messages).map((result) => result.text)).toEqual(["waited", "Error: no", "released"]);
  });

  it("Q-61 a hook whose matcher does not match is not run", async () => {
    scene.hooks({ on: "pre_tool_use", matcher: "^write$", says: { decision: "block" } });
    const { agent } = await scene.agent([calls(shell("touch made")), "ok"], { ask: allow });
    await (await agent.open()).send("go");
    expect(scene.seen("pre_tool_use")).toEqual([]);
    expect(touched("made")).toBe(true);
  });

  it("Q-62 a blocked call is visible in the event stream and the audit", async () => {
    scene.hooks({ on: "pre_tool_use", says: { decision: "block", reason: "no" } });
    const { agent } = await scene.agent([calls(shell("touch made", "c1")), "ok"], { ask: allow });
    await (await agent.open()).send("go");
    const [blocked, ...more] = scene.of("tool_blocked");
    expect(blocked).toMatchObject({ id: "c1", name: "shell", input: { command: "touch made" } });
    expect([reasonOf(blocked?.reason ?? ""), more]).toEqual(["no", []]);
    expect(scene.types()).not.toContain("tool_started");
    expect(scene.records("audit")).toContainEqual(
      expect.objectContaining({ event: "pre_tool_use", decision: "block" }),
    );
  });

  it("what it has to say reaches the model after the results", async () => {
    scene.hooks({ on: "pre_tool_use", says: nested("pre_tool_use", { additional_context: "mind the step" }) });
    const { agent, model } = await scene.agent([calls(shell("true")), "ok"], { ask: allow });
    await (await agent.open()).send("go");
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      role: "user",
      from: "hook",
      text: expect.stringContaining("mind the step"),
    });
  });

  it("a tool that does not exist, or an input that does not fit, is an error the model can read", async () => {
    const { agent } = await scene.agent([calls(call("fly", {}), call("read", { file: "x" })), "ok"], { ask: allow });
    const conversation = await agent.open();
    await conversation.send("go");
    expect(results(conversation.messages).map((result) => result.text)).toEqual([
      expect.stringContaining('there is no tool "fly"; there are: shell, read'),
      expect.stringContaining('missing field "path"'),
    ]);
  });
});

describe("permission_request", () => {
  it("Q-63 fires only where a decision is needed, and then for every kind of tool", async () => {
    scene.hooks({
      on: "permission_request",
      says: nested("permission_request", { decision: { behavior: "allow" } }),
    });
    const mcp: Tool = { name: "mcp__files__drop", description: "", input: {}, run: () => "dropped" };
    const own: Tool = { name: "weather", description: "", input: {}, run: () => "fine" };
    const write = call("write", { path: "a.txt", text: "one" });
    const edit = call("edit", { path: "a.txt", old: "one", new: "two" });
    const reading = [call("read", { path: "a.txt" }), call("search", { text: "two" })];
    const { agent } = await scene.agent(
      [
        calls(write),
        calls(edit),
        calls(...reading),
        calls(shell("true"), call(mcp.name, {}), call("weather", {})),
        "ok",
      ],
      { tools: [...STANDARD_TOOLS, mcp, own] },
    );
    const conversation = await agent.open();
    await conversation.send("go");
    expect(results(conversation.messages).some(({ failed }) => failed)).toBe(false);
    expect(
      scene
        .seen("permission_request")
        .map(({ tool_name }) => tool_name)
        .sort(),
    ).toEqual(["edit", mcp.name, "shell", "weather", "write"]);
  });

  it("Q-64 allow runs the tool without asking a person", async () => {
    scene.hooks({ on: "permission_request", says: nested("permission_request", { decision: { behavior: "allow" } }) });
    const { ask, questions } = person();
    const { agent } = await scene.agent([calls(shell("touch made")), "ok"], { ask });
    await (await agent.open()).send("go");
    expect(touched("made")).toBe(true);
    expect(questions).toEqual([]);
  });

  it("Q-65 deny: not run, and the model is told why", async () => {
    const decision = { behavior: "deny", message: "not on a Friday" };
    scene.hooks({ on: "permission_request", says: nested("permission_request", { decision }) });
    const { ask, questions } = person({ allow: true });
    const { agent } = await scene.agent([calls(shell("touch made")), "ok"], { ask });
    const conversation = await agent.open();
    await conversation.send("go");
    expect(touched("made")).toBe(false);
    expect(questions).toEqual([]);
    expect(results(conversation.messages)).toEqual([{ text: "Error: not on a Friday", failed: true }]);
  });

  it("Q-66 no decision: the person is asked; without one, the call is blocked", async () => {
    scene.hooks({ on: "permission_request" });
    const { ask, questions } = person({ allow: true });
    const asked = await scene.agent([calls(shell("touch made")), "ok"], { ask });
    await (await asked.agent.open()).send("go");
    expect(questions).toHaveLength(1);
    expect(touched("made")).toBe(true);
    const alone = await scene.agent([calls(shell("touch other")), "ok"]);
    const conversation = await alone.agent.open();
    await conversation.send("go");
    expect(results(conversation.messages)[0]?.text).toContain("Nobody is there to be asked");
    expect(touched("other")).toBe(false);
  });

  it("a question that cannot be put is an error of that call, and the turn goes on", async () => {
    const ask = () => Promise.reject(new Error("the window is closed"));
    const { agent } = await scene.agent([calls(shell("touch made")), "ok"], { ask });
    const conversation = await agent.open();
    expect(await conversation.send("go")).toEqual({ status: "completed", text: "ok" });
    expect(results(conversation.messages)).toEqual([{ text: "Error: the window is closed", failed: true }]);
    expect(touched("made")).toBe(false);
  });

  it("Q-67 a person's always skips the hook, their never too; a hook's allow is asked for again", async () => {
    scene.hooks({ on: "permission_request" });
    const remembering = person({ allow: true, always: true }, { allow: false, always: true, reason: "never" });
    const write = (name: string) => call("write", { path: name, text: "" });
    const steps = [calls(write("a")), calls(write("b")), calls(shell("true")), calls(shell("true")), "ok"];
    const { agent } = await scene.agent(steps, { ask: remembering.ask });
    const conversation = await agent.open();
    await conversation.send("go");
    expect(scene.seen("permission_request").map(({ tool_name }) => tool_name)).toEqual(["write", "shell"]);
    expect(remembering.questions).toHaveLength(2);
    expect(results(conversation.messages).map(({ failed }) => failed)).toEqual([false, false, true, true]);
    expect(results(conversation.messages)[3]?.text).toBe("Error: never");

    scene.hooks({ on: "permission_request", says: nested("permission_request", { decision: { behavior: "allow" } }) });
    const second = await scene.agent([calls(write("c")), calls(write("d")), "ok"]);
    await (await second.agent.open()).send("go");
    expect(scene.seen("permission_request")).toHaveLength(4);
  });

  it("a person's answer to one call is about that call alone", async () => {
    const { ask, questions } = person({ allow: true }, { allow: false }, { allow: true });
    const write = (name: string) => call("write", { path: name, text: "" });
    const { agent } = await scene.agent([calls(write("a")), calls(write("b")), calls(write("c")), "ok"], { ask });
    await (await agent.open()).send("go");
    expect(questions).toHaveLength(3);
    expect(["a", "b", "c"].map(touched)).toEqual([true, false, true]);
  });

  it("a person's always to one command is none to another", async () => {
    const { ask, questions } = person({ allow: true, always: true });
    const { agent } = await scene.agent(
      [calls(shell("true")), calls(shell("true")), calls(shell("touch made")), "ok"],
      {
        ask,
      },
    );
    await (await agent.open()).send("go");
    expect(questions.map(({ tool }) => tool.input.command)).toEqual(["true", "touch made"]);
    expect(touched("made")).toBe(false);
  });

  it("Q-68 it sees the rewritten input", async () => {
    scene.hooks(
      { on: "pre_tool_use", says: nested("pre_tool_use", { updated_input: { command: "touch rewritten" } }) },
      { on: "permission_request" },
    );
    const { agent } = await scene.agent([calls(shell("touch original")), "ok"], { ask: allow });
    await (await agent.open()).send("go");
    expect(scene.seen("permission_request")[0]).toMatchObject({ tool_input: { command: "touch rewritten" } });
    expect(touched("rewritten")).toBe(true);
  });
});

describe("post_tool_use", () => {
  it("Q-69 fires after execution with the final input and the response as text, for success and error", async () => {
    scene.hooks({ on: "post_tool_use" });
    const { agent } = await scene.agent([calls(shell("echo fine", "a")), calls(shell("echo bad; exit 3", "b")), "ok"], {
      ask: allow,
    });
    await (await agent.open()).send("go");
    expect(scene.seen("post_tool_use")).toMatchObject([
      { tool_use_id: "a", tool_input: { command: "echo fine" }, tool_response: "fine", failed: false },
      { tool_use_id: "b", tool_response: "exit 3\nbad", failed: true },
    ]);
  });

  it("Q-70 a block: the error replaces what the model sees", async () => {
    scene.hooks({ on: "post_tool_use", says: { decision: "block", reason: "holds a secret" } });
    const { agent } = await scene.agent([calls(shell("touch made; echo secret")), "ok"], { ask: allow });
    const conversation = await agent.open();
    await conversation.send("go");
    expect(results(conversation.messages)).toEqual([{ text: "Error: holds a secret", failed: true }]);
    expect(touched("made")).toBe(true);
  });

  it("Q-71 without a block the output is unchanged", async () => {
    scene.hooks({ on: "post_tool_use", says: nested("post_tool_use", { additional_context: "and mind this" }) });
    const { agent } = await scene.agent([calls(shell("printf '  a\\n b'")), "ok"], { ask: allow });
    const conversation = await agent.open();
    await conversation.send("go");
    expect(results(conversation.messages)).toEqual([{ text: "  a\n b", failed: false }]);
  });

  it("Q-72 what is no JSON leaves the output unchanged, and a notice", async () => {
    scene.hooks({ on: "post_tool_use", says: "looks fine to me" });
    const { agent } = await scene.agent([calls(shell("echo out")), "ok"], { ask: allow });
    const conversation = await agent.open();
    await conversation.send("go");
    expect(results(conversation.messages)).toEqual([{ text: "out", failed: false }]);
    expect(scene.of("notice").map(({ notice }) => notice)).toEqual([
      expect.objectContaining({ event_name: "post_tool_use", is_error: true }),
    ]);
  });

  it("a tool that returns nothing, or what is no data, has a result all the same, and the next turn goes on", async () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    for (const [output, text] of [
      [undefined, "null"],
      [() => 1, "null"],
      [circle, expect.stringContaining("withheld")],
    ]) {
      const odd: Tool = { name: "odd", description: "", input: {}, needsPermission: false, run: () => output as Json };
      const { agent } = await scene.agent([calls(call("odd", {})), "done", "more"], { tools: [odd] });
      const conversation = await agent.open();
      expect(await conversation.send("a")).toMatchObject({ status: "completed", text: "done" });
      expect(await conversation.send("b")).toMatchObject({ status: "completed", text: "more" });
      expect(conversation.messages.find(({ role }) => role === "tool")).toMatchObject({ text });
    }
  });

  it("what was edited is on the disk, and in the ledger", async () => {
    const write = call("write", { path: "notes/a.txt", text: "one two one" });
    const edit = call("edit", { path: "notes/a.txt", old: "two", new: "three" });
    const { agent } = await scene.agent([calls(write), calls(edit), "ok"]);
    await (await agent.open({ permissionMode: "accept_edits" })).send("go");
    expect(readFileSync(join(scene.project, "notes/a.txt"), "utf8")).toBe("one three one");
    expect(scene.records("ledger").map(({ tool_name, success }) => [tool_name, success])).toEqual([
      ["write", true],
      ["edit", true],
    ]);
  });
});
