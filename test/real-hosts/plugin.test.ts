import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runOffline } from "../../src/proof/offline-run.ts";
import { blockingWhenItSees, call, offlineProgram, resultOf } from "./guarded-host.ts";
import { binary, configureUserHooks, holdfastEnvironment } from "./holdfast.ts";
import { installedHost } from "./installed-host.ts";
import { record } from "./matrix.ts";
import { makeScratch, type Scratch } from "./scratch.ts";

const plugin = join(import.meta.dirname, "../../plugin");

/** The hosts that load the plugin's folder from a flag; Codex takes it from a marketplace, and asks for trust. */
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

  async function runWithPlugin(host: (typeof HOSTS)[number], env: Record<string, string>) {
    const program = offlineProgram(host);
    return runOffline({
      ...(await installedHost(host)),
      program,
      prompt: "go",
      homeDir: scratch.home,
      projectDir: scratch.projectDir,
      extraArgs: ["--plugin-dir", plugin],
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
