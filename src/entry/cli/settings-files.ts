/** Changes to other programs' settings files: shown first, atomic, and undone to the byte. */
import { createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { writePrivateFile } from "../../config/private-file.ts";
import { HoldfastError } from "../../core/errors.ts";
import { makeDirectory } from "../../files/make-directory.ts";
import type { FileEdit } from "../../hosts/host.ts";

export interface FileChange {
  readonly path: string;
  /** undefined: no such file. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export const isChange = ({ before, after }: FileChange) => before !== after;

export function additions(edits: readonly FileEdit[]): FileChange[] {
  return edits.map(({ path, add }) => {
    const before = readSettings(path);
    return { path, before, after: add(before) };
  });
}

/** The old bytes where nobody has touched the file since; else only our part is taken out. */
export function removals(edits: readonly FileEdit[], stateDir: string): FileChange[] {
  const backups = readBackups(stateDir);
  return taken(edits, ({ path, remove }, before) => {
    const backup = backups[path];
    return backup && backup.writtenHash === hash(before) ? (backup.before ?? undefined) : remove(before);
  });
}

/**
 * As `removals`, of files that other commands of ours write too: the old bytes only where they and this part make what is
 * there, because the oldest may be from before another command's part.
 */
export function removalsOfPart(edits: readonly FileEdit[], stateDir: string): FileChange[] {
  const backups = readBackups(stateDir);
  return taken(edits, ({ path, add, remove }, before) => {
    const backup = backups[path];
    const old = backup?.before ?? undefined;
    return backup && backup.writtenHash === hash(before) && add(old) === before ? old : remove(before);
  });
}

/** Only our part, whatever the old bytes were: of files in which other commands of ours write for a person too. */
export const partsTakenOut = (edits: readonly FileEdit[]): FileChange[] =>
  taken(edits, ({ remove }, before) => remove(before));

function taken(
  edits: readonly FileEdit[],
  afterOf: (edit: FileEdit, before: string) => string | undefined,
): FileChange[] {
  return edits.flatMap((edit): FileChange[] => {
    const before = readSettings(edit.path);
    return before === undefined ? [] : [{ path: edit.path, before, after: afterOf(edit, before) }];
  });
}

/** Asked of all files before the first is changed: half a registration is worse than none. */
export function assertWritable(changes: readonly FileChange[]): void {
  for (const { path } of changes) writableTarget(path);
}

export function applyChange({ path, before, after }: FileChange, stateDir: string, keep: "backup" | "forget"): void {
  const target = writableTarget(path);
  if (readSettings(path) !== before)
    throw new HoldfastError("HF401", `${path} was changed by someone else just now`, {
      file: path,
      hint: "run the command again",
    });
  if (keep === "backup") backUp(stateDir, path, before, after ?? "");
  try {
    if (after === undefined) rmSync(target);
    else {
      makeRemembered(dirname(target), stateDir);
      replaceFile(target, after);
    }
  } catch (error) {
    throw new HoldfastError("HF401", `${path} cannot be written: ${(error as Error).message}`, { file: path });
  }
  if (keep === "forget") forget(stateDir, path);
}

/** The file behind a link, so that the link stays. A file that a person made read-only is not ours to replace. */
function writableTarget(path: string): string {
  const refused = (why: string, hint: string) => new HoldfastError("HF401", `${path} ${why}`, { file: path, hint });
  if (!existsSync(path)) {
    if (isLink(path))
      throw refused(
        "is a link to a file that does not exist",
        "create that file or remove the link, then run it again",
      );
    return path;
  }
  const target = realpathSync(path);
  if ((statSync(target).mode & 0o222) === 0)
    throw refused("is read-only", "make it writable (chmod u+w), then run it again");
  return target;
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/** Never half a file, and never through a link that a repository put where the temporary file would be. */
function replaceFile(target: string, text: string): void {
  const temporary = `${target}.${randomBytes(6).toString("hex")}.tmp`;
  const mode = existsSync(target) ? statSync(target).mode & 0o777 : 0o644;
  try {
    writeFileSync(temporary, text, { flag: "wx", mode });
    chmodSync(temporary, mode);
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function readSettings(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (error) {
    throw new HoldfastError("HF401", `${path} cannot be read: ${(error as Error).message}`, { file: path });
  }
}

/** Removes the directories that were made for a registration and hold nothing any more. */
export function removeEmptyDirectories(stateDir: string): void {
  const made = readMade(stateDir);
  const left = made
    .sort((one, other) => other.length - one.length)
    .filter((directory) => {
      try {
        rmdirSync(directory);
        return false;
      } catch {
        return existsSync(directory);
      }
    });
  if (left.length !== made.length) writePrivateFile(madeFile(stateDir), JSON.stringify(left));
}

/** Makes the directory of a file, and remembers what was not there before. */
function makeRemembered(directory: string, stateDir: string): void {
  const first = makeDirectory(directory);
  if (first === undefined) return;
  const made = [directory];
  while (made[0] !== first && made[0] !== dirname(made[0] as string)) made.unshift(dirname(made[0] as string));
  writePrivateFile(madeFile(stateDir), JSON.stringify([...new Set([...readMade(stateDir), ...made])]));
}

const madeFile = (stateDir: string) => join(stateDir, "made-directories.json");

function readMade(stateDir: string): string[] {
  try {
    return JSON.parse(readFileSync(madeFile(stateDir), "utf8")) as string[];
  } catch {
    return [];
  }
}

type Backups = Record<string, { before: string | null; writtenHash: string }>;

const backupFile = (stateDir: string) => join(stateDir, "settings-backups.json");
const hash = (text: string) => createHash("sha256").update(text).digest("hex");

function readBackups(stateDir: string): Backups {
  try {
    return JSON.parse(readFileSync(backupFile(stateDir), "utf8")) as Backups;
  } catch {
    return {};
  }
}

/** A second init keeps the first original, as long as the file is still what the first one wrote. */
function backUp(stateDir: string, path: string, before: string | undefined, after: string): void {
  const backups = readBackups(stateDir);
  const earlier = backups[path];
  const original =
    earlier && before !== undefined && earlier.writtenHash === hash(before) ? earlier.before : (before ?? null);
  saveBackups(stateDir, { ...backups, [path]: { before: original, writtenHash: hash(after) } });
}

function forget(stateDir: string, path: string): void {
  const { [path]: _gone, ...rest } = readBackups(stateDir);
  saveBackups(stateDir, rest);
}

function saveBackups(stateDir: string, backups: Backups): void {
  writePrivateFile(backupFile(stateDir), JSON.stringify(backups));
}
