import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect } from "vitest";
import { placesOf } from "../../src/config/places.ts";
import { buildId, socketFile } from "../../src/entry/daemon/socket-place.ts";
import { claudeShell } from "../payloads.ts";
import { it, type Machine } from "../program.ts";
import { canCompile } from "./client.fixture.ts";

const root = join(import.meta.dirname, "..", "..");
let packed: string;
let scratch: string;
let installed: string;

/** What a person gets: the files of the package, and its dependencies beside them. */
beforeAll(() => {
  packed = mkdtempSync(join(realpathSync(tmpdir()), "holdfast-packed-"));
  execFileSync("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", packed], { cwd: root });
});
afterAll(() => rmSync(packed, { recursive: true, force: true }));
beforeEach(() => {
  scratch = mkdtempSync(join(packed, "installed "));
  const tarball = execFileSync("ls", [packed], { encoding: "utf8" })
    .split("\n")
    .find((name) => name.endsWith(".tgz"));
  execFileSync("tar", ["-xzf", join(packed, tarball ?? ""), "-C", scratch]);
  installed = join(scratch, "package");
  symlinkSync(join(root, "node_modules"), join(installed, "node_modules"));
});

const holdfast = (machine: Machine, args: readonly string[], env = {}) =>
  machine.run(args, { command: join(installed, "bin", "holdfast"), env });

const init = (machine: Machine, env = {}) => holdfast(machine, ["init", "--hosts", "claude-code", "--yes"], env);

/** The program in the host's settings. */
function registered(machine: Machine): string {
  const settings = JSON.parse(machine.read("project/.claude/settings.json"));
  return settings.hooks.PreToolUse[0].hooks[0].command;
}

const pushes = async (machine: Machine) =>
  machine.run(["hook", "--host", "claude-code"], {
    command: registered(machine),
    stdin: JSON.stringify(claudeShell(machine, "git push --force origin main")),
  });

async function daemonOf(machine: Machine): Promise<{ calls: number }> {
  const distDir = join(installed, "dist");
  const socket = socketFile(buildId(distDir) ?? "", placesOf(machine.env));
  for (let waited = 0; waited < 15_000 && !existsSync(socket); waited += 50) await sleep(50);
  return JSON.parse((await holdfast(machine, ["daemon", "status", "--json"])).stdout);
}

/** Gone, and not just about to go. */
async function dismiss(machine: Machine): Promise<void> {
  const { pid } = JSON.parse((await holdfast(machine, ["daemon", "stop", "--json"])).stdout);
  for (let waited = 0; pid !== undefined && waited < 10_000 && isAlive(pid); waited += 50) await sleep(50);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe.skipIf(!canCompile)("the package as it is installed", () => {
  it("brings no binary; init builds the client, registers it, and calls go through it to the daemon", async ({
    machine,
  }) => {
    expect(existsSync(join(installed, "dist", "native"))).toBe(false);
    expect((await init(machine)).stdout).toContain("built  the native client");
    const client = registered(machine);
    expect(client.startsWith(join(machine.stateDir, "clients"))).toBe(true);
    expect(lstatSync(dirname(client)).mode & 0o777).toBe(0o700);
    expect(lstatSync(client).mode & 0o777).toBe(0o700);
    expect((await pushes(machine)).stdout).toContain("Blocked by holdfast");
    const before = await daemonOf(machine);
    expect((await pushes(machine)).stdout).toContain("Blocked by holdfast");
    const after = JSON.parse((await holdfast(machine, ["daemon", "status", "--json"])).stdout);
    expect(after.calls - before.calls).toBe(1);
    expect(machine.records("audit")).toHaveLength(2);
    await dismiss(machine);
  });

  it("is built once for a version; one that was tampered with is built anew", async ({ machine }) => {
    await init(machine);
    const client = registered(machine);
    const bytes = readFileSync(client);
    expect((await init(machine)).stdout).not.toContain("built");
    appendFileSync(client, "x");
    expect((await init(machine)).stdout).toContain("built  the native client");
    expect(readFileSync(client).equals(bytes)).toBe(true);
  });

  it("after an upgrade the registered client still answers, and doctor --fix builds the new one in its place", async ({
    machine,
  }) => {
    await init(machine);
    const client = registered(machine);
    const old = readFileSync(client);
    await pushes(machine);
    await daemonOf(machine);
    await dismiss(machine);
    appendFileSync(join(installed, "dist", "daemon.cjs"), "\n// another version\n");
    expect((await pushes(machine)).stdout).toContain("Blocked by holdfast");
    await daemonOf(machine);
    expect((await pushes(machine)).stdout).toContain("Blocked by holdfast");
    expect(machine.records("audit")).toHaveLength(3);
    await holdfast(machine, ["doctor", "--fix", "--yes"]);
    expect(registered(machine)).toBe(client);
    expect(readFileSync(client).equals(old)).toBe(false);
    expect((await pushes(machine)).stdout).toContain("Blocked by holdfast");
    await dismiss(machine);
  });

  it("without a compiler the Node program is registered, and init says what that costs", async ({ machine }) => {
    const bin = join(machine.dir, "bin");
    mkdirSync(bin);
    symlinkSync(process.execPath, join(bin, "node"));
    const { stdout } = await init(machine, { PATH: bin });
    expect(stdout).toContain("no native client  no C compiler (cc, gcc, clang, or CC): every call starts Node");
    expect(registered(machine)).toBe(join(installed, "bin", "holdfast"));
    expect((await pushes(machine)).stdout).toContain("Blocked by holdfast");
  });

  it("a dry run builds nothing", async ({ machine }) => {
    const { stdout } = await holdfast(machine, ["init", "--hosts", "claude-code", "--dry-run"]);
    expect(stdout).toContain(join(machine.stateDir, "clients"));
    expect(existsSync(join(machine.stateDir, "clients"))).toBe(false);
  });
});
