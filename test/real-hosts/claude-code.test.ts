import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ClaudeRun, runClaude } from "./claude-code.ts";
import { configureUserHooks, holdfast, holdfastEnvironment, type ShellHook } from "./holdfast.ts";
import { makeScratch, type Scratch } from "./scratch.ts";
import type { ModelScript } from "./scripted-model.ts";
import type { ToolCall } from "./wire.ts";

// Only this folder's own vitest config sets the variable: the default run leaves these tests out.
const describeRealHost = describe.runIf(process.env.HOLDFAST_REAL_HOSTS === "1");

let scratch: Scratch;

beforeEach(async () => {
  scratch = await makeScratch();
});

afterEach(() => scratch.remove());

describeRealHost("the harness itself", () => {
  test("a plain hook fires, and all that happened is recorded", async () => {
    const log = await writeSettingsWithOwnHook();

    const run = await runClaude({
      ...scratch,
      prompt: "PROMPT-CANARY",
      script: [{ tools: [bash("call", "printf ran > out.txt")] }, { text: "END" }],
    });

    expect(run.exitCode, run.story).toBe(0);
    expect(scratch.read("out.txt"), run.story).toBe("ran");
    expect(JSON.parse(scratch.read(log) ?? "null"), run.story).toMatchObject({
      hook_event_name: "PreToolUse",
      cwd: scratch.projectDir,
      tool_name: "Bash",
    });
    expect(run.hookEvents, run.story).toMatchObject([{ hook_event: "PreToolUse", outcome: "success", exit_code: 0 }]);
    expect(run.events.at(-1), run.story).toMatchObject({ type: "result", result: "END" });
    expect(run.model.toolResults().get("call"), run.story).toMatchObject({ isError: false });
    expect(told(run, "PROMPT-CANARY", "main"), run.story).toHaveLength(1);
    expect(run.model.requests, run.story).toMatchObject([{ lane: "main" }, { lane: "main" }]);
  });

  test("a program that does not end is ended with all it started, and the failure tells what it was doing", async () => {
    const script = [{ tools: [bash("call", "echo $$ > pid.txt; exec tail -f /dev/null")] }];

    await expect(runClaude({ ...scratch, script, timeoutMs: 3_000 })).rejects.toThrow(/3000 ms(.|\n)*exec tail/);

    const command = Number(scratch.read("pid.txt"));
    expect(command).toBeGreaterThan(0);
    expect(() => process.kill(command, 0)).toThrow("ESRCH");
  });
});

