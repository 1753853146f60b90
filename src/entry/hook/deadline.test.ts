import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import type { ReadyEngine } from "../../engine/ready.ts";
import { hostById } from "../../hosts/registry.ts";
import { type CallSetting, judgeHostCall } from "./call.ts";
import { beforeDeadline, deadlinesOf } from "./deadline.ts";
import { Ending } from "./ending.ts";

const SOFT_MS = 10;
const HARD_MS = 200;

/** As a synchronous piece of work does: no timer fires meanwhile. */
const holdUp = (milliseconds: number) =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

const settingWith = (changes: Pick<CallSetting, "elapsedMs" | "engineAt"> & Partial<CallSetting>): CallSetting => ({
  id: "1",
  at: new Date().toISOString(),
  env: {},
  distDir: "",
  ending: new Ending(),
  ...changes,
});

describe("a deadline that passed while the event loop was held up", () => {
  it("is over as soon as the loop turns again, not its remaining time later", async () => {
    const seen: string[] = [];
    const asked = beforeDeadline(
      { softMs: SOFT_MS, hardMs: HARD_MS },
      async ({ signal }) => {
        signal.addEventListener("abort", () => seen.push("hooks are told"));
        await sleep(1);
        holdUp(HARD_MS + 50);
        // Timers fire in the order in which they are due, however late: only one that slipped comes after this.
        setTimeout(() => seen.push("later"), HARD_MS / 2);
        await sleep(HARD_MS * 2);
        seen.push("decided");
      },
      0,
    );
    await expect(asked).rejects.toThrow("no decision after");
    expect(seen).toEqual(["hooks are told"]);
  });
});

it("work that is done in the turn it begins in sets no timer", async () => {
  const timers = vi.spyOn(globalThis, "setTimeout");
  try {
    const work = async () => {
      for (let step = 0; step < 20; step++) await undefined;
      return "decided";
    };
    expect(await beforeDeadline({ softMs: SOFT_MS, hardMs: HARD_MS }, work, 0)).toBe("decided");
    expect(timers).not.toHaveBeenCalled();
  } finally {
    timers.mockRestore();
  }
});

it("what it takes to read a payload is time of the host's too", async () => {
  const host = hostById("kiro");
  if (!host) throw new Error("there is no such host");
  const payload = { hook_event_name: "preToolUse", tool_name: "execute_bash", tool_input: { command: "ls" } };
  let leftMs = Number.POSITIVE_INFINITY;
  const setting = settingWith({
    elapsedMs: 1_000,
    isTooHeavy() {
      holdUp(HARD_MS);
      return false;
    },
    onDeadline(milliseconds) {
      leftMs = milliseconds;
    },
    engineAt: () => Promise.reject(new Error("nobody judges it here")),
  });
  const judged = judgeHostCall({ host, event: undefined, cwd: "/" }, payload, setting);
  await expect(judged).rejects.toThrow("nobody judges it here");
  expect(leftMs).toBeLessThan(deadlinesOf(host, "preToolUse").hardMs - 1_000 - HARD_MS / 2);
});

it("a judgement that comes after the deadline gives its engine back", async () => {
  const host = hostById("claude-code");
  if (!host) throw new Error("there is no such host");
  const payload = { hook_event_name: "NoSuchEvent", session_id: "s", cwd: "/" };
  const closed = new Promise<void>((resolve, reject) => {
    const engine = { takeRemarks: () => [], handIn() {}, close: async () => resolve() } as unknown as ReadyEngine;
    const setting = settingWith({ elapsedMs: 3_600_000, engineAt: () => sleep(HARD_MS, engine) });
    judgeHostCall({ host, event: undefined, cwd: "/" }, payload, setting).then(
      () => reject(new Error("it was in time")),
      () => {},
    );
  });
  await closed;
});
