/** Daemons that come and go under calls: at random moments, under many callers, two at a time. */
import { readdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect } from "vitest";
import { signal } from "../processes.ts";
import type { Ended } from "../program.ts";
import { hasClient, it, type Kind, type Scene, until } from "./scene.fixture.ts";

const SIGNALS = ["SIGKILL", "SIGTERM", "SIGKILL", "SIGSTOP"] as const;

const kindOf = (index: number): Kind => (index % 2 === 0 ? "block" : "ran");

/** What the engine says to these two: a denial, or nothing. */
function expectAnswer(kind: Kind, { code, stdout, stderr }: Ended): void {
  expect({ code, lost: stderr.includes("HF602") }).toEqual({ code: 0, lost: false });
  if (kind === "ran") expect(stdout).toBe("");
  else expect(JSON.parse(stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
}

describe.skipIf(!hasClient).concurrent("a daemon", () => {
  it("that is killed, stopped or told to end at any moment of some calls leaves each answered and recorded once", async ({
    scene,
  }) => {
    const ROUNDS = 16;
    const CALLERS = 6;
    const calls: (readonly [Kind, string])[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const daemon = await scene.startDaemon();
      const names = Array.from({ length: CALLERS }, (_, index) => [kindOf(index), `r${round}c${index}`] as const);
      calls.push(...names);
      const ended = names.map(([kind, name]) => scene.call(kind, name).ended);
      // Starting six clients takes some milliseconds: they are at different stages by then.
      await sleep((round / ROUNDS) * 12);
      signal(daemon.pid, SIGNALS[round % SIGNALS.length] ?? "SIGKILL");
      for (const [index, said] of (await Promise.all(ended)).entries()) expectAnswer(kindOf(index), said);
      await endDaemons(scene, "SIGKILL");
    }
    await scene.expectRecordedOnce(calls);
  });

  it("that is restarted again and again under 16 callers leaves each call answered and recorded once", async ({
    scene,
  }) => {
    const CALLS = 240;
    const RESTARTS = 4;
    const calls: (readonly [Kind, string])[] = [];
    let over = false;
    let restarts = 0;
    const restarting = async () => {
      for (; !over; restarts++) {
        const daemon = await scene.startDaemon();
        await sleep(100 + 50 * (restarts % 3));
        signal(daemon.pid, restarts % 2 === 0 ? "SIGKILL" : "SIGTERM");
        await daemon.ended();
      }
    };
    const calling = async () => {
      while (calls.length < CALLS || restarts < RESTARTS) {
        const [kind, name] = [kindOf(calls.length), `call${calls.length}`] as const;
        calls.push([kind, name]);
        expectAnswer(kind, await scene.call(kind, name).ended);
      }
    };
    const restarter = restarting();
    await Promise.all(Array.from({ length: 16 }, calling));
    over = true;
    await restarter;
    await scene.expectRecordedOnce(calls);
  });

  it("of two that start at once one serves and the other ends, 100 times, whatever the last one left", async ({
    scene,
  }) => {
    const calls: (readonly [Kind, string])[] = [];
    for (let round = 0; round < 100; round++) {
      const both = [1, 2].map(() => scene.machine.start(["daemon", "serve"]));
      if (round % 10 === 0) {
        const [kind, name] = [kindOf(round / 10), `race${round}`] as const;
        calls.push([kind, name]);
        expectAnswer(kind, await scene.call(kind, name).ended);
      }
      // A call that found none may have started a third.
      await until(async () => scene.daemons().length === 1 && (await scene.status()) !== undefined, "one is left");
      expect([(await scene.serving()).pid]).toEqual(scene.daemons());
      for (const { child } of both) expect([null, 0]).toContain(child.exitCode);
      expect(readdirSync(dirname(scene.socket)).filter((name) => name !== "starting")).toEqual([
        basename(scene.socket),
      ]);
      // A killed one leaves its socket, one that ends does not.
      await endDaemons(scene, round % 2 === 0 ? "SIGKILL" : "SIGTERM");
    }
    await scene.expectRecordedOnce(calls);
  });
});

async function endDaemons(scene: Scene, name: "SIGKILL" | "SIGTERM"): Promise<void> {
  await until(() => {
    const left = scene.daemons();
    for (const pid of left) signal(pid, name);
    return left.length === 0;
  }, "no daemon is left");
}