describeRealHost("Claude Code with Holdfast", () => {
  test("a blocked command does not run, and the model is told the reason", async () => {
    const run = await runGuarded([guardForbiddenShell], {
      script: [
        { tools: [bash("blocked", "printf forbidden > blocked.txt")] },
        { tools: [bash("passed", "printf fine > passed.txt")] },
        { text: "END" },
      ],
    });

    expectBlocked(run, "blocked", "REASON-FORBIDDEN");
    expect(scratch.read("blocked.txt"), run.story).toBeUndefined();
    expect(scratch.read("passed.txt"), run.story).toBe("fine");
  });

  test("a rewritten command runs as rewritten", async () => {
    const rewrite = preToolUse({ updated_input: { command: "printf rewritten > out.txt" } });
    const run = await runGuarded([{ event: "pre_tool_use", matcher: "^shell$", script: answering(rewrite) }], {
      script: [{ tools: [bash("call", "printf original > out.txt")] }, { text: "END" }],
    });

    expect(scratch.read("out.txt"), run.story).toBe("rewritten");
    expect(run.model.toolResults().get("call"), run.story).toMatchObject({ isError: false });
  });

  test.each(["session_start", "user_prompt_submit", "pre_tool_use"])(
    "context from %s reaches the model",
    async (event) => {
      const context = { hook_specific_output: { hook_event_name: event, additional_context: `CANARY-${event}` } };
      const run = await runGuarded([{ event, script: answering(context) }], {
        script: [{ tools: [bash("call", "printf ran > out.txt")] }, { text: "END" }],
      });

      expect(told(run, `CANARY-${event}`, "main"), run.story).not.toEqual([]);
      expect(scratch.read("out.txt"), run.story).toBe("ran");
    },
  );

  test("a write to a file is blocked like a command", async () => {
    const guard = { event: "pre_tool_use", matcher: "^write$", script: blockingWhenItSees("kept.txt", "REASON-KEPT") };
    const run = await runGuarded([guard], {
      script: [
        { tools: [write("blocked", "kept.txt", "changed"), write("passed", "other.txt", "written")] },
        { text: "END" },
      ],
    });

    expectBlocked(run, "blocked", "REASON-KEPT");
    expect(scratch.read("kept.txt"), run.story).toBeUndefined();
    expect(scratch.read("other.txt"), run.story).toBe("written");
  });

  test.each([
    ["exits with 1", "exit 1"],
    ["is killed by a signal", "kill -9 $$"],
    ["prints words where an answer belongs", "echo all is fine"],
    ["prints half an answer", `printf '{"decision": "app'`],
  ])("a guard that %s blocks the call", async (_failure, script) => {
    const run = await runGuarded(
      [{ event: "pre_tool_use", matcher: "^shell$", script: `cat > /dev/null\n${script}\n` }],
      {
        script: [
          { tools: [bash("blocked", "printf ran > out.txt")] },
          { tools: [write("passed", "other.txt", "written")] },
          { text: "END" },
        ],
      },
    );

    expectBlocked(run, "blocked");
    expect(scratch.read("out.txt"), run.story).toBeUndefined();
    expect(scratch.read("other.txt"), run.story).toBe("written");
  });

  test("a block after the call hides the command's output from the model", async () => {
    await scratch.write("project/notes.txt", "LINE-NOBODY-MAY-SEE");
    const block = { decision: "block", reason: "REASON-WITHHELD" };
    const run = await runGuarded([{ event: "post_tool_use", matcher: "^shell$", script: answering(block) }], {
      script: [{ tools: [bash("call", "cat notes.txt; cat notes.txt >&2; touch ran.txt")] }, { text: "END" }],
    });

    expect(scratch.read("ran.txt"), run.story).toBe("");
    expect(told(run, "REASON-WITHHELD"), run.story).not.toEqual([]);
    expect(told(run, "LINE-NOBODY-MAY-SEE"), run.story).toEqual([]);
  });

  test("a stop hook that always wants more is heard exactly once", async () => {
    const goOn = { decision: "block", reason: "REASON-GO-ON" };
    const run = await runGuarded([{ event: "stop", script: answering(goOn) }], {
      script: [{ text: "FIRST" }, { text: "SECOND" }, { text: "THIRD" }],
    });

    expect(saidByModel(run, "main"), run.story).toEqual(["FIRST", "SECOND"]);
    expect(told(run, "REASON-GO-ON", "main"), run.story).not.toEqual([]);
    expect(run.events.at(-1), run.story).toMatchObject({ type: "result", result: "SECOND" });
  });

  test("a sub-agent's command is blocked like the main agent's", async () => {
    const task = { description: "a task", prompt: "SUB-TASK: do it", subagent_type: "general-purpose" };
    const run = await runGuarded([guardForbiddenShell], {
      script: [{ tools: [{ id: "delegate", name: "Agent", input: task }] }, { text: "WAITING" }, { text: "END" }],
      subAgents: [
        {
          opening: "SUB-TASK",
          script: [
            { tools: [bash("blocked", "printf forbidden > blocked.txt")] },
            { tools: [bash("passed", "printf fine > passed.txt")] },
            { text: "SUB-END" },
          ],
        },
      ],
    });

    expect(saidByModel(run, "SUB-TASK"), run.story).toContain("SUB-END");
    expectBlocked(run, "blocked", "REASON-FORBIDDEN");
    expect(scratch.read("blocked.txt"), run.story).toBeUndefined();
    expect(scratch.read("passed.txt"), run.story).toBe("fine");
  });

  test("a person's own hook keeps working beside ours", async () => {
    const log = await writeSettingsWithOwnHook();
    const run = await runGuarded([guardForbiddenShell], {
      script: [{ tools: [bash("blocked", "printf forbidden > blocked.txt")] }, { text: "END" }],
    });

    expectBlocked(run, "blocked", "REASON-FORBIDDEN");
    expect(scratch.read(log), run.story).toContain("printf forbidden > blocked.txt");
  });

  test("uninstall gives the settings file its old bytes, and nothing is blocked any more", async () => {
    const log = await writeSettingsWithOwnHook();
    const before = scratch.read(settingsFile);
    await configureUserHooks(scratch, [guardForbiddenShell]);
    await holdfast(scratch, "init", "--hosts", "claude-code");
    expect(scratch.read(settingsFile)).not.toBe(before);

    await holdfast(scratch, "uninstall");

    expect(scratch.read(settingsFile)).toBe(before);
    const run = await runInProject({
      script: [{ tools: [bash("call", "printf forbidden > out.txt")] }, { text: "END" }],
    });
    expect(scratch.read("out.txt"), run.story).toBe("forbidden");
    expect(scratch.read(log), run.story).toContain("printf forbidden > out.txt");
  });

  test("the ledger has a line for every tool call that ran, and none for one that did not", async () => {
    await scratch.write("project/to-read.txt", "content");
    const run = await runGuarded([guardForbiddenShell], {
      script: [
        { tools: [bash("ok", "printf ran > ran-ok.txt")] },
        { tools: [bash("failed", "printf ran > ran-failed.txt; exit 3")] },
        { tools: [bash("blocked", "printf forbidden > ran-blocked.txt")] },
        { tools: [write("written", "ran-written.txt", "written")] },
        { tools: [{ id: "read", name: "Read", input: { file_path: `${scratch.projectDir}/to-read.txt` } }] },
        { text: "END" },
      ],
    });

    const ledger = scratch.read(".holdfast/tracking/ledger.jsonl") ?? "";
    const entries = ledger.split("\n").filter((line) => line !== "");
    expect(
      entries.map((line) => JSON.parse(line).tool_use_id),
      `ledger:\n${ledger}\n${run.story}`,
    ).toEqual(["ok", "failed", "written", "read"]);
  });
});

