/**
 * The files that the arguments of an MCP tool name. What a server does with them nobody knows but by the tool's name and
 * annotations, so a tool writes unless either says that it reads. Every text where a path may stand is judged as one: that
 * something else is taken for a path harms nobody, unless it names a protected file.
 */
import type { Json, JsonObject } from "../../core/json.ts";
import type { McpCall } from "../../core/tool.ts";
import { saysAny, words, wordsOf } from "../said-words.ts";
import { readOnlyHint } from "../tool-annotations.ts";

export interface McpFiles {
  readonly paths: readonly string[];
  readonly use: "read" | "write";
  /** What is below a directory goes with it. */
  readonly wholeTree: boolean;
  /** So many places stand beside each other that they were not put together: nobody knows which files it writes. */
  readonly isUnseen?: boolean;
}

export function mcpFiles({ method, input }: McpCall, metadata: JsonObject | undefined): McpFiles {
  const paths: string[] = [];
  const found: Found = { paths, places: [], tooMany: { seen: false } };
  collect(input, false, found);
  const said = wordsOf(method);
  const isReading = readOnlyHint(metadata) ?? (soundsLikeReading(said) && !Object.keys(input).some(isOutput));
  const wholeTree = !isReading && saysAny(said, TAKES_TREES);
  return { paths, use: isReading ? "read" : "write", wholeTree, isUnseen: !isReading && found.tooMany.seen };
}

interface Found {
  readonly paths: string[];
  /** What the fields around a value name: a directory here, a name there. */
  readonly places: readonly Place[];
  readonly tooMany: { seen: boolean };
}

interface Place {
  readonly path: string;
  /** What is named beside it lies below it by its whole name: nothing is put into it by its last one. */
  readonly isBase: boolean;
  /** The list that it stands in, if any: what stands beside it there lies beside it, not in it. */
  readonly list?: Json;
}

function collect(value: Json, isPath: boolean, found: Found): void {
  if (typeof value === "string") {
    if (isPath || FILE_URL.test(value)) addWithin(value, found);
  } else if (Array.isArray(value)) {
    const places = found.places.filter(({ list }) => list !== value);
    for (const item of value) collect(item, isPath, { ...found, places });
  } else if (typeof value === "object" && value !== null) {
    const places = [...found.places, ...placesIn(value as JsonObject, isPath)];
    // So many nobody means, and each is put together with each.
    const isTooMany = places.length > MAX_PLACES;
    if (isTooMany) found.tooMany.seen = true;
    const within = { ...found, places: isTooMany ? found.places : places };
    for (const [key, item] of Object.entries(value)) {
      // `files: { "a.txt": "…" }`
      if (isPath) addWithin(key, found);
      collect(item, !isContent(key) && (isPath || namesPlace(key)), within);
    }
  }
}

const MAX_PLACES = 64;

const namesPlace = (key: string) => saysAny(wordsOf(key), PLACES);

/** `isPathMap`: what has a dot or a slash is then the name of a file, not of a field. */
const placesIn = (fields: JsonObject, isPathMap: boolean): Place[] =>
  Object.entries(fields).flatMap(([key, value]) => {
    if (isContent(key) || (isPathMap && /[./]/.test(key)) || !(namesPlace(key) || isBase(key))) return [];
    const isOnlyBase = isBase(key) && !isOutput(key);
    if (!Array.isArray(value)) return textsOf([value]).map((path) => ({ path, isBase: isOnlyBase }));
    if (!mayHoldOthers(key, value, fields)) return [];
    return textsOf(value).map((path) => ({ path, isBase: isOnlyBase, list: value }));
  });

const textsOf = (values: readonly Json[]): string[] =>
  values.flatMap((item) => (typeof item === "string" && item.trim() !== "" ? [item.trim()] : []));

/** `dirs: ["a", "b"]`; many `paths` are the files themselves, unless a name stands beside them. */
const mayHoldOthers = (key: string, values: readonly Json[], fields: JsonObject) =>
  values.length <= MAX_FEW ||
  isBase(key) ||
  saysAny(wordsOf(key), DIRECTORIES) ||
  Object.keys(fields).some((other) => other !== key && saysAny(wordsOf(other), NAMES));

