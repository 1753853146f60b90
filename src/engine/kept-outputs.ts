/** Whole tool outputs of which the model saw a part: a file each, for this person only, the newest ones. */
import { readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { writePrivateFile } from "../config/private-file.ts";
import type { Effect } from "../core/effect.ts";
import { makeDirectory } from "../files/make-directory.ts";

const MAX_FILES = 500;
/** Removed at once, so that not every output has to look for the oldest. */
const REMOVED_AT_ONCE = 50;

/** Returns what could not be kept, in a person's words. */
export function keepOutputs(effects: readonly Effect[]): string[] {
  return effects.flatMap((effect) => (effect.type === "keep-output" ? keep(effect.file, effect.text) : []));
}

function keep(file: string, text: string): string[] {
  try {
    makeDirectory(dirname(file), 0o700);
    makeRoom(dirname(file));
    writePrivateFile(file, text);
    return [];
  } catch (error) {
    return [`the whole output could not be kept in ${file}: ${(error as Error).message}`];
  }
}

function makeRoom(directory: string): void {
  const names = readdirSync(directory);
  if (names.length < MAX_FILES) return;
  const aged = names.map((name) => ({
    name,
    at: statSync(join(directory, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  }));
  aged.sort((a, b) => a.at - b.at);
  for (const { name } of aged.slice(0, names.length - MAX_FILES + REMOVED_AT_ONCE))
    rmSync(join(directory, name), { force: true });
}