const settingsFile = ".claude/settings.json";

const guardForbiddenShell: ShellHook = {
  event: "pre_tool_use",
  matcher: "^shell$",
  script: blockingWhenItSees("forbidden", "REASON-FORBIDDEN"),
};

async function runGuarded(hooks: readonly ShellHook[], model: ModelScript): Promise<ClaudeRun> {
  await configureUserHooks(scratch, hooks);
  await holdfast(scratch, "init", "--hosts", "claude-code");
  return runInProject(model);
}

async function runInProject(model: ModelScript): Promise<ClaudeRun> {
  const run = await runClaude({ ...scratch, ...model, env: holdfastEnvironment(scratch) });
  expect(run.exitCode, run.story).toBe(0);
  return run;
}

function expectBlocked(run: ClaudeRun, call: string, reason = ""): void {
  const result = run.model.toolResults().get(call);
  expect(result, run.story).toMatchObject({ isError: true });
  expect(result?.text, run.story).toContain(reason);
}

/** The texts with the word in them, and no others: a failure must not print the host's whole system prompt. */
function told(run: ClaudeRun, word: string, lane?: string): string[] {
  return run.model.textsSentToModel(lane).filter((text) => text.includes(word));
}

function saidByModel(run: ClaudeRun, lane: string): string[] {
  return run.model.requests.flatMap((request) => (request.lane === lane ? [request.answer?.text ?? ""] : []));
}

function bash(id: string, command: string): ToolCall {
  return { id, name: "Bash", input: { command, description: "a step of the script" } };
}

function write(id: string, file: string, content: string): ToolCall {
  return { id, name: "Write", input: { file_path: `${scratch.projectDir}/${file}`, content } };
}

function preToolUse(output: object): object {
  return { hook_specific_output: { hook_event_name: "pre_tool_use", ...output } };
}

function answering(answer: object): string {
  return `cat > /dev/null\nprintf '%s' '${JSON.stringify(answer)}'\n`;
}

function blockingWhenItSees(word: string, reason: string): string {
  return `if grep -q '${word}'; then printf '%s' '${JSON.stringify({ decision: "block", reason })}'; fi\n`;
}

/** Formatted as no program would, so that a rewrite of the file shows. Returns the log the hook appends to. */
async function writeSettingsWithOwnHook(): Promise<string> {
  const log = "own-hook.jsonl";
  const hook = `{"type":"command",  "command":"cat >> ${log}"}`;
  const settings = `{\n\t"hooks" : {"PreToolUse":[ {"matcher":"Bash","hooks":[${hook}]}]},\n   "env": {"ÜBUNG":"ja"}}`;
  await scratch.write(`project/${settingsFile}`, settings);
  return log;
}
