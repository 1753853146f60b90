/**
 * What is registered for everybody on a machine is run by everybody on it. So it is the package's own program, never one
 * that was made in somebody's state, and it is registered only where all can run it: with hosts that fail closed, whoever
 * could not would be blocked at every call.
 */
import { realpathSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { HoldfastError } from "../../core/errors.ts";
import { packagedClient } from "../native/client.ts";
import { launcherOf } from "../native/launcher.ts";

export const managedProgram = (distDir: string): string =>
  packagedClient(distDir) ?? launcherOf(distDir) ?? packageProgram(distDir);

export const packageProgram = (distDir: string): string => join(distDir, "..", "bin", "holdfast");

export interface Surroundings {
  readonly homeDir: string;
  /** The Node that runs it. */
  readonly node?: string;
}

/** Throws HF404 where somebody on this machine could not run it. */
export function assertForEverybody(distDir: string, { homeDir, node = process.execPath }: Surroundings): void {
  if (process.platform === "win32") return;
  const run = [managedProgram(distDir), packageProgram(distDir), node];
  const read = [join(distDir, "hook.cjs"), join(distDir, "entry", "cli", "main.js")];
  for (const [file, bits] of [
    ...run.map((path) => [path, 0o005] as const),
    ...read.map((path) => [path, 0o004] as const),
  ]) {
    const problem = problemOf(file, bits, homeDir);
    if (problem === undefined) continue;
    throw new HoldfastError("HF404", problem, {
      hint:
        file === node
          ? "install Node where everybody can run it, such as below /usr/local, and run this again with that one"
          : "install the package where everybody can run it, such as with `sudo npm install -g`, and run that holdfast init --managed",
    });
  }
}

function problemOf(path: string, bits: number, homeDir: string): string | undefined {
  const file = realpathSync(path);
  const home = homesOf(homeDir).find((prefix) => file.startsWith(prefix));
  if (home !== undefined) return `${file} is in a home (${home}): it is its owner's to change and to close`;
  for (let place = file; ; place = dirname(place)) {
    const { mode } = statSync(place);
    const needed = place === file ? bits : SEARCH;
    if ((mode & needed) !== needed)
      return `not everybody may ${place === file ? "run" : "enter"} ${place}, and ${file} is to run for all`;
    if ((mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0)
      return `anybody may change ${place}, and ${file} is to run for all`;
    if (place === dirname(place)) return undefined;
  }
}

const SEARCH = 0o001;
const OTHERS_WRITE = 0o002;
const STICKY = 0o1000;

/** With sudo a checkout is in another home than the one that HOME names. */
function homesOf(homeDir: string): string[] {
  const own = [homeDir, userInfo().homedir].filter((home) => home !== "" && home !== "/").map(real);
  return [...own.map((home) => `${home}/`), "/root/", "/home/", "/Users/"];
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
