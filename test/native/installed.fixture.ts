/** The package as a person gets it: its packed files, with its dependencies beside them. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { placesOf } from "../../src/config/places.ts";
import { buildId, socketFile } from "../../src/entry/daemon/socket-place.ts";
import { claudeShell } from "../payloads.ts";
import { type Ended, type Environment, type Machine, it as onMachine } from "../program.ts";

const root = join(import.meta.dirname, "..", "..");

/** A directory with the tarball in it. */
function pack(): string {
  const packed = mkdtempSync(join(realpathSync(tmpdir()), "holdfast-packed-"));
  execFileSync("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", packed], { cwd: root });
  return packed;
}

export class Installed {
  readonly dir: string;
  readonly distDir: string;

  constructor(packed: string) {
    const scratch = mkdtempSync(join(packed, "installed "));
    const tarball = readdirSync(packed).find((name) => name.endsWith(".tgz")) ?? "";
    execFileSync("tar", ["-xzf", join(packed, tarball), "-C", scratch]);
    this.dir = join(scratch, "package");
    this.distDir = join(this.dir, "dist");
    symlinkSync(join(root, "node_modules"), join(this.dir, "node_modules"));
  }

  get program(): string {
    return join(this.dir, "bin", "holdfast");
  }

  holdfast(machine: Machine, args: readonly string[], env: Environment = {}): Promise<Ended> {
    return machine.run(args, { command: this.program, env });
  }

  init(machine: Machine, env: Environment = {}): Promise<Ended> {
    return this.holdfast(machine, ["init", "--hosts", "claude-code", "--yes"], env);
  }

  async daemonOf(machine: Machine): Promise<{ calls: number }> {
    const socket = socketFile(buildId(this.distDir) ?? "", placesOf(machine.env));
    for (let waited = 0; waited < 15_000 && !existsSync(socket); waited += 50) await sleep(50);
    return JSON.parse((await this.holdfast(machine, ["daemon", "status", "--json"])).stdout);
  }

  /** Gone, and not just about to go. */
  async dismiss(machine: Machine): Promise<void> {
    const { pid } = JSON.parse((await this.holdfast(machine, ["daemon", "stop", "--json"])).stdout);
    for (let waited = 0; pid !== undefined && waited < 10_000 && isAlive(pid); waited += 50) await sleep(50);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The program in the host's settings. */
export function registered(machine: Machine): string {
  const settings = JSON.parse(machine.read("project/.claude/settings.json"));
  return settings.hooks.PreToolUse[0].hooks[0].command;
}

export const calls = (machine: Machine, command: string, env: Environment = {}): Promise<Ended> =>
  machine.run(["hook", "--host", "claude-code"], {
    command: registered(machine),
    stdin: JSON.stringify(claudeShell(machine, command)),
    env,
  });

export const pushes = (machine: Machine, env: Environment = {}): Promise<Ended> =>
  calls(machine, "git push --force origin main", env);

/** Where no compiler is. */
export function pathWithNodeOnly(machine: Machine): Environment {
  const bin = join(machine.dir, "bin");
  mkdirSync(bin, { recursive: true });
  if (!existsSync(join(bin, "node"))) symlinkSync(process.execPath, join(bin, "node"));
  return { PATH: bin };
}

/** `it` with a package of its own for each test, beside its machine. */
export const it = onMachine.extend<{ packed: string; installed: Installed }>({
  packed: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of the fixtures from here
    async ({}, use) => {
      const packed = pack();
      await use(packed);
      rmSync(packed, { recursive: true, force: true });
    },
    { scope: "file" },
  ],
  installed: async ({ packed }, use) => use(new Installed(packed)),
});
