import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PACKS } from "../../hooks/destructive-command/packs.ts";
import type { OwnProcess } from "./own-process.ts";
import { rehearse } from "./rehearsal.ts";

const distDir = join(import.meta.dirname, "../../../dist");

let scene: string;
beforeEach(() => {
  scene = mkdtempSync(join(tmpdir(), "holdfast-rehearsal-"));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(scene, { recursive: true, force: true });
});

const environment = () => ({
  PATH: process.env.PATH,
  HOME: scene,
  HOLDFAST_CONFIG_DIR: scene,
  HOLDFAST_STATE_DIR: join(scene, "state"),
  HOLDFAST_DAEMON: "off",
});

const EVENTS = ["exit", "uncaughtException", "worker", "warning", "SIGTERM", "SIGINT", "SIGHUP"];
const listeners = () => EVENTS.map((event) => [event, process.listenerCount(event)]);

describe("a rehearsal", () => {
  it("goes the whole way of a call and leaves nothing of it in the process that an image is made of", async () => {
    const before = listeners();
    // The first leaves a plan: to compile one takes several turns, and has a deadline.
    await rehearse(scene, environment(), distDir);
    const timers = [vi.spyOn(globalThis, "setInterval"), vi.spyOn(globalThis, "setTimeout")];
    await rehearse(scene, environment(), distDir);
    expect(listeners()).toEqual(before);
    expect(process.exitCode).toBeUndefined();
    // Not even one that is ended: an image remembers when it was due, and later ones never are.
    for (const made of timers) expect(made).not.toHaveBeenCalled();
  });

  it("forgets the cases of the rules, which no call needs, and not the rules", async () => {
    await rehearse(scene, environment(), distDir);
    const rules = PACKS.flatMap(({ rules }) => rules);
    expect(rules.length).toBeGreaterThan(50);
    expect(rules.flatMap(({ stops, passes }) => [...stops, ...passes])).toEqual([]);
  });

  it("fails where a call does, so that no image is made of that", async () => {
    const failing = async (_argv: readonly string[], _distDir: string, { process }: OwnProcess) => {
      process.exitCode = 2;
    };
    vi.resetModules();
    vi.doMock("./one-call.ts", () => ({ answerOneCall: failing }));
    const { rehearse } = await import("./rehearsal.ts");
    await expect(rehearse(scene, environment(), distDir)).rejects.toThrow("the rehearsed SessionStart call failed");
  });
});
