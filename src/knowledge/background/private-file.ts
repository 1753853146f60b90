/** Files that only this person reads, there whole or not at all. */
import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { makeDirectory } from "../../files/make-directory.ts";

export function writePrivately(file: string, text: string): void {
  makeDirectory(dirname(file), 0o700);
  const draft = join(dirname(file), `.${basename(file)}.${process.pid}-${randomBytes(6).toString("hex")}.tmp`);
  try {
    const descriptor = openSync(draft, "wx", 0o600);
    try {
      writeWhole(descriptor, Buffer.from(text, "utf8"));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** This person's own, in a base that was never set up as in one that was: nothing in it belongs into a commit. */
export function ownFolder(directory: string): void {
  makeDirectory(directory, 0o700);
  try {
    writeFileSync(join(directory, ".gitignore"), "*\n", { flag: "wx" });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

function writeWhole(descriptor: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
}

/** undefined: there is none. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

export const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | undefined)?.code;

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
