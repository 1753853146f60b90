import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runOffline } from "../../src/proof/offline-run.ts";
import { blockingWhenItSees, call, offlineProgram, resultOf, runGuarded, runInProject } from "./guarded-host.ts";
import { configureUserHooks, holdfast, type ShellHook } from "./holdfast.ts";
import { installedHost } from "./installed-host.ts";
import { describeRealHost } from "./scenarios.ts";
import { makeScratch, type Scratch } from "./scratch.ts";

describeRealHost("claude-code");

describe.runIf(process.env.HOLDFAST_REAL_HOSTS === "1")("Claude Code and what a person has set up", () => {
  const { says } = offlineProgram("claude-code");
  let scratch: Scratch;

  beforeEach(async () => {
    scratch = await makeScratch();
  });
  afterEach(() => scratch.remove());

  test("a program that does not end is ended with all it started, and the story tells what it was doing", async () => {
    const run = await runOffline({
      ...(await installedHost("claude-code")),
      program: offlineProgram("claude-code"),
      prompt: "go",
      homeDir: scratch.home,
      projectDir: scratch.projectDir,
      script: { script: [{ tools: [call("call", says.shell("echo $$ > pid.txt; exec tail -f /dev/null"))] }] },
      timeoutMs: 12_000,
    });

    expect(run.timedOut).toBe(true);
    expect(run.story).toContain("exec tail");
    const command = Number(scratch.read("pid.txt"));
    expect(command).toBeGreaterThan(0);
    expect(() => process.kill(command, 0)).toThrow("ESRCH");
  });

  test("a person's own hook keeps working beside ours", async () => {
    const log = await writeSettingsWithOwnHook();
    const run = await runGuarded("claude-code", scratch, [guardForbiddenShell], {
      script: [{ tools: [call("blocked", says.shell("printf forbidden > blocked.txt"))] }, { text: "END" }],
    });

    expect(resultOf(run, "blocked"), run.story).toContain("REASON-FORBIDDEN");
    expect(scratch.read(log), run.story).toContain("printf forbidden > blocked.txt");
  });

  test("uninstall gives the settings file its old bytes, and the person's hook goes on", async () => {
    const log = await writeSettingsWithOwnHook();
    const before = scratch.read(settingsFile);
    await configureUserHooks(scratch, [guardForbiddenShell]);
    await holdfast(scratch, "init", "--hosts", "claude-code");
    expect(scratch.read(settingsFile)).not.toBe(before);

    await holdfast(scratch, "uninstall");

    expect(scratch.read(settingsFile)).toBe(before);
    const run = await runInProject("claude-code", scratch, {
      script: [{ tools: [call("call", says.shell("printf forbidden > out.txt"))] }, { text: "END" }],
    });
    expect(scratch.read("out.txt"), run.story).toBe("forbidden");
    expect(scratch.read(log), run.story).toContain("printf forbidden > out.txt");
  });

  const settingsFile = ".claude/settings.json";

  /** Formatted as no program would, so that a rewrite of the file shows. Returns the log the hook appends to. */
  async function writeSettingsWithOwnHook(): Promise<string> {
    const log = "own-hook.jsonl";
    const hook = `{"type":"command",  "command":"cat >> ${log}"}`;
    const settings = `{\n\t"hooks" : {"PreToolUse":[ {"matcher":"Bash","hooks":[${hook}]}]},\n   "env": {"ÜBUNG":"ja"}}`;
    await scratch.write(`project/${settingsFile}`, settings);
    return log;
  }
});

const guardForbiddenShell: ShellHook = {
  event: "pre_tool_use",
  matcher: "^shell$",
  script: blockingWhenItSees("forbidden", "REASON-FORBIDDEN"),
};
