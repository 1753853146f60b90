import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { programById } from "../../src/hosts/programs.ts";
import { type OfflineResult, runOffline } from "../../src/proof/offline-run.ts";
import { blockingWhenItSees, call, offlineProgram, resultOf, runGuarded, runInProject } from "./guarded-host.ts";
import { configureUserHooks, holdfast, holdfastEnvironment, type ShellHook } from "./holdfast.ts";
import { installedHost } from "./installed-host.ts";
import { describeRealHost } from "./scenarios.ts";
import { makeScratch, type Scratch } from "./scratch.ts";

describeRealHost("copilot");

describe.runIf(process.env.HOLDFAST_REAL_HOSTS === "1")("Copilot and where it finds us", () => {
  const { says } = offlineProgram("copilot");
  let scratch: Scratch;

  beforeEach(async () => {
    scratch = await makeScratch();
    await configureUserHooks(scratch, [guardForbidden]);
  });
  afterEach(() => scratch.remove());

  const script = [
    { tools: [call("blocked", says.shell("printf forbidden > blocked.txt"))] },
    { tools: [call("passed", says.shell("printf fine > passed.txt"))] },
    { text: "END" },
  ];

  test("registered with Claude Code too, every call is judged and recorded once", async () => {
    await holdfast(scratch, "init", "--yes", "--hosts", "claude-code,copilot");
    const run = await runInProject("copilot", scratch, { script });

    expectGuarded(run);
    expect(recordsOf("ledger").map(({ tool_name }) => tool_name)).toEqual(["bash"]);
    expect(recordsOf("audit").filter(isBlockOfCall), run.story).toHaveLength(1);
    expect(new Set(recordsOf("audit").map(({ host }) => host))).toEqual(new Set(["copilot"]));
  });

  test("registered with Claude Code alone, whose settings Copilot reads, the rules hold all the same", async () => {
    await holdfast(scratch, "init", "--yes", "--hosts", "claude-code");
    await trustProject();
    const run = await runInProject("copilot", scratch, { script });

    expectGuarded(run);
    expect(recordsOf("ledger").map(({ tool_name }) => tool_name)).toEqual(["Bash"]);
    expect(new Set(recordsOf("audit").map(({ host }) => host))).toEqual(new Set(["copilot"]));
  });

  test("registered for the person, it needs no trust", async () => {
    await holdfast(scratch, "init", "--user", "--hosts", "copilot");
    expect(existsSync(join(scratch.home, ".copilot/config.json"))).toBe(false);
    expectGuarded(await runInProject("copilot", scratch, { script }));
  });

  test("a project's registration without trust is passed over, and we know it", async () => {
    await holdfast(scratch, "init", "--hosts", "copilot");
    expect(trustOfProject()).toBe("untrusted");
    const run = await runInProject("copilot", scratch, { script });
    expect(scratch.read("blocked.txt"), run.story).toBe("forbidden");

    await holdfast(scratch, "init", "--yes", "--hosts", "copilot");
    expect(trustOfProject()).toBe("trusted");
  });

  test("a patch is judged by the files it names, and runs as rewritten", async () => {
    await configureUserHooks(scratch, [guardForbidden, rewritePatch]);
    await holdfast(scratch, "init", "--yes", "--hosts", "copilot");
    const patch = (file: string, line: string) => ({
      name: "apply_patch",
      input: { input: `*** Begin Patch\n*** Add File: ${file}\n+${line}\n*** End Patch\n` },
    });
    const run = await runOffline({
      ...(await installedHost("copilot")),
      program: offlineProgram("copilot"),
      prompt: "go",
      homeDir: scratch.home,
      projectDir: scratch.projectDir,
      script: {
        script: [
          { tools: [call("blocked", patch("blocked.txt", "forbidden"))] },
          { tools: [call("rewritten", patch("original.txt", "to be rewritten"))] },
          { text: "END" },
        ],
      },
      // A model that is known to take patches in place of edits.
      env: { ...holdfastEnvironment(scratch), COPILOT_MODEL: "gpt-5.6-sol" },
      timeoutMs: 90_000,
    });

    expect(resultOf(run, "blocked"), run.story).toContain("Blocked by holdfast: REASON-FORBIDDEN");
    expect(scratch.read("blocked.txt"), run.story).toBeUndefined();
    expect(scratch.read("original.txt"), run.story).toBeUndefined();
    expect(scratch.read("rewritten.txt"), run.story).toBe("rewritten\n");
  });

  test("a command that fails is recorded as failed, though Copilot takes it for a success", async () => {
    await runGuarded("copilot", scratch, [], {
      script: [
        { tools: [call("fails", says.shell("exit 3"))] },
        { tools: [call("works", says.shell("exit 0"))] },
        { text: "END" },
      ],
    });
    expect(recordsOf("ledger").map(({ success }) => success)).toEqual([false, true]);
  });

  function expectGuarded(run: OfflineResult): void {
    expect(resultOf(run, "blocked"), run.story).toContain("Blocked by holdfast: REASON-FORBIDDEN");
    expect(scratch.read("blocked.txt"), run.story).toBeUndefined();
    expect(scratch.read("passed.txt"), run.story).toBe("fine");
  }

  function trustProject(): Promise<string> {
    return scratch.write("home/.copilot/config.json", JSON.stringify({ trustedFolders: [scratch.projectDir] }));
  }

  function trustOfProject(): string | undefined {
    const { projectDir, home } = scratch;
    return programById("copilot")?.trust?.({
      projectDir,
      homeDir: home,
      env: {},
      level: "project",
      program: "",
      plugin: "",
      listFiles: () => [],
      readFile: (path) => scratch.read(relative(projectDir, path)),
    }).state;
  }

  function recordsOf(journal: string): Record<string, unknown>[] {
    const text = scratch.read(`.holdfast/tracking/${journal}.jsonl`) ?? "";
    return text
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  }
});

const isBlockOfCall = ({ event, decision }: Record<string, unknown>) =>
  event === "pre_tool_use" && decision === "block";

const guardForbidden: ShellHook = {
  event: "pre_tool_use",
  script: blockingWhenItSees("forbidden", "REASON-FORBIDDEN"),
};

const rewritePatch: ShellHook = {
  event: "pre_tool_use",
  matcher: "^edit$",
  script: `if grep -q original.txt; then printf '%s' '${JSON.stringify({
    hook_specific_output: {
      hook_event_name: "pre_tool_use",
      updated_input: { input: "*** Begin Patch\n*** Add File: rewritten.txt\n+rewritten\n*** End Patch\n" },
    },
  })}'; fi\n`,
};
