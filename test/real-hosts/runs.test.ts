import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type DrivenRun, drivenRun, isGone } from "./driven-run.ts";
import { call, offlineProgram } from "./guarded-host.ts";
import type { HostName } from "./installed-host.ts";
import { makeScratch, type Scratch } from "./scratch.ts";

const HOSTS: readonly HostName[] = ["claude-code", "codex", "opencode", "gemini", "copilot"];

/** Two starts of the program, on a machine that may be busy. */
const PATIENCE_MS = 300_000;

describe.runIf(process.env.HOLDFAST_REAL_HOSTS === "1").each(HOSTS)("a run on %s", { timeout: PATIENCE_MS }, (host) => {
  const { says } = offlineProgram(host);
  let scratch: Scratch;
  let driven: DrivenRun | undefined;

  beforeEach(async () => {
    scratch = await makeScratch();
  });
  afterEach(async () => {
    await driven?.close();
    await scratch.remove();
  });

  test("R-25 R-53 a guard stops what is forbidden, the agent goes another way, and is nudged on in its session", async () => {
    const precious = join(scratch.home, "precious.txt");
    writeFileSync(precious, "kept");
    driven = await drivenRun(host, scratch, {
      script: [
        { tools: [call("forbidden", says.shell('rm -rf "$HOME"'))] },
        { tools: [call("greeting", says.shell("printf hello > greeting.txt"))] },
        { tools: [call("first-task", says.shell("holdfast task set greet --status completed"))] },
        { text: "HALF DONE" },
        { tools: [call("second-task", says.shell("holdfast task set check --status completed"))] },
        { text: "ALL DONE" },
      ],
    });

    const { exitCode, json, stderr, stdout } = await driven.call(["run", "two-steps", "--agent", "worker", "--json"]);
    const told = driven.model.toolResults();
    const story = `${stdout}\n${stderr}\n${JSON.stringify([...told], null, 1)}`;

    expect(exitCode, story).toBe(0);
    expect(json(), story).toMatchObject({ status: "success", tasksCompleted: 2, attempts: [{ exitCode: 0 }, {}] });
    expect(existsSync(precious), story).toBe(true);
    expect(told.get("forbidden")?.text, story).toContain("Blocked by holdfast");
    expect(scratch.read("greeting.txt"), story).toBe("hello");
    const last =
      driven.model.requests
        .filter(({ lane }) => lane === "main")
        .at(-1)
        ?.turn?.texts.join("\n") ?? "";
    expect(last, "the second attempt went on in the first one's session").toContain("ASSIGNMENT-CANARY");
    expect(last).toContain("These tasks are not completed yet");
    expect(last).toContain("[check] Check the greeting");
    expect(scratch.read(".holdfast/tracking/ledger.jsonl"), story).toContain(`"run":"${json().id}"`);
  });

  // Codex ends a command that hangs itself, before that; of OpenCode nobody knows how long it takes to begin.
  test.runIf(["claude-code", "gemini", "copilot"].includes(host))(
    "R-25 an attempt that takes too long is ended with all it started",
    async () => {
      driven = await drivenRun(host, scratch, {
        script: [{ tools: [call("hangs", says.shell("echo $$ > pid.txt; exec tail -f /dev/null"))] }],
      });
      const args = ["run", "two-steps", "--agent", "worker", "--retries", "0", "--timeout", "40", "--json"];
      const { exitCode, json, stderr, stdout } = await driven.call(args);

      expect(exitCode, stdout + stderr).toBe(1);
      expect(json()).toMatchObject({ status: "exhausted", attempts: [{ isTimedOut: true }] });
      expect(isGone(Number(scratch.read("pid.txt"))), stderr).toBe(true);
    },
  );

  test.runIf(host === "codex")(
    "restricted, its own sandbox holds: it writes in the project and nowhere else",
    async () => {
      const outside = mkdtempSync("/var/tmp/holdfast-outside-");
      driven = await drivenRun(host, scratch, {
        script: [
          { tools: [call("inside", says.shell("printf in > inside.txt"))] },
          { tools: [call("outside", says.shell(`printf out > ${outside}/outside.txt`))] },
          { text: "DONE" },
        ],
      });
      const args = ["run", "two-steps", "--agent", "worker", "--restricted", "--retries", "0", "--json"];
      const { exitCode, json, stderr, stdout } = await driven.call(args);
      const story = `${stdout}\n${stderr}\n${JSON.stringify([...driven.model.toolResults()], null, 1)}`;
      const isWritten = existsSync(join(outside, "outside.txt"));
      rmSync(outside, { recursive: true });

      expect(exitCode, story).toBe(1);
      expect(json(), story).toMatchObject({ status: "exhausted", settings: { unrestricted: false } });
      expect(scratch.read("inside.txt"), story).toBe("in");
      expect(isWritten, story).toBe(false);
    },
  );

  test("R-50 Ctrl-C ends the agent with all it started, and the run is aborted, 130", async () => {
    driven = await drivenRun(host, scratch, {
      script: [{ tools: [call("hangs", says.shell("echo $$ > pid.txt; exec tail -f /dev/null"))] }],
    });
    const started = () => (scratch.read("pid.txt") ?? "").includes("\n");
    const { exitCode, json, stderr } = await driven.call(["run", "two-steps", "--agent", "worker", "--json"], started);

    expect(exitCode, stderr).toBe(130);
    expect(json()).toMatchObject({ status: "aborted", exitCode: 130 });
    await sleep(100);
    expect(isGone(Number(scratch.read("pid.txt"))), stderr).toBe(true);
  });
});
