/** The files a hook's code consists of, by content: what a person trusts is these bytes and no others. */
import { hash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import { dirname, extname, resolve } from "node:path";

export type Pins = { readonly [file: string]: string };

/** The entry files and everything they import, followed statically. A file that cannot be read is pinned as "unreadable". */
export function pinFiles(entries: readonly string[]): Pins {
  const pins: Record<string, string> = {};
  const queue = [...entries];
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (file in pins) continue;
    const content = readContent(file);
    pins[file] = content === undefined ? "unreadable" : hash("sha256", content, "hex");
    if (content !== undefined && SCRIPTS.has(extname(file))) queue.push(...importsOf(file, content.toString("utf8")));
  }
  return Object.fromEntries(Object.entries(pins).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const SCRIPTS = new Set([".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".tsx", ".jsx"]);
const IMPORT = /(?:\bfrom|\bimport|\bimport\s*\(|\brequire\s*\()\s*["']([^"'\n]+)["']/g;

function importsOf(file: string, text: string): string[] {
  const found = [...text.matchAll(IMPORT)].map(([, specifier]) => resolveImport(specifier as string, file));
  return found.filter((path): path is string => path !== undefined);
}

function resolveImport(specifier: string, from: string): string | undefined {
  if (specifier === "holdfast" || specifier.startsWith("holdfast/") || isBuiltin(specifier)) return undefined;
  if (!specifier.startsWith(".") && !specifier.startsWith("/")) {
    try {
      return createRequire(from).resolve(specifier);
    } catch {
      return undefined;
    }
  }
  const base = resolve(dirname(from), specifier);
  const stem = base.replace(/\.[mc]?jsx?$/, "");
  const candidates = [
    base,
    ...["", "/index"].flatMap((tail) => [...SCRIPTS, ".json"].map((ext) => `${stem}${tail}${ext}`)),
  ];
  return candidates.find((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
}

export function readContent(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
