/** Command hooks under the engine: real processes, several hooks, one decision. */
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Decision, leadingReason } from "../core/decision.ts";
import { decide } from "../core/engine.ts";
import { type AgentEvent, EVENT_NAMES } from "../core/event.ts";
import type { Hook, OnError } from "../core/hook.ts";
import { commandHook } from "./command.ts";
import { sampleEvent, shell, tools } from "./wire.fixture.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-engine-")));
afterAll(() => rmSync(place, { recursive: true, force: true }));

const hook = (name: string, command: string, onError: OnError = "block", timeoutMs = 10_000): Hook => ({
  name,
  source: command,
  layer: "project",
  priority: 0,
  on: EVENT_NAMES,
  onError,
  judge: commandHook({ name, command, timeoutMs }),
});
const says = (answer: object) => `cat > /dev/null; printf '%s' '${JSON.stringify(answer)}'`;
const specific = (event: string, fields: object) => ({ hook_specific_output: { hook_event_name: event, ...fields } });
const blocks = (reason: string) => says({ decision: "block", reason });
const decideOn = (event: AgentEvent, hooks: readonly Hook[]): Promise<Decision> =>
  decide({ ...event, cwd: place }, hooks, {
    tools,
    clock: () => performance.now(),
    signal: new AbortController().signal,
    context: { maxCharacters: 10_000, told: () => false },
    maxContinuations: 1,
  });
const call = sampleEvent("pre_tool_use");
const notices = ({ effects }: Decision) =>
  effects.flatMap((effect) => (effect.type === "notice" ? [effect.notice] : []));

describe("several command hooks", () => {
  it("Q-39 run one after another, in order", async () => {
    const log = (name: string) => `cat > /dev/null; echo ${name}-in >> order; sleep 0.1; echo ${name}-out >> order`;
    await decideOn(call, [hook("a", log("a")), hook("b", log("b")), hook("c", log("c"))]);
    const lines = readFileSync(join(place, "order"), "utf8").trim().split("\n");
    expect(lines).toEqual(["a-in", "a-out", "b-in", "b-out", "c-in", "c-out"]);
  });

  it("Q-40 Q-41 all run even after a block, and the first block's reason leads", async () => {
    const decision = await decideOn(call, [
      hook("a", blocks("first")),
      hook("b", blocks("second")),
      hook("c", "touch ran; echo '{}'"),
    ]);
    expect(decision.kind).toBe("block");
    expect(leadingReason(decision)).toBe("first");
    expect(decision.reasons.map(({ text }) => text)).toEqual(["first", "second"]);
    expect(readFileSync(join(place, "ran"), "utf8")).toBe("");
  });

  it("Q-53 a block without a reason says which hook blocked", async () => {
    expect(leadingReason(await decideOn(call, [hook("guard", "exit 2")]))).toBe("blocked by hook guard");
  });

  it("Q-42 everything they tell the model is kept, in order", async () => {
    const tells = (text: string) => says(specific("pre_tool_use", { additional_context: text }));
    const decision = await decideOn(call, [hook("a", tells("one")), hook("b", blocks("No.")), hook("c", tells("two"))]);
    expect(decision.context).toEqual([
      { hook: "a", text: "one" },
      { hook: "c", text: "two" },
    ]);
  });

  it("Q-43 rewrites chain: each hook sees the one before, the last stands, and the earlier is reported", async () => {
    const rewrites = (command: string) => says(specific("pre_tool_use", { updated_input: { command } }));
    const append = `sed -n 's/.*"tool_input":{"command":"\\([^"]*\\)".*/\\1/p' >> seen; `;
    const decision = await decideOn(call, [
      hook("a", rewrites("ls -l")),
      hook("b", `${append}${rewrites("ls -la").replace("cat > /dev/null; ", "")}`),
    ]);
    expect(decision.rewrite).toEqual({ command: "ls -la" });
    expect(readFileSync(join(place, "seen"), "utf8").trim()).toBe("ls -l");
    expect(notices(decision)).toMatchObject([{ code: "rewrite-overruled", hook: "a", is_error: false }]);
    expect(decision.trace.map(({ rewrite }) => rewrite)).toEqual([{ command: "ls -l" }, { command: "ls -la" }]);
  });

  it("Q-59 a rewrite that is no call is a failure of its hook and never runs", async () => {
    const decision = await decideOn(call, [hook("a", says(specific("pre_tool_use", { updated_input: 5 })))]);
    expect(decision).toMatchObject({ kind: "block", final: { tool: { input: { command: "ls" } } } });
    expect(decision.trace[0]?.failure?.code).toBe("invalid-rewrite");
  });

  it.each([
    ["allow", "deny"],
    ["deny", "allow"],
  ])("Q-44 deny beats allow on a permission request: %s, then %s", async (...behaviors) => {
    const hooks = behaviors.map((behavior) =>
      hook(behavior, says(specific("permission_request", { decision: { behavior, message: `${behavior}!` } }))),
    );
    const decision = await decideOn(sampleEvent("permission_request"), hooks);
    expect([decision.kind, leadingReason(decision)]).toEqual(["block", "deny!"]);
  });

  it.each(["exit 1", "kill -9 $$", "sleep 30", "echo oops", "sh ./missing.sh", "yes"])(
    "Q-45 W6 one that fails (%s) erases no block, before or after it, and skips nobody",
    async (broken) => {
      const decision = await decideOn(call, [
        hook("before", blocks("first")),
        hook("broken", broken, "continue", 500),
        hook("after", blocks("second")),
      ]);
      expect(decision.reasons.map(({ text }) => text)).toEqual(["first", "second"]);
      expect(notices(decision)).toMatchObject([{ hook: "broken", is_error: true, event_name: "pre_tool_use" }]);
    },
  );
});

