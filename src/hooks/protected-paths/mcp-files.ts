/**
 * The files that the arguments of an MCP tool name. What a server does with them nobody knows but by the tool's name and
 * annotations, so a tool writes unless either says that it reads.
 */
import type { Json, JsonObject } from "../../core/json.ts";
import type { McpCall } from "../../core/tool.ts";
import { readOnlyHint } from "../tool-annotations.ts";

export interface McpFiles {
  readonly paths: readonly string[];
  readonly use: "read" | "write";
  /** What is below a directory goes with it. */
  readonly wholeTree: boolean;
}

export function mcpFiles({ method, input }: McpCall, metadata: JsonObject | undefined): McpFiles {
  const paths: string[] = [];
  collect(input, false, 0, paths);
  const said = wordsOf(method);
  const saysAny = (known: ReadonlySet<string>) => said.some((word) => known.has(word));
  const isReading = readOnlyHint(metadata) ?? (saysAny(READS) && !saysAny(WRITES));
  return { paths, use: isReading ? "read" : "write", wholeTree: !isReading && saysAny(TAKES_TREES) };
}

/** Names of fields that hold a path, in any spelling: `path`, `file_path`, `destinationPath`, `files`. */
const PATH_FIELD =
  /^(?:.*[a-z_-])?(?:path|file|filename|dir|directory|folder|destination|dest|source|src|target|uri)s?$/i;
const NAMED_BESIDE = /^(?:from|to|old|new)$/i;
const MAX_PATH = 4_096;
const MAX_DEPTH = 6;

function collect(value: Json, isPath: boolean, depth: number, into: string[]): void {
  if (typeof value === "string") {
    const path = isPath ? pathOf(value) : undefined;
    if (path !== undefined) into.push(path);
  } else if (typeof value === "object" && value !== null && depth < MAX_DEPTH) {
    if (Array.isArray(value)) for (const item of value) collect(item, isPath, depth + 1, into);
    else
      for (const [key, item] of Object.entries(value))
        collect(item, PATH_FIELD.test(key) || NAMED_BESIDE.test(key), depth + 1, into);
  }
}

/** undefined: a text, or an address elsewhere. */
function pathOf(value: string): string | undefined {
  if (value === "" || value.length > MAX_PATH || value.includes("\n")) return undefined;
  if (/^file:/i.test(value)) return pathOfUrl(value);
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(value) ? undefined : value;
}

function pathOfUrl(url: string): string {
  const path = url.replace(/^file:(?:\/\/[^/]*)?/i, "");
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** `readTextFile`, `read-text-file`: read, text, file. */
const wordsOf = (method: string) =>
  method
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const READS = words(
  "read get list search find view show describe stat glob grep count check tree diff inspect lookup exists summarize summarise explain analyze analyse",
);
const WRITES = words(
  "write edit create make mkdir new update delete remove rm rmdir unlink trash move mv rename append insert replace patch apply set save put add overwrite modify change truncate copy cp touch fix format rewrite purge clean generate import export download upload sync clone init restore revert reset checkout commit push run exec execute",
);
const TAKES_TREES = words("delete remove rm rmdir unlink trash move mv rename purge clean");
