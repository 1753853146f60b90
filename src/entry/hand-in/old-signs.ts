import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Places } from "../../config/places.ts";
import { SIGN_BEGINNING, signsDir } from "../../engine/hand-in-sign.ts";

const OLD_MS = 7 * 24 * 60 * 60 * 1_000;

/** Each token has a sign of its own: those of tokens that nobody uses any more are not kept. */
export function removeOldSigns(places: Pick<Places, "stateDir">, own: string): void {
  const directory = signsDir(places);
  if (!existsSync(directory)) return;
  for (const name of readdirSync(directory).filter((found) => found.startsWith(SIGN_BEGINNING))) {
    const file = join(directory, name);
    if (file === own) continue;
    const last = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    if (last !== undefined && Date.now() - last > OLD_MS) rmSync(file, { force: true });
  }
}
