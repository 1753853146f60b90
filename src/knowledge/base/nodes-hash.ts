/** One hash for all nodes: of every file's path and bytes, of no time and no order. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { byCodePoint } from "./author-text.ts";
import { listNodeFiles } from "./node-files.ts";

/** Generated pages are not in it, so that writing them does not change it. */
export function nodesHash(nodesDir: string): string {
  const lines = listNodeFiles(nodesDir).files.map(({ path, file }) => `${path}\t${sha256(readFileSync(file))}`);
  return `sha256:${sha256(lines.sort(byCodePoint).join("\n"))}`;
}

const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex");
