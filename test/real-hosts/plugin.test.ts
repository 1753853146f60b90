import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runHostProcess } from "../../src/proof/host-process.ts";
import { runOffline } from "../../src/proof/offline-run.ts";
import { blockingWhenItSees, call, offlineProgram, resultOf } from "./guarded-host.ts";
import { binary, configureUserHooks, holdfastEnvironment } from "./holdfast.ts";
import { type HostName, installedHost } from "./installed-host.ts";
import { record } from "./matrix.ts";
import { makeScratch, type Scratch } from "./scratch.ts";

const plugin = join(import.meta.dirname, "../../plugin");

/** The hosts that load the plugin's folder from a flag. */
const HOSTS = ["claude-code", "copilot"] as const;

describe.runIf(process.env.HOLDFAST_REAL_HOSTS === "1")("the plugin package", () => {
  let scratch: Scratch;

  beforeEach(async () => {
    scratch = await makeScratch();
    await configureUserHooks(scratch, [
      { event: "pre_tool_use", matcher: "^shell$", script: blockingWhenItSees("forbidden", "REASON-FORBIDDEN") },
    ]);
  });
  afterEach(() => scratch.remove());

  test.each(HOSTS)("%s: guards without any registration", (host) =>
    record(host, "plugin package", async () => {
      const run = await runWithPlugin(host, { HOLDFAST_BIN: binary });
      expect(resultOf(run, "blocked"), run.story).toContain("REASON-FORBIDDEN");
      expect(scratch.read("blocked.txt"), run.story).toBeUndefined();
      expect(scratch.read("passed.txt"), run.story).toBe("fine");
    }),
  );

  test.each(HOSTS)("%s: without Holdfast on the machine the plugin stays closed", async (host) => {
    const run = await runWithPlugin(host, {});
    expect(scratch.read("passed.txt"), run.story).toBeUndefined();
  });

  test("codex: takes it from a marketplace, and guards once it is trusted", () =>
    record("codex", "plugin package", async () => {
      const { command, path } = await installedHost("codex");
      const [program = "", ...before] = command;
      const env = { HOME: scratch.home, CODEX_HOME: join(scratch.home, ".codex"), PATH: path };
      await mkdir(env.CODEX_HOME, { recursive: true });
      for (const args of [
        ["marketplace", "add", plugin],
        ["add", "holdfast@holdfast"],
      ]) {
        const added = await runHostProcess({
          command: program,
          args: [...before, "plugin", ...args],
          cwd: scratch.projectDir,
          env,
          timeoutMs: 30_000,
        });
        expect(added.exitCode, added.stderr).toBe(0);
      }
      // Trust of a plugin's hooks is given in Codex itself; this run takes it as given. Our offline run has plugins off.
      const trusted = ["--dangerously-bypass-hook-trust", "-c", "features.plugins=true"];
      const run = await runWithPlugin("codex", { HOLDFAST_BIN: binary }, trusted);
      expect(resultOf(run, "blocked"), run.story).toContain("REASON-FORBIDDEN");
      expect(scratch.read("blocked.txt"), run.story).toBeUndefined();
      expect(scratch.read("passed.txt"), run.story).toBe("fine");
    }));

  async function runWithPlugin(
    host: HostName,
    env: Record<string, string>,
    extraArgs: readonly string[] = ["--plugin-dir", plugin],
  ) {
    const program = offlineProgram(host);
    return runOffline({
      ...(await installedHost(host)),
      program,
      prompt: "go",
      homeDir: scratch.home,
      projectDir: scratch.projectDir,
      extraArgs,
      env: { ...holdfastEnvironment(scratch), ...env },
      script: {
        script: [
          { tools: [call("blocked", program.says.shell("printf forbidden > blocked.txt"))] },
          { tools: [call("passed", program.says.shell("printf fine > passed.txt"))] },
          { text: "END" },
        ],
      },
      timeoutMs: 90_000,
    });
  }
});
