/**
 * Images of packages that are no longer there. Each takes 5 MB, and nobody will ask for it again. The client or launcher
 * beside it stays: a host may still call it, and a program that is missing is taken for consent.
 */
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { clientsDir, isImageName, readRecord } from "./client-record.ts";
import { fileView } from "./file-view.ts";

export interface GoneImage {
  readonly file: string;
  readonly packageDir: string;
}

/** A call that looked at package and image just before the package went has begun with the image by then. */
const BEGUN_MS = 1_000;

/** Returns those that were, or would be, removed. */
export async function removeGoneImages(stateDir: string, { pretend = false } = {}): Promise<GoneImage[]> {
  const gone = imagesOfGone(stateDir);
  if (pretend || gone.length === 0) return gone;
  await sleep(BEGUN_MS);
  // One that npm puts in the place of another is away for a moment.
  return gone.filter(({ file, packageDir }) => isGone(packageDir) && isRemoved(file));
}

function imagesOfGone(stateDir: string): GoneImage[] {
  const clients = clientsDir(stateDir);
  const view = fileView();
  return namesIn(clients).flatMap((name) => {
    const directory = join(clients, name);
    const made = readRecord(join(directory, "holdfast"))?.package;
    if (made?.view !== view || !isGone(made.dir)) return [];
    return namesIn(directory)
      .filter(isImageName)
      .map((image) => ({ file: join(directory, image), packageDir: made.dir }));
  });
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    // Not there, or not a directory: there is nothing of ours in it.
    return [];
  }
}

/** One that cannot be looked at is not gone. */
function isGone(packageDir: string): boolean {
  try {
    return statSync(packageDir, { throwIfNoEntry: false }) === undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOTDIR";
  }
}

function isRemoved(file: string): boolean {
  try {
    rmSync(file);
    return true;
  } catch {
    // Somebody else was faster, or the next one removes it.
    return false;
  }
}
