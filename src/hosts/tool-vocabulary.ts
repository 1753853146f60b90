/** How an adapter says what its host's tools are: one row per tool, read in one way for all hosts. */
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { parsePatch, pathsOfPatch } from "../core/patch.ts";
import type { ToolReader } from "../core/rewrite.ts";
import type { ToolCall, ToolKind } from "../core/tool.ts";

export interface ToolRow {
  readonly kind: Exclude<ToolKind, "mcp">;
  /** Where the shell command stands. */
  readonly command?: string;
  /** A field that, if true, only starts the command. */
  readonly background?: string;
  /** Where paths stand: a field, or a field inside each item of a list (`edits[].path`). */
  readonly paths?: readonly string[];
  /** Where the text stands that would be written, likewise. */
  readonly content?: readonly string[];
  /** Where a patch in the format of apply_patch stands: its files are the call's. */
  readonly patch?: string;
  /** Text fields without which the host refuses the call. */
  readonly required?: readonly string[];
}

export interface Vocabulary extends ToolReader {
  /** Whether the adapter has a kind for the tool. */
  knows(name: string): boolean;
  /** The host's own tools, as its payloads name them. */
  readonly names: readonly string[];
}

export interface VocabularyOptions {
  readonly names?: readonly string[];
  readonly rowOf: (name: string, input: JsonObject) => ToolRow | undefined;
  readonly mcpNames: (name: string) => { readonly server: string; readonly method: string } | undefined;
}

export function vocabulary({ names = [], rowOf, mcpNames }: VocabularyOptions): Vocabulary {
  return {
    names,
    read(name, input, id) {
      const common = { name, input, ...(id ? { id } : {}) };
      const mcp = mcpNames(name);
      if (mcp) return { kind: "mcp", ...common, ...mcp, paths: textsAt(input, LIKELY_PATHS) };
      const row = rowOf(name, input) ?? { kind: "other" };
      return callOf(common, row);
    },
    problem(name, input) {
      const missing = rowOf(name, input)?.required?.find((field) => typeof input[field] !== "string");
      return missing === undefined ? undefined : `"${missing}" must be a text`;
    },
    knows: (name) => mcpNames(name) !== undefined || rowOf(name, {}) !== undefined,
  };
}

/** Where tools that no table knows keep their paths, so that a guarded path is seen there too. */
const LIKELY_PATHS = ["path", "paths", "file_path", "filePath", "source", "destination"];

/** Where a tool that writes may name its file in a version that no table knows. */
const WRITTEN_PATHS = [
  ...LIKELY_PATHS,
  ...["absolute_path", "notebook_path", "target_file", "targetFile", "target_notebook", "filename", "file", "new_path"],
  ...[
    "edits[].file_path",
    "edits[].path",
    "edits[].filePath",
    "files[].path",
    "files[].file_path",
    "operations[].path",
  ],
];

/** The kind stands first, as the name does in an event: all calls of a kind have one shape (embed/event-shape.test.ts). */
function callOf(common: Pick<ToolCall, "name" | "input" | "id">, row: ToolRow): ToolCall {
  const paths = textsAt(common.input, row.paths ?? (row.kind === "other" ? LIKELY_PATHS : []));
  switch (row.kind) {
    case "shell":
      return {
        kind: row.kind,
        ...common,
        paths,
        command: textsAt(common.input, [row.command ?? "command"])[0] ?? "",
        ...(row.background !== undefined && common.input[row.background] === true ? { background: true } : {}),
        ...(isUnreadable(common.input, row) ? { unreadable: true } : {}),
      };
    case "write":
    case "edit": {
      const isSeen = paths.length > 0 || row.patch !== undefined;
      const patches = row.patch === undefined ? [] : textsAt(common.input, [row.patch]);
      const files = (isSeen ? patches : Object.values(common.input).flatMap(texts)).flatMap(parsePatch);
      const content = [...textsAt(common.input, row.content ?? []), ...files.map(({ added }) => added)];
      return {
        kind: row.kind,
        ...common,
        paths: [...(isSeen ? paths : textsAt(common.input, WRITTEN_PATHS)), ...pathsOfPatch(files)],
        ...(content.length > 0 ? { content: content.join("\n") } : {}),
      };
    }
    default:
      return { kind: row.kind, ...common, paths };
  }
}

/** Some tools that start a command also stop it, and then name none. */
function isUnreadable(input: JsonObject, { command = "command", required = [] }: ToolRow): boolean {
  const value = input[command];
  return value === undefined ? required.includes(command) : typeof value !== "string";
}

function textsAt(input: JsonObject, places: readonly string[]): string[] {
  const found: string[] = [];
  for (const place of places) {
    const end = place.indexOf(ITEMS);
    const value = input[end < 0 ? place : place.slice(0, end)];
    // One by one: more arguments than a call may have would throw.
    if (end < 0) for (const text of texts(value)) found.push(text);
    else if (Array.isArray(value))
      for (const item of value) found.push(...textAt(item, place.slice(end + ITEMS.length)));
  }
  return found;
}

const ITEMS = "[].";

const textAt = (item: Json, field: string): string[] => (isJsonObject(item) ? texts(item[field]) : []);

function texts(value: Json | undefined): string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string" && item !== "") : [];
}
