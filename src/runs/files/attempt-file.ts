/** attempts/NN.json: what an attempt was told, which process does it, and what came of it, before any hook has seen it. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { killTree } from "../../process/kill-tree.ts";
import type { AttemptState } from "../store.ts";
import { type Disk, readIfThere } from "./disk.ts";
import { isAlive } from "./process-identity.ts";

const pathOf = (directory: string, number: number, ending: string) =>
  join(directory, "attempts", `${String(number).padStart(2, "0")}.${ending}`);

export const outputFileOf = (directory: string, number: number): string => pathOf(directory, number, "log");

/** What stands there before a result is not synced: a power cut may leave anything of it, and then nothing is known. */
export function readAttempt(directory: string, number: number): AttemptState | undefined {
  const text = readIfThere(pathOf(directory, number, "json"));
  try {
    const attempt = JSON.parse(text ?? "null") as AttemptState | null;
    return attempt?.number === number ? attempt : undefined;
  } catch {
    return undefined;
  }
}

export function writeAttempt(disk: Disk, directory: string, attempt: AttemptState): void {
  if (!existsSync(join(directory, "attempts"))) disk.makeDirectory(join(directory, "attempts"));
  // Which process does it is of no use once the machine has stopped.
  const write = attempt.result ? disk.replace : disk.replaceUnsynced;
  write(pathOf(directory, attempt.number, "json"), `${JSON.stringify(attempt)}\n`);
}

/** What every process of an attempt has in its environment. */
export const markOfAttempt = (run: string, number: number): string => `run:${run}:${number};`;

/**
 * Ends what a dead driver left running: two agents must never work on one run. By its mark too, since a driver may die
 * between starting a process and writing down which.
 */
export async function endOrphan(run: string, number: number, attempt: AttemptState | undefined): Promise<void> {
  const isThere = attempt?.process && isAlive(attempt.process) === true;
  await killTree({ pid: isThere ? attempt.process.pid : null, runId: markOfAttempt(run, number) });
}
