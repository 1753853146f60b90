/**
 * The socket of a daemon is named by it: one of another version or checkout is never reached. A package has it in no file,
 * and a call that finds no daemon asks for it: so bundles are not read whole.
 */
import { createHash } from "node:crypto";
import { realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { VERSION } from "../../engine/version.ts";
import { bundleLine } from "./bundle-line.ts";

export function buildIdOf(distDir: string, packageDir: string): string {
  const hash = createHash("sha256");
  for (const name of ["hook.cjs", "plugin.cjs", "daemon.cjs"]) {
    const file = join(distDir, name);
    const line = bundleLine(file);
    if (line === undefined) throw new Error(`${file} does not say which it is`);
    hash.update(`${line} ${statSync(file).size}\n`);
  }
  return hash.update(realpathSync(packageDir)).update(VERSION).digest("hex").slice(0, 16);
}
