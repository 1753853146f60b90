/** A directory whose run is still being made: it names the process that makes it, and goes when that process is dead. */
import { existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { readIfThere } from "./disk.ts";
import { isAlive, type ProcessIdentity } from "./process-identity.ts";
import { runFile } from "./run-places.ts";

export const RESERVED = "reserved.json";

export const reservationFile = (directory: string): string => join(directory, RESERVED);

/** Of a directory without a run. */
export function sweepReservation(directory: string): void {
  const text = readIfThere(reservationFile(directory));
  if (text === undefined || !isLeft(directory, text) || existsSync(runFile(directory))) return;
  rmSync(directory, { recursive: true, force: true });
}

/** Nothing is made for so long: whoever cannot be seen from here (a machine that was restarted since) is gone. */
const LONGEST_MS = 2 * 24 * 60 * 60 * 1000;

function isLeft(directory: string, text: string): boolean {
  const madeAt = statSync(reservationFile(directory), { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  return isAlive(ownerOf(text)) === false || Date.now() - madeAt > LONGEST_MS;
}

function ownerOf(text: string): ProcessIdentity {
  try {
    return JSON.parse(text) as ProcessIdentity;
  } catch {
    // Being written, or torn: nobody can say whose it is.
    return { pid: 0, startedAt: null, scope: "" };
  }
}
