import { appendFileSync, existsSync, lstatSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect } from "vitest";
import { canCompile } from "./client.fixture.ts";
import { it, pushes, registered } from "./installed.fixture.ts";

describe.skipIf(!canCompile)("the package as it is installed", () => {
  it("brings no binary; init builds the client, registers it, and calls go through it to the daemon", async ({
    machine,
    installed,
  }) => {
    expect(existsSync(join(installed.distDir, "native"))).toBe(false);
    expect((await installed.init(machine)).stdout).toContain("built  the native client");
    const client = registered(machine);
    expect(client.startsWith(join(machine.stateDir, "clients"))).toBe(true);
    expect(lstatSync(dirname(client)).mode & 0o777).toBe(0o700);
    expect(lstatSync(client).mode & 0o777).toBe(0o700);
    expect((await pushes(machine)).stdout).toContain("Blocked by holdfast");
    const before = await installed.daemonOf(machine);
    expect((await pushes(machine)).stdout).toContain("Blocked by holdfast");
    const after = JSON.parse((await installed.holdfast(machine, ["daemon", "status", "--json"])).stdout);
    expect(after.calls - before.calls).toBe(1);
    expect(machine.records("audit")).toHaveLength(2);
    await installed.dismiss(machine);
  });

  it("is built once for a version; one that was tampered with is built anew", async ({ machine, installed }) => {
    await installed.init(machine);
    const client = registered(machine);
    const bytes = readFileSync(client);
    expect((await installed.init(machine)).stdout).not.toContain("built");
    appendFileSync(client, "x");
    expect((await installed.init(machine)).stdout).toContain("built  the native client");
    expect(readFileSync(client).equals(bytes)).toBe(true);
  });

  it("after an upgrade the registered client still answers, and doctor --fix builds the new one in its place", async ({
    machine,
    installed,
  }) => {
    await installed.init(machine);
    const client = registered(machine);
    const old = readFileSync(client);
    await pushes(machine);
    await installed.daemonOf(machine);
    await installed.dismiss(machine);
    appendFileSync(join(installed.distDir, "daemon.cjs"), "\n// another version\n");
    expect((await pushes(machine)).stdout).toContain("Blocked by holdfast");
    await installed.daemonOf(machine);
    expect((await pushes(machine)).stdout).toContain("Blocked by holdfast");
    expect(machine.records("audit")).toHaveLength(3);
    await installed.holdfast(machine, ["doctor", "--fix", "--yes"]);
    expect(registered(machine)).toBe(client);
    expect(readFileSync(client).equals(old)).toBe(false);
    expect((await pushes(machine)).stdout).toContain("Blocked by holdfast");
    await installed.dismiss(machine);
  });

  it("a dry run builds nothing", async ({ machine, installed }) => {
    const { stdout } = await installed.holdfast(machine, ["init", "--hosts", "claude-code", "--dry-run"]);
    expect(stdout).toContain(join(machine.stateDir, "clients"));
    expect(stdout).toContain("would build  the native client, with an image of a loaded Node");
    expect(existsSync(join(machine.stateDir, "clients"))).toBe(false);
  });
});
