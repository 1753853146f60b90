import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { processScope } from "../process/process-scope.ts";
import { LockTimeoutError, withFileLock } from "./file-lock.ts";

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "holdfast-lock-"));
  path = join(directory, "journal.lock");
});
afterEach(() => rmSync(directory, { recursive: true }));

/** What a process leaves that was killed while it held the lock. */
function leaveLock(at: string, pid: number): void {
  const template = withFileLock(join(directory, "template"), {}, () =>
    readFileSync(join(directory, "template"), "utf8"),
  );
  writeFileSync(at, template.replace(/^\d+/, String(pid)));
}

function deadPid(): number {
  return spawnSync(process.execPath, ["-e", ""]).pid;
}

/** What a hook process waits: whatever a dead process left must be seen for dead within it. */
const HOOK_WAIT_MS = 1_000;

/** Whether this comes of a wait, in one of some: where the machine stands still for half of it, another thing may. */
function comesOf(expected: "taken over" | "in vain", waitMs: number, leave: () => void): boolean {
  for (let round = 0; round < 10; round++) {
    leave();
    if (outcomeOf(() => withFileLock(path, { waitMs }, () => "taken over")) === expected) return true;
  }
  return false;
}

function outcomeOf(wait: () => string): string {
  try {
    return wait();
  } catch (error) {
    expect(error).toBeInstanceOf(LockTimeoutError);
    return "in vain";
  }
}

/** As of a process whose id was given to another one. */
function leaveOldLock(): void {
  leaveLock(path, process.pid);
  utimesSync(path, secondsAgo(60), secondsAgo(60));
}

const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1000);

describe("a file lock", () => {
  it("is there, with its holder's process id, while the work runs, and gone afterwards", () => {
    const result = withFileLock(path, {}, (lock) => {
      expect(readFileSync(path, "utf8")).toMatch(new RegExp(`^${process.pid} `));
      expect(lock.isHeld()).toBe(true);
      return "done";
    });
    expect(result).toBe("done");
    expect(readdirSync(directory)).toEqual([]);
  });

  it("is released when the work throws", () => {
    expect(() =>
      withFileLock(path, {}, () => {
        throw new Error("work failed");
      }),
    ).toThrow("work failed");
    expect(existsSync(path)).toBe(false);
  });

  it("makes a second one wait at least as long as it was told to, and then fail", () => {
    withFileLock(path, {}, () => {
      const startedAtMs = performance.now();
      expect(() => withFileLock(path, { waitMs: 60 }, () => "never")).toThrow(LockTimeoutError);
      expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(60);
    });
  });

  it.runIf(process.platform === "linux")("of a process that is dead but not yet buried is free", async () => {
    // It dies after its parent has become another program, which buries nobody.
    const parent = spawn("sh", ["-c", "sleep 0.5 & echo $!; exec sleep 60"], { stdio: ["ignore", "pipe", "ignore"] });
    try {
      const pid = Number(await new Promise((resolve) => parent.stdout.once("data", resolve)));
      while (!/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))) await setTimeout(5);
      leaveLock(path, pid);
      expect(withFileLock(path, { waitMs: 1_000 }, () => "mine")).toBe("mine");
    } finally {
      parent.kill("SIGKILL");
    }
  });

  it("names the holder and what to do when the waiting ends", () => {
    leaveLock(path, process.pid);
    const wait = () => withFileLock(path, { waitMs: 30 }, () => "never");
    expect(wait).toThrow(`${path} stayed locked by process ${process.pid} for 30 ms; delete the file if`);
  });

  it("creates its directory only when asked to", () => {
    const deep = join(directory, "a", "b", "journal.lock");
    expect(() => withFileLock(deep, {}, () => "never")).toThrow("ENOENT");
    expect(withFileLock(deep, { createDirectory: true }, () => "done")).toBe("done");
  });
});

describe("a stale lock", () => {
  it("of a dead process is taken over at once", () => {
    leaveLock(path, deadPid());
    expect(withFileLock(path, { waitMs: 0 }, () => "done")).toBe("done");
    expect(readdirSync(directory)).toEqual([]);
  });

  it("of a process that died while it took over another is taken over too", () => {
    leaveLock(path, deadPid());
    leaveLock(`${path}.steal`, deadPid());
    leaveLock(`${path}.steal.steal`, deadPid());
    expect(withFileLock(path, {}, () => "done")).toBe("done");
    expect(readdirSync(directory)).toEqual([]);
  });

  it("is left alone while somebody else is taking it over", () => {
    leaveLock(path, deadPid());
    leaveLock(`${path}.steal`, process.pid);
    expect(() => withFileLock(path, { waitMs: 100 }, () => "never")).toThrow(LockTimeoutError);
    expect(existsSync(path)).toBe(true);
  });

  it("of a process id that was given to another process is taken over when it is old", () => {
    expect(comesOf("taken over", HOOK_WAIT_MS, leaveOldLock)).toBe(true);
  });

  it("that only looks old because the clock jumped is not taken over at the first look", () => {
    expect(comesOf("in vain", 300, leaveOldLock)).toBe(true);
  });

  it("from before a restart is taken over, though the clock was set back with it; of who lives here it is not", () => {
    const tomorrow = secondsAgo(-24 * 60 * 60);
    const leave = (scope: string) => () => {
      writeFileSync(path, `${process.pid} ${scope} 1`);
      utimesSync(path, tomorrow, tomorrow);
    };
    expect(comesOf("taken over", HOOK_WAIT_MS, leave("before"))).toBe(true);
    leave(processScope())();
    expect(() => withFileLock(path, { waitMs: HOOK_WAIT_MS }, () => "never")).toThrow(LockTimeoutError);
  });

  it("that nobody signed is taken over once it stayed so for half a second", () => {
    const leave = () => writeFileSync(path, "");
    expect(comesOf("in vain", 300, leave)).toBe(true);
    expect(comesOf("taken over", HOOK_WAIT_MS, leave)).toBe(true);
  });

  it("from another machine or container is not judged by its process id", () => {
    writeFileSync(path, `${deadPid()} elsewhere-than-${hostname()}/pid:[1] 1`);
    expect(() => withFileLock(path, { waitMs: 100 }, () => "never")).toThrow(LockTimeoutError);
  });

  it.runIf(process.platform !== "win32")("that is a pipe does not hang the waiter", () => {
    execFileSync("mkfifo", [path]);
    expect(() => withFileLock(path, { waitMs: 100 }, () => "never")).toThrow(LockTimeoutError);
  });

  it("that was taken from a holder who slept too long tells the holder, and the new one is not removed", () => {
    withFileLock(path, {}, (lock) => {
      unlinkSync(path);
      leaveLock(path, process.pid);
      expect(lock.isHeld()).toBe(false);
    });
    expect(existsSync(path)).toBe(true);
  });
});
