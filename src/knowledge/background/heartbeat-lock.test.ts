import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { processScope } from "../../process/process-scope.ts";
import { type BeatingLock, lockHolder, tryBeatingLock } from "./heartbeat-lock.ts";

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "holdfast-lock-"));
  file = join(dir, "state", "drain.lock");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function held(attempt: ReturnType<typeof tryBeatingLock>): BeatingLock {
  if (attempt.kind !== "held") throw new Error("the lock is busy");
  return attempt;
}

const aged = (ms: number) => new Date(Date.now() - ms);

describe("a lock that beats", () => {
  it("N-28 is busy for a second one, who hears how long it is held, and free again once released", () => {
    const first = held(tryBeatingLock(file));
    expect(tryBeatingLock(file)).toMatchObject({ kind: "busy", holder: { pid: process.pid } });
    first.release();
    expect(lockHolder(file)).toBeUndefined();
    held(tryBeatingLock(file)).release();
    expect(readdirSync(join(dir, "state"))).toEqual([]);
  });

  it("N-29 is taken from a holder that has not beaten for a minute, and says from whom", () => {
    const first = held(tryBeatingLock(file, { beatMs: 2 ** 30 }));
    utimesSync(file, aged(61_000), aged(61_000));
    const second = held(tryBeatingLock(file));
    expect(second.recovered?.pid).toBe(process.pid);
    expect([first.isHeld(), second.isHeld()]).toEqual([false, true]);
    first.release();
    expect(second.isHeld()).toBe(true);
    second.release();
  });

  it("N-29 stays with work that takes longer than the limit, as long as it beats", async () => {
    const first = held(tryBeatingLock(file, { beatMs: 5 }));
    utimesSync(file, aged(61_000), aged(61_000));
    await expect.poll(() => lockHolder(file)?.sinceBeatMs ?? 0).toBeLessThan(30_000);
    expect(tryBeatingLock(file).kind).toBe("busy");
    first.release();
  });

  it("A12 is not wedged by a holder that was killed: it is taken at once, whatever its age", () => {
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    held(tryBeatingLock(file)).release();
    writeFileSync(file, JSON.stringify({ pid, scope: processScope(), since: Date.now(), token: "theirs" }));
    const lock = held(tryBeatingLock(file));
    expect(lock.recovered?.pid).toBe(pid);
    lock.release();
  });

  it("N-29 from before a restart is taken, though the clock was set back with it; of who lives here it is not", () => {
    held(tryBeatingLock(file)).release();
    const tomorrow = new Date(Date.now() + 24 * 60 * 60_000);
    const left = (scope: string) => {
      writeFileSync(file, JSON.stringify({ pid: process.pid, scope, since: Date.now(), token: "theirs" }));
      utimesSync(file, tomorrow, tomorrow);
    };
    left(processScope());
    expect(tryBeatingLock(file).kind).toBe("busy");
    left("before");
    held(tryBeatingLock(file)).release();
  });

  it.each(["null", "1", '"text"', "[]", ""])("that says %j is waited for until it is old, too", (text) => {
    held(tryBeatingLock(file)).release();
    writeFileSync(file, text);
    expect(tryBeatingLock(file)).toMatchObject({ kind: "busy", holder: { pid: null } });
    utimesSync(file, aged(61_000), aged(61_000));
    held(tryBeatingLock(file)).release();
  });

  it("a lock nobody signed is waited for until it is old", () => {
    held(tryBeatingLock(file)).release();
    writeFileSync(file, "");
    expect(tryBeatingLock(file).kind).toBe("busy");
    utimesSync(file, aged(61_000), aged(61_000));
    held(tryBeatingLock(file)).release();
  });

  it("of many who want it at once, one has it at a time", async () => {
    let inside = 0;
    let most = 0;
    const one = async () => {
      for (let tries = 0; tries < 500; tries += 1) {
        const attempt = tryBeatingLock(file);
        if (attempt.kind === "held") {
          inside += 1;
          most = Math.max(most, inside);
          await sleep(1);
          inside -= 1;
          attempt.release();
          return true;
        }
        await sleep(1);
      }
      return false;
    };
    expect(await Promise.all(Array.from({ length: 8 }, one))).toEqual(Array(8).fill(true));
    expect(most).toBe(1);
  });
});
