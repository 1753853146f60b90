/**
 * A word among editors of a run's tasks, not a lock: one that has lost again and again to faster ones says that it is its
 * turn, and the others give it a moment before they ask their hooks. Nothing depends on it but who comes first.
 */
import { readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "./disk.ts";
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
  let turn: { readonly owner: ProcessIdentity; readonly at: number };
  try {
    turn = JSON.parse(readFileSync(turnFile(directory), "utf8"));
  } catch (error) {
    // Not there, or just being written.
    return codeOf(error) === undefined;
  }
  const isOver = isAlive(turn.owner) === false || !(Math.abs(Date.now() - turn.at) < LONGEST_MS);
  if (isOver) end(directory);
  return !isOver;
}

function end(directory: string): void {
  try {
    unlinkSync(turnFile(directory));
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}
