/**
 * A word among editors of a run's tasks, not a lock: one that has lost again and again to faster ones says that it is its
 * turn, and the others give it a moment before they ask their hooks. Nothing depends on it but who comes first.
 */
import { statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf, readIfThere } from "./disk.ts";
import { identityOf, isAlive, type ProcessIdentity } from "./process-identity.ts";

/** Longer than that nobody's hooks are waited for. */
const LONGEST_MS = 2_000;
const LOOK_EVERY_MS = 10;

const turnFile = (directory: string) => join(directory, "turn.json");

export function takeTurn(directory: string): { release(): void } | undefined {
  try {
    const turn = { owner: identityOf(process.pid), at: Date.now() };
    writeFileSync(turnFile(directory), JSON.stringify(turn), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (codeOf(error) === "EEXIST" || codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  return { release: () => end(directory) };
}

export async function letOthersTurn(directory: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < LONGEST_MS && isTaken(directory); waitedMs += LOOK_EVERY_MS) {
    await new Promise((done) => setTimeout(done, LOOK_EVERY_MS));
  }
}

function isTaken(directory: string): boolean {
  const turn = turnIn(directory);
  if (!turn) return false;
  const isOfDead = turn.owner !== undefined && isAlive(turn.owner) === false;
  const isOver = isOfDead || !(Math.abs(Date.now() - turn.at) < LONGEST_MS);
  if (isOver) end(directory);
  return !isOver;
}

interface Turn {
  /** Undefined: it is just being written, or was torn when the machine stopped. */
  readonly owner: ProcessIdentity | undefined;
  readonly at: number;
}

function turnIn(directory: string): Turn | undefined {
  const file = turnFile(directory);
  const at = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  const text = readIfThere(file);
  if (at === undefined || text === undefined) return undefined;
  try {
    const turn = JSON.parse(text) as Turn | null;
    if (typeof turn?.owner?.scope === "string") return turn;
  } catch {}
  return { owner: undefined, at };
}

function end(directory: string): void {
  try {
    unlinkSync(turnFile(directory));
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}