describe("a command hook that answers wrongly", () => {
  it.each([
    "oops",
    '{"decision":',
    "[]",
    '{"decision":"block"} ok',
    '{"decison":"block"}',
    '{"decision":"deny"}',
    '{"hook_specific_output":{}}',
  ])("Q-31 Q-32 with on_error continue changes nothing and leaves one notice: %s", async (stdout) => {
    const decision = await decideOn(call, [hook("h", `cat > /dev/null; printf '%s' '${stdout}'`, "continue")]);
    expect(decision).toMatchObject({ kind: "none", reasons: [], context: [] });
    expect(notices(decision)).toEqual([
      {
        event_name: "pre_tool_use",
        is_error: true,
        code: "invalid-answer",
        hook: "h",
        message: expect.stringContaining(`stdout was "${stdout}"`),
      },
    ]);
  });

  it("Q-31 W1 is a guard that failed, and blocks, where on_error says block", async () => {
    const decision = await decideOn(call, [hook("guard", "echo oops")]);
    expect(decision.kind).toBe("block");
    expect(notices(decision)).toMatchObject([{ is_error: true, code: "invalid-answer", hook: "guard" }]);
  });

  it("Q-34 voids nobody else's answer", async () => {
    const decision = await decideOn(call, [hook("bad", "echo oops", "continue"), hook("good", blocks("No."))]);
    expect([decision.kind, leadingReason(decision)]).toEqual(["block", "No."]);
  });

  it.each([
    ["exit 3", "exit"],
    ["kill -9 $$", "signal"],
    ["sleep 30", "timeout"],
    ["no-such-program", "missing"],
    ["yes", "output-limit"],
    ["echo oops", "invalid-answer"],
  ])("W14 every way to fail (%s) leaves one notice with its kind and the hook's name", async (command, code) => {
    const decision = await decideOn(call, [hook("h", command, "continue", 500)]);
    expect(notices(decision)).toMatchObject([{ event_name: "pre_tool_use", is_error: true, code, hook: "h" }]);
  });

  it("Q-36 leaves the event, the code and stderr in the notice and the reason", async () => {
    const decision = await decideOn(call, [hook("h", "echo broken >&2; exit 3")]);
    for (const text of [leadingReason(decision), notices(decision)[0]?.message]) {
      expect(text).toContain("pre_tool_use command exited with code 3: broken");
    }
  });

  it("Q-72 on post_tool_use leaves the output as it was", async () => {
    const decision = await decideOn(sampleEvent("post_tool_use"), [hook("h", "echo oops", "continue")]);
    expect(decision).toMatchObject({ kind: "none", final: { response: "a.txt" } });
    expect(notices(decision)).toHaveLength(1);
  });
});

describe("a command hook on other events", () => {
  it("rewrites the output of a tool", async () => {
    const redact = says(specific("post_tool_use", { updated_output: "[redacted]" }));
    expect((await decideOn(sampleEvent("post_tool_use"), [hook("h", redact)])).rewrite).toBe("[redacted]");
  });

  it("Q-77 continues a turn once", async () => {
    const goOn = says({ continue: false, reason: "Run the tests." });
    expect((await decideOn(sampleEvent("stop"), [hook("h", goOn)])).kind).toBe("continue");
    expect((await decideOn(sampleEvent("stop", { continuations: 1 }), [hook("h", goOn)])).kind).toBe("none");
  });

  it("Q-94 cannot stop a delegation that has begun; asking for it leaves a note that is no error", async () => {
    const decision = await decideOn(sampleEvent("delegation_start"), [hook("h", says({ continue: false }))]);
    expect(decision.kind).toBe("none");
    expect(notices(decision)).toMatchObject([{ event_name: "delegation_start", is_error: false, hook: "h" }]);
  });

  it("Q-61 is not started where its matcher does not match", async () => {
    const guard = { ...hook("h", "touch not-me"), when: { matcher: /^write$/ } };
    const decision = await decideOn(sampleEvent("pre_tool_use", { tool: shell("ls") }), [guard]);
    expect(decision.trace[0]?.skipped).toBe("matcher ^write$ does not match");
    expect(() => readFileSync(join(place, "not-me"))).toThrow();
  });
});
