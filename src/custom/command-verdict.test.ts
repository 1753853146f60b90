import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type AgentEvent, EVENT_NAMES, type EventName, eventRow } from "../core/event.ts";
import type { HookFailure } from "../core/failure.ts";
import type { Verdict } from "../core/verdict.ts";
import { commandHook } from "./command.ts";
import { sampleEvent } from "./wire.fixture.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-verdict-")));
afterAll(() => rmSync(place, { recursive: true, force: true }));

const judge = async (command: string, event: EventName = "pre_tool_use"): Promise<Verdict> => {
  const context = { now: new Date(0), options: {}, signal: new AbortController().signal };
  const happened = { ...sampleEvent(event), cwd: place } as AgentEvent;
  return commandHook({ name: "h", command, timeoutMs: 10_000 })(happened, context);
};
const failureOf = async (command: string, event: EventName = "pre_tool_use"): Promise<HookFailure> => {
  const error = await judge(command, event).then(
    (verdict) => ({ verdict }),
    (error) => error,
  );
  expect(error).toMatchObject({ name: "HookFailure" });
  return error;
};
const printing = (answer: object) => `cat > /dev/null; printf '%s' '${JSON.stringify(answer)}'`;

describe("exit code 0", () => {
  it("Q-31 with an answer gives it; with anything else it is a failure", async () => {
    expect((await judge(printing({ decision: "block", reason: "No." }))).opinion).toEqual({
      kind: "block",
      reason: "No.",
    });
    expect(await failureOf("echo checking")).toMatchObject({ code: "invalid-answer" });
  });
});

describe("exit code 2", () => {
  it("W2 blocks, with stderr as the reason", async () => {
    expect((await judge("echo 'Not on main.' >&2; exit 2")).opinion).toEqual({ kind: "block", reason: "Not on main." });
  });

  it.each(["user_prompt_submit", "permission_request", "post_tool_use", "pre_compaction", "pre_delegation"] as const)(
    "W2 blocks %s",
    async (event) => {
      expect((await judge("echo No. >&2; exit 2", event)).opinion).toEqual({ kind: "block", reason: "No." });
    },
  );

  it("W2 blocks without a word; the engine or the predecessor's words give the reason", async () => {
    expect((await judge("exit 2")).opinion).toEqual({ kind: "block", reason: "" });
    expect((await judge("exit 2", "pre_compaction")).opinion).toMatchObject({ reason: "compaction blocked by hook" });
  });

  it("takes plain text on stdout as the reason when stderr is silent", async () => {
    expect((await judge("echo 'Not here.'; exit 2")).opinion).toEqual({ kind: "block", reason: "Not here." });
    expect((await judge("echo checking; echo 'Not here.' >&2; exit 2")).opinion).toMatchObject({ reason: "Not here." });
  });

  it("Q-37 honours the JSON on stdout: its reason, its context, its message", async () => {
    const answer = {
      decision: "block",
      reason: "From JSON.",
      system_message: "Hello",
      hook_specific_output: { hook_event_name: "pre_tool_use", additional_context: "Read the policy." },
    };
    expect(await judge(`${printing(answer)}; echo 'From stderr.' >&2; exit 2`)).toMatchObject({
      opinion: { kind: "block", reason: "From JSON." },
      context: ["Read the policy."],
      effects: [{ notice: { message: "Hello", is_error: false } }],
    });
  });

  it.each([
    { reason: "Because." },
    { hook_specific_output: { hook_event_name: "pre_tool_use", permission_decision_reason: "Because." } },
    { reason: "Because.", hook_specific_output: { hook_event_name: "pre_tool_use", permission_decision: "ask" } },
  ])("Q-37 is a block for the reason that the JSON gives: %j", async (answer) => {
    expect((await judge(`${printing(answer)}; exit 2`)).opinion).toEqual({ kind: "block", reason: "Because." });
  });

  it("W2 is never weakened by JSON that says nothing, allows or rewrites", async () => {
    const rewrite = { hook_specific_output: { hook_event_name: "pre_tool_use", updated_input: { command: "ls" } } };
    for (const answer of [{}, { decision: "approve", reason: "fine" }, rewrite]) {
      const verdict = await judge(`${printing(answer)}; echo No. >&2; exit 2`);
      expect(verdict.opinion).toEqual({ kind: "block", reason: "No." });
      expect(verdict).not.toHaveProperty("rewrite");
    }
  });

  it("W2 W14 still blocks when the JSON cannot be used, and leaves a notice of that", async () => {
    const verdict = await judge(`${printing({ decision: "block", colour: "red" })}; echo No. >&2; exit 2`);
    expect(verdict.opinion).toEqual({ kind: "block", reason: "No." });
    expect(verdict.effects).toMatchObject([{ notice: { is_error: true, code: "invalid-answer", hook: "h" } }]);
  });

  it("on stop asks for another step, unless the JSON halts", async () => {
    expect((await judge("echo 'Run the tests.' >&2; exit 2", "stop")).opinion).toEqual({
      kind: "continue",
      reason: "Run the tests.",
    });
    expect((await judge("exit 2", "stop")).opinion).toMatchObject({ reason: "continue requested by stop hook" });
    expect((await judge(`${printing({ halt: true })}; exit 2`, "stop")).opinion).toMatchObject({ kind: "halt" });
  });

  it("on an event that cannot be blocked is a failure, unless JSON says something the event can express", async () => {
    const mute = EVENT_NAMES.filter((event) => !eventRow(event).answers.some((a) => ["block", "continue"].includes(a)));
    expect(mute).toContain("session_start");
    for (const event of mute) {
      const failure = await failureOf("echo No. >&2; exit 2", event);
      expect(failure).toMatchObject({ code: "invalid-answer", message: `exit code 2 blocks nothing on ${event}: No.` });
    }
    const answer = { hook_specific_output: { hook_event_name: "session_start", additional_context: "Use pnpm." } };
    expect(await judge(`${printing(answer)}; exit 2`, "session_start")).toMatchObject({
      opinion: { kind: "none" },
      context: ["Use pnpm."],
      effects: [{ notice: { is_error: false, code: "control-ignored" } }],
    });
  });

  it("gives a long reason its beginning and its end", async () => {
    const { opinion } = await judge("echo first >&2; head -c 50000 /dev/zero | tr '\\0' x >&2; echo last >&2; exit 2");
    const reason = "reason" in opinion ? (opinion.reason ?? "") : "";
    expect(reason).toMatch(/^first.*last$/s);
    expect(reason.length).toBeLessThan(8100);
  });
});

