/** Files of the user's state: readable by nobody else, and never half written. Node built-ins only. */
import { renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { makeDirectory } from "../files/make-directory.ts";

export function writePrivateFile(file: string, content: string | Uint8Array): void {
  makeDirectory(dirname(file), 0o700);
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, content, { mode: 0o600 });
  renameSync(temporary, file);
}
