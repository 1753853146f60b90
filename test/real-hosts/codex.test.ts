import { spawn } from "node:child_process";
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { failedInTranscript } from "../../src/hosts/codex/transcript.ts";
import type { OfflineRun } from "../../src/hosts/program.ts";
import { programById } from "../../src/hosts/programs.ts";
import { cleanPath } from "../../src/proof/host-process.ts";
import { runOffline } from "../../src/proof/offline-run.ts";
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
import { configureUserHooks, holdfast, holdfastEnvironment, type ShellHook } from "./holdfast.ts";
import { installedHost } from "./installed-host.ts";
import { describeRealHost } from "./scenarios.ts";
import { makeScratch, type Scratch } from "./scratch.ts";

describeRealHost("codex");

describe.runIf(process.env.HOLDFAST_REAL_HOSTS === "1")("Codex, its trust and what a person has set up", () => {
  const { says } = offlineProgram("codex");
  const forbidden = { script: [{ tools: [call("call", says.shell("printf forbidden > out.txt"))] }, { text: "END" }] };
  let scratch: Scratch;

  beforeEach(async () => {
    scratch = await makeScratch();
  });
  afterEach(() => scratch.remove());

  test("without the person's consent Codex skips our hooks; with it they run, and Codex itself lists all as trusted", async () => {
    await configureUserHooks(scratch, [guardForbiddenShell]);
    await holdfast(scratch, "init", "--hosts", "codex");
    const before = await runInProject("codex", scratch, forbidden);
    expect(scratch.read("out.txt"), before.story).toBe("forbidden");
    // The run, which may do everything, made Codex trust the project; the hooks it did not.
    expect(await ownProblems(scratch)).toHaveLength(11);

    await holdfast(scratch, "init", "--yes", "--hosts", "codex");

    expect(await ownProblems(scratch)).toEqual([]);
    const { script } = {
      script: [{ tools: [call("call", says.shell("printf forbidden > out2.txt"))] }, { text: "END" }],
    };
    const after = await runInProject("codex", scratch, { script });
    expect(scratch.read("out2.txt"), after.story).toBeUndefined();
  });

  test("consent covers the project too: a run that may write nothing heeds our hooks at the first start", async () => {
    await configureUserHooks(scratch, [guardForbiddenShell]);
    await holdfast(scratch, "init", "--yes", "--hosts", "codex");
    expect(await ownProblems(scratch)).toEqual([]);
    const program = offlineProgram("codex");
    const run = await runOffline({
      ...(await installedHost("codex")),
      program: { ...program, run: (setting) => withoutBypass(program.run(setting)) },
      script: forbidden,
      prompt: "go",
      homeDir: scratch.home,
      projectDir: scratch.projectDir,
      env: holdfastEnvironment(scratch),
      timeoutMs: 60_000,
    });
    expect(resultOf(run, "call"), run.story).toContain("REASON-FORBIDDEN");
  });

  test("uninstall gives a person's own files their old bytes; a hook before ours moves our place, and trust follows", async () => {
    const own = `{"hooks" : {"PreToolUse":[ {"matcher":"Bash","hooks":[{"type":"command",  "command":"cat >> own-hook.jsonl"}]}]}}`;
    const config = `# mine\nmodel_reasoning_effort = "low" # fast\n\n[hooks.state."/elsewhere/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:theirs"`;
    await scratch.write("project/.codex/hooks.json", own);
    const configFile = await scratch.write("home/.codex/config.toml", config);
    await holdfast(scratch, "init", "--yes", "--hosts", "codex");
    expect(readFileSync(configFile, "utf8").startsWith(config)).toBe(true);
    await holdfast(scratch, "uninstall");
    expect(scratch.read(".codex/hooks.json")).toBe(own);
    expect(readFileSync(configFile, "utf8")).toBe(config);

    const run = await runGuarded("codex", scratch, [guardForbiddenShell], forbidden);
    expect(resultOf(run, "call"), run.story).toContain("REASON-FORBIDDEN");
    expect(readFileSync(configFile, "utf8")).toContain(`.codex/hooks.json:pre_tool_use:1:0"]`);
    // Nobody vouched for theirs.
    expect(scratch.read("own-hook.jsonl"), run.story).toBeUndefined();

    // Codex has noted by now that the project is trusted: that is not ours to take out.
    await holdfast(scratch, "uninstall");
    const left = readFileSync(configFile, "utf8");
    expect(left.startsWith(config)).toBe(true);
    expect(left).not.toContain("hooks.json:pre_tool_use");
  });

  test("a rewrite and context go together, through a patch with letters and spaces in its path", async () => {
    const path = `${scratch.projectDir}/grüße an alle.txt`;
    const command = `*** Begin Patch\n*** Add File: ${path}\n+REWRITTEN\n*** End Patch`;
    const output = { hook_event_name: "pre_tool_use", updated_input: { command }, additional_context: "CANARY-ÄÖ" };
    const rewrite = { event: "pre_tool_use", matcher: "^edit$", script: answering({ hook_specific_output: output }) };
    const run = await runGuarded("codex", scratch, [rewrite], {
      script: [{ tools: [call("call", says.write(path, "original"))] }, { text: "END" }],
    });

    expect(scratch.read("grüße an alle.txt"), run.story).toBe("REWRITTEN\n");
    expect(told(run, "CANARY-ÄÖ"), run.story).not.toEqual([]);
  });

  test("a call is blocked where our program is not there any more, or dies", async () => {
    await configureUserHooks(scratch, []);
    await holdfast(scratch, "init", "--yes", "--hosts", "codex");
    const hooks = join(scratch.projectDir, ".codex/hooks.json");
    const config = join(scratch.home, ".codex/config.toml");
    const endings = { killed: "*PreToolUse*) kill -9 $$ ;;", gone: '*UserPromptSubmit*) rm "$0" ;;' };
    for (const [name, ending] of Object.entries(endings)) {
      const script = `#!/bin/sh\ncase $(cat) in\n${ending}\nesac\n`;
      const program = await scratch.write(`${name}/holdfast`, script);
      chmodSync(program, 0o755);
      await pointAt(program, hooks, config);
      const run = await runInProject("codex", scratch, {
        script: [{ tools: [call("call", says.shell(`printf ran > ${name}.txt`))] }, { text: "END" }],
      });
      expect(scratch.read(`${name}.txt`), run.story).toBeUndefined();
      expect(resultOf(run, "call"), run.story).toContain("Blocked by holdfast: it could not run");
    }
  });

  test("a patch through the shell is held to protected paths", async () => {
    const patch = `apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: .codex/extra.json\n+x\n*** End Patch\nEOF`;
    const run = await runGuarded("codex", scratch, [], {
      script: [{ tools: [call("call", says.shell(patch))] }, { text: "END" }],
    });

    expect(scratch.read(".codex/extra.json"), run.story).toBeUndefined();
    expect(resultOf(run, "call"), run.story).toContain("Blocked by holdfast");
  });

  test("whether a command failed is in the transcript when the hook after it runs", async () => {
    const log = join(scratch.stateDir, "seen");
    const run = await runGuarded("codex", scratch, [{ event: "post_tool_use", script: copyTranscript(log) }], {
      script: [
        { tools: [call("failed", says.shell("echo out; exit 3"))] },
        { tools: [call("ok", says.shell("echo out"))] },
        { text: "END" },
      ],
    });

    const transcript = (id: string) => readFileSync(`${log}.${id}`, "utf8");
    expect(failedInTranscript(transcript("failed"), "failed"), run.story).toBe(true);
    expect(failedInTranscript(transcript("ok"), "ok"), run.story).toBe(false);
  });

  /** A copy of the transcript as it was when the hook ran, by the id of the call. */
  const copyTranscript = (log: string) =>
    `payload=$(cat)\nnode -e 'const p=JSON.parse(process.argv[1]);require("fs").copyFileSync(p.transcript_path,process.argv[2]+"."+p.tool_use_id)' "$payload" '${log}'\n`;

  async function pointAt(program: string, hooks: string, config: string): Promise<void> {
    const files = new Map([[hooks, readFileSync(hooks, "utf8")]]);
    const { install } = await import("../../src/hosts/codex/install.ts");
    const target = {
      projectDir: scratch.projectDir,
      homeDir: scratch.home,
      env: {},
      level: "project" as const,
      program,
      plugin: "",
      listFiles: () => [],
      readFile: (path: string) => files.get(path),
    };
    const registered = install.edits(target)[0]?.add(files.get(hooks)) ?? "";
    files.set(hooks, registered);
    await scratch.write("project/.codex/hooks.json", registered);
    await scratch.write(
      "home/.codex/config.toml",
      install.consents?.(target)[0]?.add(readFileSync(config, "utf8")) ?? "",
    );
  }
});

const withoutBypass = ({ args, ...rest }: OfflineRun): OfflineRun => ({
  ...rest,
  args: args.filter((arg) => arg !== "--dangerously-bypass-approvals-and-sandbox"),
});

const guardForbiddenShell: ShellHook = {
  event: "pre_tool_use",
  matcher: "^shell$",
  script: blockingWhenItSees("forbidden", "REASON-FORBIDDEN"),
};

/** What Codex itself says about its hooks in the project. */
async function ownProblems({ projectDir, home }: Scratch): Promise<readonly string[]> {
  const check = programById("codex")?.ownCheck;
  const { command } = await installedHost("codex");
  const [binary = "", ...before] = command;
  const child = spawn(binary, [...before, ...(check?.args ?? [])], {
    cwd: projectDir,
    env: { HOME: home, PATH: cleanPath },
  });
  let stdout = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString("utf8");
    if (check?.answered?.(stdout)) child.stdin.end();
  });
  child.stdin.write(check?.stdin ?? "");
  const exitCode = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  return check?.problems({ stdout, stderr: "", exitCode }) ?? [];
}
