/**
 * Makes a directory and those above it. Node's own `recursive` never ends where the system says "no such file" below a
 * directory that is there, as it does below /proc: Node then goes up and down for ever. This walks up once.
 */
import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** The outermost directory that was made; undefined: all were there. */
export function makeDirectory(directory: string, mode = 0o777): string | undefined {
  const place = resolve(directory);
  if (isDirectory(place)) return undefined;
  try {
    return makeOne(place, mode);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
  const above = dirname(place);
  const first = above === place ? undefined : makeDirectory(above, mode);
  try {
    const made = makeOne(place, mode);
    return first ?? made;
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    const message = `ENOENT: ${above} is a place where no directory can be made, mkdir '${place}'`;
    throw Object.assign(new Error(message, { cause: error }), { code: "ENOENT", syscall: "mkdir", path: place });
  }
}

function makeOne(place: string, mode: number): string | undefined {
  try {
    mkdirSync(place, { mode });
    return place;
  } catch (error) {
    // Another process was faster.
    if (codeOf(error) === "EEXIST" && isDirectory(place)) return undefined;
    throw error;
  }
}

/** Asked first: that a directory is there is the rule, and an error costs more than the question. */
function isDirectory(place: string): boolean {
  try {
    return statSync(place, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    // Why it cannot be looked at is said by the attempt to make it.
    return false;
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;
