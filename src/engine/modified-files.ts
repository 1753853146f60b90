/** The list of files that agents changed: one path per line, for scripts. */
import { closeSync, constants, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { makeDirectory } from "../files/make-directory.ts";

/** Returns what could not be recorded, in a person's words. */
export function recordModifiedFiles(paths: readonly string[], directory: string): string[] {
  if (paths.length === 0) return [];
  try {
    makeDirectory(directory, 0o700);
    const descriptor = openSync(join(directory, "modified-files.log"), FLAGS, 0o600);
    try {
      writeSync(descriptor, paths.map((path) => `${onOneLine(path)}\n`).join(""));
    } finally {
      closeSync(descriptor);
    }
    return [];
  } catch (error) {
    return [`modified-files.log could not be written: ${(error as Error).message}`];
  }
}

// Neither a link to another file nor a pipe that nobody reads: both could have been put there by the agent.
const FLAGS =
  constants.O_WRONLY |
  constants.O_APPEND |
  constants.O_CREAT |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

const onOneLine = (path: string) => path.replaceAll("\n", "\\n");
