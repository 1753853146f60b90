/** Where the daemon of this very build listens. A daemon of another version or checkout has another place. */
import { chmodSync, existsSync, lstatSync, readFileSync, type Stats } from "node:fs";
import { join } from "node:path";
import type { Places } from "../../config/places.ts";
import { HoldfastError } from "../../core/errors.ts";
import { makeDirectory } from "../../files/make-directory.ts";
import { buildIdOf } from "../native/build-id.ts";

/** The client has the same baked in. Written by the build; a package has no such file. undefined: nothing is built. */
export function buildId(distDir: string): string | undefined {
  try {
    const file = join(distDir, "native", "build-id");
    if (existsSync(file)) return readFileSync(file, "utf8").trim() || undefined;
    return buildIdOf(distDir, join(distDir, ".."));
  } catch {
    return undefined;
  }
}

export const runDir = ({ stateDir }: Pick<Places, "stateDir">) => join(stateDir, "run");
export const socketFile = (id: string, places: Pick<Places, "stateDir">) => join(runDir(places), `${id}.sock`);

/** Whether clients would talk to what is there: a socket of ours alone. */
export function isPrivateSocket(file: string): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (!found?.isSocket()) return false;
  return isOurs(found) && (found.mode & 0o077) === 0;
}

const isOurs = ({ uid }: Stats) => process.getuid === undefined || uid === process.getuid();

/** A private directory of ours, or an error: who may write there could answer in our place. */
export function ensureRunDir(places: Pick<Places, "stateDir">): string {
  const directory = runDir(places);
  makeDirectory(directory, 0o700);
  const stat = lstatSync(directory);
  if (!stat.isDirectory() || !isOurs(stat))
    throw new HoldfastError("HF701", `${directory} is not a directory of yours: remove it`);
  if ((stat.mode & 0o077) !== 0) chmodSync(directory, 0o700);
  return directory;
}