const MAX_FEW = 16;

/** Where others begin, and nothing is done to it itself. */
const isBase = (key: string) => saysAny(wordsOf(key), BASES);

/** As it stands, and in each place that is named beside it: `{ folder: ".claude", name: "settings.json" }`. */
function addWithin(text: string, { paths, places }: Found): void {
  addPaths(text, paths);
  const name = text.trim();
  const last = name.slice(name.lastIndexOf("/") + 1);
  if (["", ".", ".."].includes(last)) return;
  for (const { path, isBase: isOnlyBase } of places)
    if (path !== name)
      for (const within of new Set(isOnlyBase ? [name] : [name, last]))
        addPaths(`${path.replace(/\/+$/, "")}/${within}`, paths);
}

const FILE_URL = /^\s*file:/i;
/** Elsewhere, unless it climbs out of what only looks like one: as a path, `ab://../x` is `x`. */
const isElsewhere = (text: string) =>
  /^\s*[a-z][\w+.-]*:\/\/[^/]/i.test(text) && !/(?:^|[\\/])\.\.(?:[\\/]|$)/.test(text);

/** An address is judged as it stands too: servers differ in what they make of it. */
function addPaths(text: string, into: string[]): void {
  if (text.trim() === "" || (isElsewhere(text) && !FILE_URL.test(text))) return;
  into.push(text);
  if (!FILE_URL.test(text)) return;
  const address = text.trim().replace(/^file:(?:\/\/[^/]*)?/i, "");
  const withoutQuery = address.replace(/[?#].*$/s, "");
  into.push(address, decoded(address), withoutQuery, decoded(withoutQuery));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** By the first word that is not a thing: `filesystem_read_file`, `directory_tree`. */
function soundsLikeReading(said: readonly string[]): boolean {
  const verb = said.find((word) => !THINGS.has(word)) ?? "";
  return READS.has(verb) && !saysAny(said, WRITES);
}

/** By what it ends in: `newText` and `file_content` are, `text_file` and `path_str` are not. */
function isContent(key: string): boolean {
  const [last = "", before = ""] = wordsOf(key.replace(/[^a-z]+$/i, "")).toReversed();
  return CONTENT.has(last) && !IS_ONE.has(before);
}

/** A tool that reads one file may write another. */
const isOutput = (key: string) => saysAny(wordsOf(key), OUTPUTS);

const PLACES = words(
  "path paths file files filename filenames filepath filepaths dir dirs directory directories folder folders destination dest source src target targets uri uris url output outputs out from to old new name names pathname pathnames fname location locations urls document documents",
);
const DIRECTORIES = words("dir dirs directory directories folder folders destination destinations dest target targets");
const NAMES = words("name names filename filenames fname pathname file files");
const BASES = words("root base cwd parent prefix workspace project repo repository");
/** What is said to be a text of these is one of these. */
const IS_ONE = words("path paths filename filepath pathname dir directory folder uri");
const CONTENT = words(
  "content contents text texts data body string str value values line lines code message title description query pattern comment",
);
const OUTPUTS = words("output outputs out destination dest save");
const THINGS = words("fs file files filesystem git repo directory dir folder workspace project code text document");
const READS = words(
  "read get list search find view show describe stat glob grep count check tree diff inspect lookup exists explain analyze analyse",
);
const WRITES = words(
  "write edit create make mkdir new update upsert store delete remove rm rmdir unlink trash destroy erase wipe move mv rename append insert replace patch apply set save put add overwrite modify change truncate copy cp touch fix format rewrite purge clean clear generate import export download upload sync clone init restore revert reset checkout out commit push pull merge run exec execute extract unzip unpack install del drop rid kill prune strip swap link symlink chmod chown chgrp convert dump persist mutate alter refactor transform scaffold bootstrap toggle enable disable flush emit",
);
const TAKES_TREES = words(
  "delete remove rm rmdir unlink trash destroy erase wipe move mv rename purge clean clear extract unzip unpack copy cp sync restore",
);