describe("a script or program that is not there", () => {
  it.each([
    "sh ./missing.sh",
    "dash ./missing.sh",
    "bash ./missing.sh",
    "python3 ./missing.py",
    "perl ./missing.pl",
    "./missing.sh",
    "no-such-program-at-all",
    "exec no-such-program-at-all",
    ". ./missing.sh",
    "cat | sh ./missing.sh",
    "./not-executable.sh",
  ])("W2 is a failure, not a block and not an allow: %s", async (command) => {
    writeFileSync(join(place, "not-executable.sh"), "echo '{}'", { mode: 0o644 });
    expect(await failureOf(command)).toMatchObject({ code: "missing" });
    expect((await failureOf(command)).message).toMatch(
      /^pre_tool_use command cannot be run \(exit code \d+\): .*(missing|no-such|not-exec)/,
    );
  });

  it("W2 is not assumed when a hook says more, or something else, with exit code 2", async () => {
    for (const words of ["config.yaml: cannot be opened on Fridays", "checked\nsh: 0: cannot open x", "not found"]) {
      expect((await judge(`printf '%s' '${words}' >&2; exit 2`)).opinion).toEqual({ kind: "block", reason: words });
    }
  });
});

describe("every other end", () => {
  it.each([1, 3, 64, 125])("Q-36 exit code %d is a failure with the event, the code and stderr", async (code) => {
    const failure = await failureOf(`echo '  it broke  ' >&2; exit ${code}`, "user_prompt_submit");
    expect(failure).toMatchObject({
      code: "exit",
      message: `user_prompt_submit command exited with code ${code}: it broke`,
    });
  });

  it("Q-36 ignores what it printed: a crash after an answer is a crash", async () => {
    expect(await failureOf(`${printing({ decision: "approve" })}; exit 1`)).toMatchObject({ code: "exit" });
  });

  it.each(["KILL", "TERM", "SEGV"])("W2 death by SIG%s is a failure, even after an answer", async (signal) => {
    expect(await failureOf(`echo '{}'; kill -${signal} $$`)).toMatchObject({
      code: "signal",
      message: `pre_tool_use command was killed by SIG${signal}`,
    });
  });

  it("W2 death of a program inside the shell is one too", async () => {
    writeFileSync(join(place, "die.sh"), "kill -9 $$");
    expect(await failureOf("cat | sh ./die.sh")).toMatchObject({
      code: "signal",
      message: expect.stringContaining("exit code 137"),
    });
  });
});
