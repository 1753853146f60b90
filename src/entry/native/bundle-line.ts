/** The first line of a bundle names the rest of it (scripts/build.mjs): which one it is, is known without reading it all. */
import { closeSync, openSync, readSync } from "node:fs";

const LINE = /^\/\/ [0-9a-f]{32}(?=\n)/;

/** undefined: it is of another build than ours. */
export function bundleLine(bundle: string): string | undefined {
  const bytes = Buffer.alloc(64);
  const file = openSync(bundle, "r");
  try {
    readSync(file, bytes);
  } finally {
    closeSync(file);
  }
  return LINE.exec(bytes.toString("latin1"))?.[0];
}
