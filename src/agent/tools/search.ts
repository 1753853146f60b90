import { opendir, readFile, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { optional, text } from "../../core/fields.ts";
import type { Tool } from "./tool.ts";
import { placeIn } from "./working-directory.ts";

const MAX_FOUND = 200;
const MAX_FILE_BYTES = 1_000_000;
const MAX_LINE_CHARACTERS = 300;
const PASSED_OVER = new Set([".git", "node_modules", ".holdfast"]);

export const searchTool: Tool = {
  name: "search",
  description: "Finds lines that hold a text, in all files of the working directory or of one directory in it.",
  does: { kind: "search", paths: ["path"] },
  input: { text: text("the text, exactly"), path: optional(text("where to look; default the working directory")) },
  async run(input, { cwd, signal }) {
    const wanted = String(input.text);
    if (wanted === "") throw new Error("the text to look for is empty");
    const root = placeIn(cwd, ".");
    const found: string[] = [];
    for await (const file of filesIn(placeIn(cwd, String(input.path ?? ".")), signal)) {
      found.push(...(await linesWith(wanted, file, relative(root, file))));
      if (found.length >= MAX_FOUND) break;
    }
    if (found.length === 0) return `nothing holds ${JSON.stringify(wanted)}`;
    const shown = found.slice(0, MAX_FOUND);
    return [...shown, ...(found.length >= MAX_FOUND ? ["(there may be more; look in a smaller place)"] : [])].join(
      "\n",
    );
  },
};

/** Links are not followed: they may lead outside, or in a circle. */
async function* filesIn(place: string, signal: AbortSignal): AsyncGenerator<string> {
  if ((await stat(place)).isFile()) {
    yield place;
    return;
  }
  for await (const entry of await opendir(place)) {
    signal.throwIfAborted();
    if (PASSED_OVER.has(entry.name)) continue;
    if (entry.isDirectory()) yield* filesIn(join(place, entry.name), signal);
    else if (entry.isFile()) yield join(place, entry.name);
  }
}

async function linesWith(wanted: string, file: string, name: string): Promise<string[]> {
  if ((await stat(file)).size > MAX_FILE_BYTES) return [];
  const bytes = await readFile(file);
  if (bytes.includes(0)) return [];
  return bytes
    .toString("utf8")
    .split("\n")
    .flatMap((line, index) => (line.includes(wanted) ? [`${name}:${index + 1}: ${beginningOf(line)}`] : []));
}

/** Without half a character at its end. */
const beginningOf = (line: string) => line.slice(0, MAX_LINE_CHARACTERS).replace(/[\uD800-\uDBFF]$/, "");
