import { chmod, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runOffline } from "../../src/proof/offline-run.ts";
import {
  answering,
  blockingWhenItSees,
  call,
  offlineProgram,
  resultOf,
  runGuarded,
  runInProject,
  saidByModel,
  told,
} from "./guarded-host.ts";
import { configureUserHooks, holdfast, holdfastEnvironment, type ShellHook } from "./holdfast.ts";
import { installedHost } from "./installed-host.ts";
import { describeRealHost } from "./scenarios.ts";
import { makeScratch, type Scratch } from "./scratch.ts";

describeRealHost("gemini");

describe.runIf(process.env.HOLDFAST_REAL_HOSTS === "1")("what is peculiar to Gemini CLI", () => {
  const { says } = offlineProgram("gemini");
  let scratch: Scratch;

  beforeEach(async () => {
    scratch = await makeScratch();
  });
  afterEach(() => scratch.remove());

  test("a stop hook that always wants more is heard exactly once, also when the forced turn uses a tool", async () => {
    const goOn: ShellHook = { event: "stop", script: answering({ decision: "block", reason: "REASON-GO-ON" }) };
    const run = await runGuarded("gemini", scratch, [goOn], {
      script: [
        { text: "FIRST" },
        { tools: [call("call", says.shell("printf ran > out.txt"))] },
        { text: "SECOND" },
        { text: "THIRD" },
      ],
    });

    expect(scratch.read("out.txt"), run.story).toBe("ran");
    expect(saidByModel(run, "main"), run.story).toEqual(["FIRST", "", "SECOND"]);
    expect(told(run, "REASON-GO-ON", "main"), run.story).toHaveLength(1);
  });

  test("what a rewrite leaves out of the input is gone, although the documents speak of merging", async () => {
    await scratch.write("project/sub/kept.txt", "");
    const rewrite: ShellHook = {
      event: "pre_tool_use",
      matcher: "^shell$",
      script: answering(specific("pre_tool_use", { updated_input: { command: "printf ran > out.txt" } })),
    };
    const said = { name: "run_shell_command", input: { command: "printf no > out.txt", dir_path: "sub" } };
    const run = await runGuarded("gemini", scratch, [rewrite], {
      script: [{ tools: [call("call", said)] }, { text: "END" }],
    });

    expect([scratch.read("out.txt"), scratch.read("sub/out.txt")], run.story).toEqual(["ran", undefined]);
  });

  test("a rewrite with context beside it is made, and the context reported as not delivered", async () => {
    const output = { updated_input: { command: "printf ran > out.txt" }, additional_context: "CANARY" };
    const hook: ShellHook = { event: "pre_tool_use", script: answering(specific("pre_tool_use", output)) };
    const run = await runGuarded("gemini", scratch, [hook], {
      script: [{ tools: [call("call", says.shell("printf no > out.txt"))] }, { text: "END" }],
    });

    expect(scratch.read("out.txt"), run.story).toBe("ran");
    expect(await holdfast(scratch, "notices", "--json"), run.story).toContain(
      "context before a tool call was not sent",
    );
  });

  test("another output takes the place of the tool's own", async () => {
    const hook: ShellHook = {
      event: "post_tool_use",
      script: answering(specific("post_tool_use", { updated_output: "OTHER-OUTPUT" })),
    };
    const run = await runGuarded("gemini", scratch, [hook], {
      script: [{ tools: [call("call", says.shell("echo OWN-OUT''PUT"))] }, { text: "END" }],
    });

    expect(resultOf(run, "call"), run.story).toContain("OTHER-OUTPUT");
    expect(told(run, "OWN-OUTPUT"), run.story).toEqual([]);
  });

  test("context after a call that failed stands below its error, and the ledger has the failure", async () => {
    const hook: ShellHook = {
      event: "post_tool_use",
      script: answering(specific("post_tool_use", { additional_context: "CANARY" })),
    };
    const run = await runGuarded("gemini", scratch, [hook], {
      script: [
        { tools: [call("read", says.read(join(scratch.projectDir, "missing.txt")))] },
        { tools: [call("shell", says.shell("exit 3"))] },
        { tools: [call("fine", says.shell("exit 0"))] },
        { text: "END" },
      ],
    });

    expect(resultOf(run, "read"), run.story).toMatch(/^File not found: [\s\S]*CANARY/);
    const ledger = (scratch.read(".holdfast/tracking/ledger.jsonl") ?? "").trim().split("\n");
    expect(ledger.map((line) => JSON.parse(line).success)).toEqual([false, false, true]);
  });

  test("what hooks say of a delegation reaches the sub-agent", async () => {
    const hook: ShellHook = {
      event: "pre_delegation",
      script: answering(specific("pre_delegation", { additional_context: "CANARY" })),
    };
    const { delegate, endOfTask } = says;
    if (!delegate || !endOfTask) throw new Error("no sub-agents");
    const run = await runGuarded("gemini", scratch, [hook], {
      script: [{ tools: [call("delegate", delegate("SUB-TASK: do it"))] }, { text: "END" }],
      subAgents: [{ opening: "SUB-TASK", script: [{ tools: [call("end", endOfTask("SUB-END"))] }] }],
    });

    expect(told(run, "CANARY", "SUB-TASK"), run.story).not.toEqual([]);
    expect(resultOf(run, "delegate"), run.story).toContain("SUB-END");
  });

  test.each([
    ["killed", "kill -9 $$"],
    ["gone", "exec /nowhere/holdfast"],
  ])("a hook process that is %s blocks the call", async (_, ending) => {
    await configureUserHooks(scratch, []);
    await holdfast(scratch, "init", "--yes", "--hosts", "gemini");
    const dying = await scratch.write("holdfast", `#!/bin/sh\nif grep -q '"BeforeTool"'; then ${ending}; fi\n`);
    await chmod(dying, 0o755);
    const settings = scratch.read(SETTINGS) ?? "";
    const program = /"command": "(\S+) hook --host gemini/.exec(settings)?.[1] ?? "no registration";
    await scratch.write(`project/${SETTINGS}`, settings.replaceAll(`${program} hook`, `'${dying}' hook`));
    const run = await runInProject("gemini", scratch, {
      script: [{ tools: [call("call", says.shell("printf ran > out.txt"))] }, { text: "END" }],
    });

    expect(scratch.read("out.txt"), run.story).toBeUndefined();
    expect(resultOf(run, "call"), run.story).toContain("Blocked by holdfast: its hook ended without an answer.");
  });

  test("a person's consent makes the folder trusted, and uninstall takes it back", async () => {
    await configureUserHooks(scratch, [guardForbidden]);
    await holdfast(scratch, "init", "--hosts", "gemini");
    const untrusted = await runAsTrusted();
    expect(untrusted.exitCode, untrusted.story).toBe(55);

    await holdfast(scratch, "init", "--yes", "--hosts", "gemini");
    const trusted = await runAsTrusted();
    expect(resultOf(trusted, "call"), trusted.story).toContain("REASON-FORBIDDEN");
    expect(scratch.read("out.txt"), trusted.story).toBeUndefined();

    await holdfast(scratch, "uninstall");
    const file = readFile(join(scratch.home, ".gemini", "trustedFolders.json"), "utf8");
    await expect(file).rejects.toThrow("ENOENT");
  });

  test("a person's own hook and comments stay beside ours, and uninstall gives the file its old bytes", async () => {
    const hook = `{"type":"command",  "name":"own", "command":"cat >> own-hook.jsonl"}`;
    const before = `// my settings\n{\n\t"hooks" : {"BeforeTool":[ {"matcher":"shell","hooks":[${hook}]} /* mine, */ ]} // end\n}`;
    await scratch.write(`project/${SETTINGS}`, before);
    const run = await runGuarded("gemini", scratch, [guardForbidden], {
      script: [{ tools: [call("call", says.shell("printf forbidden > out.txt"))] }, { text: "END" }],
    });

    expect(resultOf(run, "call"), run.story).toContain("REASON-FORBIDDEN");
    expect(scratch.read("own-hook.jsonl"), run.story).toContain("printf forbidden > out.txt");
    expect(scratch.read(SETTINGS)).toMatch(/\/\/ my settings[\s\S]*\/\* mine, \*\/[\s\S]*\/\/ end/);
    await holdfast(scratch, "uninstall");
    expect(scratch.read(SETTINGS)).toBe(before);
  });

  /** With nothing trusted but what the home says. */
  async function runAsTrusted() {
    return runOffline({
      ...(await installedHost("gemini")),
      program: offlineProgram("gemini"),
      script: { script: [{ tools: [call("call", says.shell("printf forbidden > out.txt"))] }, { text: "END" }] },
      prompt: "go",
      homeDir: scratch.home,
      projectDir: scratch.projectDir,
      env: holdfastEnvironment(scratch),
      trustAsIs: true,
      timeoutMs: 90_000,
    });
  }
});

const SETTINGS = ".gemini/settings.json";

const guardForbidden: ShellHook = {
  event: "pre_tool_use",
  script: blockingWhenItSees("forbidden", "REASON-FORBIDDEN"),
};

const specific = (event: string, output: object) => ({
  hook_specific_output: { hook_event_name: event, ...output },
});
