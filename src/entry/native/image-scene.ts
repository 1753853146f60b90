/** The directory in which an image is made. Who is killed meanwhile leaves it behind, for the next one to remove. */
import { lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const NAME = /^holdfast-image-\w{6}$/;
/** Much longer than an image can take. */
const OLD_MS = 60 * 60 * 1_000;

export const makeScene = (): string => mkdtempSync(join(tmpdir(), "holdfast-image-"));

/** Returns those that were, or would be, removed. */
export function removeOldScenes({ pretend = false } = {}): string[] {
  const directory = tmpdir();
  return namesIn(directory)
    .map((name) => join(directory, name))
    .filter((scene) => isOld(scene) && (pretend || isRemoved(scene)));
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => NAME.test(name));
  } catch {
    // Who makes an image there says what is wrong with it.
    return [];
  }
}

function isOld(scene: string): boolean {
  const found = lstatSync(scene, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.getuid?.() && Date.now() - found.mtimeMs > OLD_MS;
}

function isRemoved(scene: string): boolean {
  try {
    rmSync(scene, { recursive: true });
    return true;
  } catch {
    // Somebody else was faster, or the next one removes it.
    return false;
  }
}
