import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { identityOf, inWords, isAlive } from "./process-identity.ts";

const deadPid = () => spawnSync(process.execPath, ["-e", ""]).pid;

describe("which process something belongs to", () => {
  it("one of this machine is alive or dead", () => {
    const own = identityOf(process.pid);
    expect(isAlive(own)).toBe(true);
    expect(isAlive({ ...own, pid: deadPid() })).toBe(false);
    expect(inWords(own)).toBe(`process ${process.pid}`);
  });

  it.runIf(process.platform === "linux")("of a machine with the same name nobody here can say it is dead", () => {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const own = identityOf(deadPid());
    const theirs = { ...own, scope: own.scope.replace(boot, "8f2d9f0e-0000-4000-8000-000000000000") };
    expect(isAlive(theirs)).toBeUndefined();
    expect(inWords(theirs)).toMatch(/^process \d+ on [^/]+$/);
  });
});
