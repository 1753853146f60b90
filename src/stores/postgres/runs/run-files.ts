/** Files of a run: they are staged on one machine, kept in the database, and fetched by any machine that wants them. */

import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join, normalize, resolve, sep } from "node:path";
import { HoldfastError } from "../../../core/errors.ts";
import { makeDirectory } from "../../../files/make-directory.ts";
import type { FileChange } from "../../../runs/store.ts";
import type { Query } from "./database.ts";

export type StagedFile = { readonly path: string; readonly bytes: Buffer } | { readonly gone: string };

/** Read before the transaction begins. */
export const readStaged = (directory: string, changes: readonly FileChange[]): readonly StagedFile[] =>
  changes.map((change) =>
    "remove" in change
      ? { gone: inside(directory, change.remove) }
      : { path: inside(directory, change.to), bytes: readFileSync(join(directory, inside(directory, change.from))) },
  );

export async function writeFiles(within: Query, run: string, files: readonly StagedFile[]): Promise<void> {
  for (const file of files) {
    if ("path" in file) {
      const sql = `insert into files (run, path, bytes) values ($1, $2, $3)
        on conflict (run, path) do update set bytes = excluded.bytes`;
      await within(sql, [run, file.path, file.bytes]);
    } else if (file.gone === "attempts") await within("delete from attempts where run = $1", [run]);
    else
      await within("delete from files where run = $1 and (path = $2 or starts_with(path, $3))", [
        run,
        file.gone,
        `${file.gone}/`,
      ]);
  }
}

/** This machine's copies of what went. */
export function removeFiles(directory: string, files: readonly StagedFile[]): void {
  for (const file of files) if ("gone" in file) rmSync(join(directory, file.gone), { recursive: true, force: true });
}

/** Whole or not at all, also when two processes fetch it at once. */
export async function fetchedFile(
  query: Query,
  run: string,
  directory: string,
  path: string,
): Promise<string | undefined> {
  const file = join(directory, path);
  if (existsSync(file)) return file;
  const bytes = await bytesOf(query, run, path);
  if (bytes) await writeWhole(file, bytes);
  return bytes && file;
}

export async function writeWhole(file: string, bytes: Buffer): Promise<void> {
  makeDirectory(dirname(file), 0o700);
  const fresh = `${file}.${randomUUID()}`;
  await writeFile(fresh, bytes, { mode: 0o600 });
  renameSync(fresh, file);
}

async function bytesOf(query: Query, run: string, path: string): Promise<Buffer | undefined> {
  const sql = "select bytes from files where run = $1 and path = $2";
  const [row] = await query<{ bytes: Buffer }>(sql, [run, path]);
  return row?.bytes;
}

function inside(directory: string, path: string): string {
  if (!resolve(directory, path).startsWith(directory + sep))
    throw new HoldfastError("HF1028", `${path} leads out of the run's directory`);
  return normalize(path);
}
