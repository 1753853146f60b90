import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test as it } from "vitest";
import { beforeDeadline, deadlinesOf } from "../../src/entry/hook/deadline.ts";
import { HOSTS, hostById } from "../../src/hosts/registry.ts";
import { claudeShell, kiroShell } from "../payloads.ts";
import { createMachine, type Machine } from "../program.ts";
import { blockedBy, type ScriptHook, tells, userHooks } from "../rules.ts";

let machine: Machine;
let remove: () => void;

/** One hook for each command word: the matcher cannot see the command, so each script looks for its own. */
const only = (word: string, script: string) =>
  `input=$(cat); case "$input" in *'"command":"${word}"'*) ;; *) exit 0 ;; esac\n${script}`;
const SCRIPTS: Readonly<Record<string, string>> = {
  crash: "exit 3",
  talk: "echo no JSON at all",
  signal: "kill -9 $$",
  hang: 'sleep 60; touch "$PWD/outlived"',
  fork: "( sleep 60 ) & exit 0",
  gigabyte: "head -c 1073741824 /dev/zero",
  silent: "exit 0",
  block: "echo stop it >&2; exit 2",
};

beforeAll(async () => {
  ({ machine, remove } = createMachine());
  // Each runs on every call, and a busy machine takes its time over a shell: only the one that hangs has little.
  const hooks = Object.entries(SCRIPTS).flatMap(([name, script]): ScriptHook[] => {
    const given = { script: only(name, script), timeout_sec: name === "hang" ? 2 : 30 };
    return [
      { event: "pre_tool_use", id: `${name}-guard`, ...given },
      { event: "post_tool_use", id: `${name}-advice`, ...given },
    ];
  });
  const deadline = { event: "pre_tool_use", id: "patient", script: only("wait", "sleep 60"), timeout_sec: 60 };
  await userHooks(machine, [...hooks, deadline, { event: "session_start", script: tells("session_start", "hello") }]);
  await machine.hook("kiro", kiroShell(machine, "ls"));
});
afterAll(() => remove());

/** Hooks that should be ended, or not be waited for, sleep for 60 s. */
const LONG_BEFORE_ITS_END_MS = 45_000;

const ask = (command: string) => machine.hook("kiro", kiroShell(machine, command));
const after = (command: string) =>
  machine.hook("claude-code", claudeShell(machine, command, { hook_event_name: "PostToolUse", tool_response: {} }));

describe("a guard that misbehaves blocks, and leaves a notice that names it", () => {
  it.each([
    ["crash", "exit"],
    ["talk", "invalid-answer"],
    ["signal", "signal"],
    ["hang", "timeout"],
    ["gigabyte", "output-limit"],
  ])("%s", async (word, code) => {
    const { code: exitCode, stdout, stderr } = await ask(word);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toMatch(new RegExp(`^Blocked by holdfast: hook ${word}-guard failed \\(${code}\\)`));
    expect(stderr).toContain("This guard fails closed: ask the person to fix it (holdfast notices).");
    expect(machine.records("notices").at(-1)).toMatchObject({
      hook: `${word}-guard`,
      code,
      is_error: true,
      event_name: "pre_tool_use",
    });
  });

  it("what it would have done later does not happen", async () => {
    await sleep(200);
    expect(existsSync(join(machine.projectDir, "outlived"))).toBe(false);
  });
});

describe("a hook that is only odd is no failure", () => {
  it("prints nothing", async () => {
    expect(await ask("silent")).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });

  it("leaves a child behind that holds its output", async () => {
    const { code, stderr, ms } = await ask("fork");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(ms).toBeLessThan(LONG_BEFORE_ITS_END_MS);
  });

  it("blocks by exit code", async () => {
    expect(await ask("block")).toMatchObject({ code: 2, stderr: blockedBy("stop it") });
  });
});

it("N-13 advice that takes too long is left out at its time, with exit code 0 and a notice", async () => {
  expect(await after("hang")).toMatchObject({ code: 0, stdout: "", stderr: "" });
  expect(machine.records("notices").at(-1)).toMatchObject({ hook: "hang-advice", code: "timeout" });
});

it("advice that misbehaves is left out, and told", async () => {
  expect(await after("crash")).toMatchObject({ code: 0, stdout: "", stderr: "" });
  expect(machine.records("notices").at(-1)).toMatchObject({ hook: "crash-advice", code: "exit" });
  expect(machine.records("ledger").at(-1)).toMatchObject({ input_summary: "crash" });
});

describe("our deadline lies before the host's", () => {
  it("the real process gives up on a hook that has more time than the host gives", async () => {
    const { code, stderr, ms } = await ask("wait");
    expect(code).toBe(2);
    expect(stderr).toMatch(/^Blocked by holdfast: hook patient failed/);
    expect(ms).toBeLessThan(LONG_BEFORE_ITS_END_MS);
  });

  it.each(HOSTS.map((host) => [host.id, host] as const))("for every event of %s", (_, host) => {
    for (const { native, timeoutMs } of Object.values(host.support)) {
      for (const event of native) {
        const { softMs, hardMs } = deadlinesOf(host, event);
        expect(softMs).toBeGreaterThan(0);
        expect(softMs).toBeLessThan(hardMs);
        // Where a host gives less than a few seconds, half of it.
        expect(hardMs).toBeLessThanOrEqual(Math.max(timeoutMs - 3_000, timeoutMs / 2));
      }
    }
  });

  it("in any letter case, and for an event nobody knows as for the shortest", () => {
    const kiro = hostById("kiro") as (typeof HOSTS)[number];
    const claude = hostById("claude-code") as (typeof HOSTS)[number];
    expect(deadlinesOf(kiro, "PRETOOLUSE")).toEqual({ softMs: 5_000, hardMs: 7_000 });
    expect(deadlinesOf(claude, "PreToolUse")).toEqual({ softMs: 55_000, hardMs: 57_000 });
    expect(deadlinesOf(claude, "PreDream")).toEqual({ softMs: 5_000, hardMs: 7_000 });
  });

  it("hooks are told first, and what does not listen is left behind", async () => {
    const now = performance.now();
    const told = await beforeDeadline({ softMs: now + 30, hardMs: now + 5_000 }, async ({ signal }) => {
      await sleep(5_000, undefined, { signal }).catch(() => {});
      return signal.aborted;
    });
    expect(told).toBe(true);
    const deaf = beforeDeadline({ softMs: now, hardMs: performance.now() + 50 }, () => sleep(3_000, "late"));
    await expect(deaf).rejects.toThrow(/^no decision after \d+ s$/);
  });

  it("what the process has already used up counts", async () => {
    const late = beforeDeadline({ softMs: 1, hardMs: 2 }, () => sleep(3_000, "late"));
    await expect(late).rejects.toThrow("no decision after 0 s");
  });
});
