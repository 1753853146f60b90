/**
 * From where files are seen. A home may be shared by machines and containers: a package that is not to be found in one
 * is there in the other, and its image in use. The same after a restart; a view that is taken for another does no harm.
 */
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { hostname } from "node:os";

export function fileView(): string {
  const { dev, ino } = statSync("/");
  return createHash("sha256")
    .update(JSON.stringify([hostname(), machineId(), dev, ino]))
    .digest("hex");
}

function machineId(): string {
  try {
    return readFileSync("/etc/machine-id", "utf8").trim();
  } catch {
    // macOS, and many containers: the others have to do.
    return "";
  }
}
