/** The socket of a daemon is named by it: one of another version or checkout is never reached. */
import { createHash } from "node:crypto";
import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { VERSION } from "../../engine/version.ts";

export function buildIdOf(distDir: string, packageDir: string): string {
  const hash = createHash("sha256");
  for (const file of ["hook.cjs", "plugin.cjs", "daemon.cjs"]) hash.update(readFileSync(join(distDir, file)));
  return hash.update(realpathSync(packageDir)).update(VERSION).digest("hex").slice(0, 16);
}
