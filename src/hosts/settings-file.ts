/** Registering in a settings file that has `{"hooks": {"<event>": [entry, …]}}` and belongs to a person. */
import { getNodeValue, type JSONPath, stripComments } from "jsonc-parser";
import { HoldfastError } from "../core/errors.ts";
import { isJsonObject, type Json, type JsonObject, sameJson } from "../core/json.ts";
import type { FileEdit } from "./host.ts";
import { appendTo, nodeAt, removeAt, replaceAt } from "./json-text.ts";

export interface Registration {
  readonly event: string;
  /** The whole entry of the event's list. */
  readonly entry: JsonObject;
  /** Its part that runs us, for an entry that others share. */
  readonly part: JsonObject;
}

export interface SettingsFile {
  readonly path: string;
  /** The program that reads the file, for messages. */
  readonly reader: string;
  /** Whether that program takes a file with comments; absent: it does not, and neither do we. */
  readonly comments?: "kept";
  readonly registrations: readonly Registration[];
  /** What a file of this kind has besides `hooks`, for one that is not there yet. */
  readonly base?: JsonObject;
  /** What keeps the program from heeding the file as a person wrote it. */
  readonly unfit?: (settings: JsonObject) => string | undefined;
  /** Where we stand in an entry: nowhere, `[[]]` for all of it, or the places of our parts. */
  readonly ours: (entry: Json) => readonly JSONPath[];
  /** Whether a shared entry is called for everything that ours would be. */
  readonly covers: (entry: Json) => boolean;
}

export function settingsEdit(file: SettingsFile): FileEdit {
  return {
    path: file.path,
    add: (text) => withRegistrations(text, file),
    remove: (text) => withoutRegistrations(text, file),
  };
}

export function withRegistrations(text: string | undefined, file: SettingsFile): string {
  if (text === undefined) return `${JSON.stringify({ hooks: grouped(file.registrations), ...file.base }, null, 2)}\n`;
  const { mark, body } = checked(text, file);
  return mark + registered(body, file);
}

export function withoutRegistrations(text: string, file: SettingsFile): string | undefined {
  const { mark, body } = checked(text, file);
  let left: string | undefined = body;
  for (const place of placesIn(body, file).reverse()) {
    left = left === undefined ? undefined : removeAt(left, place);
  }
  return left === undefined || isOnlyBase(left, body, file) ? undefined : mark + left;
}

/** In a file that we created `hooks` comes first; in a person's it comes after what they need to have written. */
function isOnlyBase(left: string, before: string, { base }: SettingsFile): boolean {
  return base !== undefined && Object.keys(settingsOf(before))[0] === "hooks" && sameJson(settingsOf(left), base);
}

function registered(text: string, file: SettingsFile): string {
  const { kept, superfluous } = sorted(text, file);
  let body: string | undefined = text;
  for (const place of superfluous.reverse()) body = body && removeAt(body, place);
  if (!body) return withRegistrations(undefined, file);
  for (const place of superfluous.length > 0 ? placesIn(body, file) : kept) {
    const registration = file.registrations.find(({ event }) => event === place[1]);
    const value = isEntry(place) ? registration?.entry : registration?.part;
    if (value && !sameJson(getNodeValue(nodeAt(body, place)), value)) body = replaceAt(body, place, value);
  }
  const events = new Set(kept.map(([, event]) => event));
  return appended(
    body,
    file.registrations.filter(({ event }) => !events.has(event)),
  );
}

/** Of each event the first place that will do is kept; what is there besides would call us twice, or for nothing. */
function sorted(body: string, file: SettingsFile): { kept: JSONPath[]; superfluous: JSONPath[] } {
  const kept: JSONPath[] = [];
  const superfluous: JSONPath[] = [];
  for (const place of placesIn(body, file)) {
    const wanted = file.registrations.some(({ event }) => event === place[1]);
    const covered = isEntry(place) || file.covers(getNodeValue(nodeAt(body, place.slice(0, ENTRY))));
    const first = !kept.some(([, event]) => event === place[1]);
    (wanted && covered && first ? kept : superfluous).push(place);
  }
  return { kept, superfluous };
}

/** `hooks`, the event, the position: what is longer points into an entry. */
const ENTRY = 3;
const isEntry = (place: JSONPath) => place.length === ENTRY;

function appended(text: string, missing: readonly Registration[]): string {
  const { hooks } = settingsOf(text);
  if (missing.length === 0) return text;
  if (!isJsonObject(hooks)) return appendTo(text, [], grouped(missing), "hooks");
  return missing.reduce((body, { event, entry }) => {
    const listed = Object.hasOwn(hooks, event);
    return listed ? appendTo(body, ["hooks", event], entry) : appendTo(body, ["hooks"], [entry], event);
  }, text);
}

/** Every place where we stand, in the order of the file: an entry, or a part of one. */
function placesIn(text: string, { ours }: SettingsFile): JSONPath[] {
  const { hooks } = settingsOf(text);
  return Object.entries(isJsonObject(hooks) ? hooks : {}).flatMap(([event, entries]) =>
    (Array.isArray(entries) ? entries : []).flatMap((entry: Json, index) =>
      ours(entry).map((inside): JSONPath => ["hooks", event, index, ...inside]),
    ),
  );
}

const settingsOf = (text: string) => JSON.parse(withoutComments(text)) as JsonObject;

/** Blanks in their place, so that everything stays where it was. */
const withoutComments = (text: string) => stripComments(text, " ");

const grouped = (registrations: readonly Registration[]): JsonObject =>
  Object.fromEntries(registrations.map(({ event, entry }) => [event, [entry]]));

/** The file's text once it is sure that changing it cannot lose anything, its byte order mark apart. */
function checked(text: string, file: SettingsFile): { mark: string; body: string } {
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const body = text.slice(mark.length);
  const problem = problemOf(body, file);
  if (problem) throw new HoldfastError("HF401", `${file.path} ${problem}`, { file: file.path });
  return { mark, body };
}

function problemOf(body: string, { reader, registrations, comments, unfit }: SettingsFile): string | undefined {
  if (body.trim() === "") return "is empty, which is not valid JSON: delete it, or write {} into it";
  let settings: unknown;
  try {
    settings = JSON.parse(comments === "kept" ? withoutComments(body) : body);
  } catch (error) {
    if (withoutComments(body) !== body && comments !== "kept")
      return `holds comments, and ${reader} drops such a file without a word: remove them`;
    return `is not valid JSON: ${(error as Error).message}`;
  }
  if (!isJsonObject(settings)) return "does not hold a JSON object";
  const repeated = repeatedKey(body, []) ?? (isJsonObject(settings.hooks) ? repeatedKey(body, ["hooks"]) : undefined);
  if (repeated) return `has "${repeated}" twice, and only one of them counts: remove the other`;
  const problem = unfit?.(settings);
  if (problem) return problem;
  if (settings.hooks === undefined) return undefined;
  if (!isJsonObject(settings.hooks)) return `has "hooks" that is not an object`;
  const { hooks } = settings;
  const bad = registrations.find(({ event }) => Object.hasOwn(hooks, event) && !Array.isArray(hooks[event]));
  return bad && `has "hooks.${bad.event}" that is not a list`;
}

function repeatedKey(body: string, path: JSONPath): string | undefined {
  const keys = nodeAt(body, path).children?.map((property) => property.children?.[0]?.value as string) ?? [];
  return keys.find((key, index) => keys.indexOf(key) !== index);
}
