import { existsSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  answering,
  blockingWhenItSees,
  call,
  offlineProgram,
  resultOf,
  runGuarded,
  runInProject,
  told,
} from "./guarded-host.ts";
import { configureUserHooks, holdfast, type ShellHook } from "./holdfast.ts";
import { describeRealHost } from "./scenarios.ts";
import { makeScratch, type Scratch } from "./scratch.ts";

describeRealHost("qwen");

describe.runIf(process.env.HOLDFAST_REAL_HOSTS === "1")("what is peculiar to Qwen Code", () => {
  const { says } = offlineProgram("qwen");
  let scratch: Scratch;

  beforeEach(async () => {
    scratch = await makeScratch();
  });
  afterEach(() => scratch.remove());

  test("a hook of the person's that allows everything takes back neither a block nor an ask", async () => {
    const allow = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } };
    const theirs = { type: "command", command: `printf '%s' '${JSON.stringify(allow)}'` };
    await scratch.write(
      "home/.qwen/settings.json",
      JSON.stringify({ hooks: { PreToolUse: [{ matcher: "*", hooks: [theirs] }] } }),
    );
    const ask: ShellHook = {
      event: "pre_tool_use",
      script: `if grep -q sensitive; then printf '%s' '${JSON.stringify(asking)}'; fi\n`,
    };
    const run = await runGuarded("qwen", scratch, [guardForbidden, ask], {
      script: [
        { tools: [call("blocked", says.shell("printf forbidden > blocked.txt"))] },
        { tools: [call("asked", says.shell("printf sensitive > asked.txt"))] },
        { tools: [call("passed", says.shell("printf fine > passed.txt"))] },
        { text: "END" },
      ],
    });

    expect(resultOf(run, "blocked"), run.story).toContain("REASON-FORBIDDEN");
    expect(resultOf(run, "asked"), run.story).toContain("REASON-ASK");
    expect(scratch.read("blocked.txt"), run.story).toBeUndefined();
    expect(scratch.read("asked.txt"), run.story).toBeUndefined();
    expect(scratch.read("passed.txt"), run.story).toBe("fine");
  });

  test("a reason that is longer than what Qwen Code reads still blocks", async () => {
    const long = `printf '{"decision":"block","reason":"REASON-LONG '; head -c 900000 /dev/zero | tr '\\0' x; printf '"}'\n`;
    const guard: ShellHook = { event: "pre_tool_use", script: `cat > /dev/null\n${long}` };
    const run = await runGuarded("qwen", scratch, [guard], {
      script: [{ tools: [call("call", says.shell("printf ran > out.txt"))] }, { text: "END" }],
    });

    expect(scratch.read("out.txt"), run.story).toBeUndefined();
    expect(resultOf(run, "call"), run.story).toContain("Blocked by holdfast");
  });

  test("another output takes the place of the tool's own, and the turn goes on", async () => {
    const output = { hook_event_name: "post_tool_use", updated_output: "OTHER-OUTPUT" };
    const hook: ShellHook = { event: "post_tool_use", script: answering({ hook_specific_output: output }) };
    const run = await runGuarded("qwen", scratch, [hook], {
      script: [
        { tools: [call("call", says.shell("echo OWN-OUT''PUT"))] },
        { tools: [call("next", says.shell("printf ran > next.txt"))] },
        { text: "END" },
      ],
    });

    expect(resultOf(run, "call"), run.story).toContain("OTHER-OUTPUT");
    expect(told(run, "OWN-OUTPUT"), run.story).toEqual([]);
    expect(scratch.read("next.txt"), run.story).toBe("ran");
  });

  test("a hook on prompts is asked about the person's prompt only, and not after every result of a tool", async () => {
    const log = join(scratch.projectDir, "prompts.log");
    const hook: ShellHook = { event: "user_prompt_submit", script: `cat >> '${log}'; echo >> '${log}'\n` };
    const run = await runGuarded("qwen", scratch, [hook], {
      prompt: "the only prompt",
      script: [{ tools: [call("call", says.shell("printf ran > out.txt"))] }, { text: "END" }],
    });

    const prompts = (scratch.read("prompts.log") ?? "").trim().split("\n");
    expect(
      prompts.map((line) => JSON.parse(line).prompt),
      run.story,
    ).toEqual(["the only prompt"]);
  });

  test("a command in a directory of its own is judged there", async () => {
    await scratch.write("project/.holdfast/keep.txt", "");
    await scratch.write("project/.qwen/keep.txt", "");
    const said = { name: "run_shell_command", input: { command: "rm settings.json", is_background: false } };
    const run = await runGuarded("qwen", scratch, [], {
      script: [
        { tools: [call("call", { ...said, input: { ...said.input, directory: join(scratch.projectDir, ".qwen") } })] },
        { text: "END" },
      ],
    });

    expect(resultOf(run, "call"), run.story).toContain("Blocked by holdfast");
    expect(scratch.read(".qwen/settings.json"), run.story).toBeDefined();
  });

  test("the ledger tells a command that failed from one that did not", async () => {
    const run = await runGuarded("qwen", scratch, [], {
      script: [
        { tools: [call("bad", says.shell("exit 3"))] },
        { tools: [call("fine", says.shell("exit 0"))] },
        { text: "END" },
      ],
    });

    const ledger = (scratch.read(".holdfast/tracking/ledger.jsonl") ?? "").trim().split("\n");
    expect(
      ledger.map((line) => JSON.parse(line).success),
      run.story,
    ).toEqual([false, true]);
  });

  test.each([
    ["killed", "kill -9 $$"],
    ["gone", "exec /nowhere/holdfast"],
    ["broken", "exit 1"],
  ])("a hook process that is %s blocks the call", async (_, ending) => {
    await configureUserHooks(scratch, []);
    await holdfast(scratch, "init", "--yes", "--hosts", "qwen");
    const dying = await scratch.write("holdfast", `#!/bin/sh\nif grep -q '"PreToolUse"'; then ${ending}; fi\n`);
    await chmod(dying, 0o755);
    const settings = scratch.read(SETTINGS) ?? "";
    const program = /"command": "(\S+) hook --host qwen/.exec(settings)?.[1] ?? "no registration";
    await scratch.write(`project/${SETTINGS}`, settings.replaceAll(`${program} hook`, `'${dying}' hook`));
    const run = await runInProject("qwen", scratch, {
      script: [{ tools: [call("call", says.shell("printf ran > out.txt"))] }, { text: "END" }],
    });

    expect(scratch.read("out.txt"), run.story).toBeUndefined();
    expect(resultOf(run, "call"), run.story).toContain("Blocked by holdfast: its hook ended without an answer.");
  });

  test("where folders need trust, a person's consent makes this one trusted, and uninstall takes it back", async () => {
    await scratch.write("home/.qwen/settings.json", `{"security":{"folderTrust":{"enabled":true}}}`);
    await configureUserHooks(scratch, [guardForbidden]);
    await holdfast(scratch, "init", "--yes", "--hosts", "qwen");
    const run = await runInProject("qwen", scratch, {
      script: [{ tools: [call("call", says.shell("printf forbidden > out.txt"))] }, { text: "END" }],
    });

    expect(resultOf(run, "call"), run.story).toContain("REASON-FORBIDDEN");
    expect(told(run, "untrusted"), run.story).toEqual([]);
    await holdfast(scratch, "uninstall");
    expect(existsInHome("trustedFolders.json")).toBe(false);
  });

  test("a person's own hook and comments stay beside ours", async () => {
    const hook = `{"type":"command",  "command":"cat >> own-hook.jsonl"}`;
    const before = `// my settings\n{\n\t"hooks" : {"PreToolUse":[ {"matcher":"Bash","hooks":[${hook}]} /* mine, */ ]}, "$version": 4 // end\n}`;
    await scratch.write(`project/${SETTINGS}`, before);
    const run = await runGuarded("qwen", scratch, [guardForbidden], {
      script: [{ tools: [call("call", says.shell("printf forbidden > out.txt"))] }, { text: "END" }],
    });

    expect(resultOf(run, "call"), run.story).toContain("REASON-FORBIDDEN");
    expect(scratch.read("own-hook.jsonl"), run.story).toContain("printf forbidden > out.txt");
    await holdfast(scratch, "uninstall");
    expect(scratch.read(SETTINGS)).toBe(before);
  });

  const existsInHome = (file: string) => existsSync(join(scratch.home, ".qwen", file));
});

const SETTINGS = ".qwen/settings.json";

const asking = {
  hook_specific_output: {
    hook_event_name: "pre_tool_use",
    permission_decision: "ask",
    permission_decision_reason: "REASON-ASK",
  },
};

const guardForbidden: ShellHook = {
  event: "pre_tool_use",
  script: blockingWhenItSees("forbidden", "REASON-FORBIDDEN"),
};
