/** Files that several processes change: one at a time, whole or not at all. */
import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { makeDirectory } from "../files/make-directory.ts";
import { isProblem, Problem } from "./problem.ts";

/** Runs the work while no other process holds the same lock file; `isHeld` turns false when the lock was lost meanwhile. */
export type Exclusively = <T>(lockFile: string, work: (lock: { isHeld(): boolean }) => T) => T;

export interface StorePorts {
  readonly exclusively: Exclusively;
  /** Everything is judged, nothing is written. */
  readonly dryRun?: boolean;
}

export interface Edit<T> {
  readonly text: string;
  readonly value: T;
  /** Where the text that is replaced goes. */
  readonly keepOldAs?: string;
}

/** Undefined when there is no such file. */
export function readText(file: string): string | undefined | Problem {
  return orProblem(`${basename(file)} cannot be read`, () => {
    try {
      return readFileSync(file, "utf8");
    } catch (error) {
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    }
  });
}

/** Read, change, write, with nobody in between. A problem leaves the file as it was. */
export function changeText<T>(
  file: string,
  lockFile: string,
  { exclusively, dryRun = false }: StorePorts,
  edit: (text: string | undefined) => Edit<T> | Problem,
): T | Problem {
  const change = (write: (file: string, text: string) => void): T | Problem => {
    const before = readText(file);
    if (isProblem(before)) return before;
    const edited = edit(before);
    if (isProblem(edited)) return edited;
    if (before !== undefined && edited.keepOldAs !== undefined) write(edited.keepOldAs, before);
    if (edited.text !== before) write(file, edited.text);
    return edited.value;
  };
  if (dryRun) return change(() => {});
  return orProblem(`${basename(file)} cannot be written`, () => {
    // Here and not by the lock, which would make it for its owner's eyes only.
    makeDirectory(dirname(file));
    return exclusively(lockFile, (lock) => change((path, text) => replaceText(path, text, lock)));
  });
}

function replaceText(file: string, text: string, lock: { isHeld(): boolean }): void {
  const prefix = `.${basename(file)}.`;
  const temporary = join(dirname(file), `${prefix}${process.pid}.tmp`);
  // Whoever died while writing left one of these; under the lock nobody else may have a live one.
  for (const name of readdirSync(dirname(file)))
    if (name.startsWith(prefix) && name.endsWith(".tmp")) rmSync(join(dirname(file), name), { force: true });
  try {
    const descriptor = openSync(temporary, "wx", 0o644);
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    if (!lock.isHeld()) throw Object.assign(new Error("the lock was lost meanwhile; try again"), { code: "LOCK_LOST" });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** A failure of the disk or of the lock, as data; a bug in the program is thrown on. */
export function orProblem<T>(what: string, work: () => T): T | Problem {
  try {
    return work();
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined || code.startsWith("ERR_")) throw error;
    return new Problem("IO_ERROR", `${what}: ${(error as Error).message}`);
  }
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
