/** Reads every layer's config file. Nothing is dropped in silence: what is wrong comes back as errors with their place. */
import { existsSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { type ErrorCode, HoldfastError } from "../core/errors.ts";
import { canonicalEventName, EVENT_NAMES, type EventName } from "../core/event.ts";
import type { Layer } from "../core/hook.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { nearest } from "../core/nearest.ts";
import type { Tunable } from "../core/tunable.ts";
import { type ConfigDocument, readDocument } from "../sources/document.ts";
import { explain, placeOf } from "./explain.ts";
import { type ConfigPlace, configPlaces, type Places, type Standing } from "./places.ts";
import { signature } from "./plan.ts";
import { type Config, configSchema, type HookEntry, type HooksSection } from "./schema.ts";

export interface LoadedFile {
  readonly layer: Layer;
  readonly dir: string;
  readonly document: ConfigDocument;
  readonly config: Config;
  readonly hooks: readonly LoadedHooks[];
}

/** A hooks section, ours or an agent profile's, and where its keys stand in the file. */
export interface LoadedHooks {
  readonly enabled: boolean;
  readonly section: HooksSection;
  /** The path of an event's list as the person wrote it. */
  pathOf(event: EventName): readonly string[];
}

export interface LoadedConfig {
  readonly files: readonly LoadedFile[];
  readonly errors: readonly HoldfastError[];
  readonly warnings: readonly string[];
  readonly places: readonly ConfigPlace[];
}

export function loadConfig(standing: Standing, places: Places, catalogue: readonly Tunable[]): LoadedConfig {
  const files: LoadedFile[] = [];
  const errors: HoldfastError[] = [];
  const warnings: string[] = [];
  const all = configPlaces(standing, places);
  const missing = managedDirProblem(places);
  if (missing) errors.push(missing);
  for (const place of all) {
    const unreadable = place.candidates.find((candidate) => signature(candidate)?.startsWith("unreadable"));
    if (unreadable) {
      errors.push(new HoldfastError("HF101", `cannot look into ${place.dir} for rules`, { file: unreadable }));
      continue;
    }
    const present = place.candidates.filter((candidate) => existsSync(candidate));
    const [file, second] = present;
    if (!file) continue;
    if (second) {
      errors.push(new HoldfastError("HF103", `${file} and ${second} are both here`, { file }));
      continue;
    }
    try {
      const loaded = loadFile(readDocument(file), place, catalogue);
      errors.push(...loaded.errors);
      warnings.push(...loaded.warnings);
      if (loaded.file) files.push(loaded.file);
    } catch (error) {
      if (!(error instanceof HoldfastError)) throw error;
      errors.push(error);
    }
  }
  return { files, errors, warnings, places: all };
}

/** Managed rules that are not where they are said to be are rules that cannot be read. */
function managedDirProblem({ namedManagedDir: dir }: Places): HoldfastError | undefined {
  const why = dir === undefined ? undefined : whyNoDirectory(dir);
  return why === undefined
    ? undefined
    : new HoldfastError("HF105", `HOLDFAST_MANAGED_DIR is ${dir}, which ${why}`, { key: "HOLDFAST_MANAGED_DIR" });
}

function whyNoDirectory(dir: string): string | undefined {
  if (!isAbsolute(dir)) return "is relative, so every process would look elsewhere";
  const found = signature(dir);
  if (found === null) return "does not exist";
  // What cannot be looked into is told of its candidates.
  return found.startsWith("unreadable") || statSync(dir).isDirectory() ? undefined : "is no directory";
}

export interface FileOutcome {
  readonly file?: LoadedFile;
  readonly errors: readonly HoldfastError[];
  readonly warnings: readonly string[];
}

export function loadFile(
  document: ConfigDocument,
  place: Pick<ConfigPlace, "layer" | "dir">,
  catalogue: readonly Tunable[],
): FileOutcome {
  const { data, spelled, errors: unknownEvents } = withCanonicalEvents(document);
  const asWritten = respelled(document, spelled);
  const result = configSchema(catalogue).safeParse(data);
  const errors = [
    ...unknownEvents,
    ...(result.success ? [] : result.error.issues.flatMap((issue) => explain(issue, asWritten, data, catalogue))),
  ];
  if (!result.success || errors.length > 0) return { errors, warnings: [] };
  const config = result.data;
  const sections = [
    { at: ["hooks"], section: config.hooks, enabledByDefault: true },
    { at: ["agent", "hooks"], section: config.agent?.hooks, enabledByDefault: false },
  ];
  const warnings: string[] = [];
  const hooks = sections.flatMap(({ at, section, enabledByDefault }): LoadedHooks[] => {
    if (!section) return [];
    const enabled = section.enabled ?? enabledByDefault;
    const name = `${document.file}: ${at.join(".")}`;
    if (!enabled && EVENT_NAMES.some((event) => section[event]?.length)) {
      warnings.push(`${name} holds hooks but is not enabled, so none of them runs; set enabled to true`);
    }
    if (section.bypass_trust) warnings.push(`${name}.bypass_trust has no effect: project code needs holdfast trust`);
    return [{ enabled, section, pathOf: (event) => [...at, spelled.get(`${at.join(".")}.${event}`) ?? event] }];
  });
  return { file: { layer: place.layer, dir: place.dir, document, config, hooks }, errors, warnings };
}

export interface WrittenEntry {
  readonly file: LoadedFile;
  readonly enabled: boolean;
  readonly event: EventName;
  /** Its place in the file, as written. */
  readonly path: readonly (string | number)[];
  readonly matcher: string | undefined;
  readonly entry: HookEntry;
}

/** Every hook entry of every file, in the order written. */
export function* hookEntries(files: readonly LoadedFile[]): Generator<WrittenEntry> {
  for (const file of files) {
    for (const { enabled, section, pathOf } of file.hooks) {
      for (const event of EVENT_NAMES) {
        for (const [groupIndex, { matcher, hooks }] of (section[event] ?? []).entries()) {
          for (const [index, entry] of hooks.entries()) {
            yield { file, enabled, event, path: [...pathOf(event), groupIndex, "hooks", index], matcher, entry };
          }
        }
      }
    }
  }
}

/** The schema speaks of canonical names; lines are found under the names the person wrote. */
function respelled(document: ConfigDocument, spelled: ReadonlyMap<string, string>): ConfigDocument {
  const asWritten = (path: readonly (string | number)[]) =>
    path.map((key, index) => spelled.get(path.slice(0, index + 1).join(".")) ?? key);
  return { ...document, lineOf: (path) => document.lineOf(asWritten(path)) };
}

/** Config accepts every spelling of an event that people know, and only events that exist. */
function withCanonicalEvents(document: ConfigDocument) {
  const errors: HoldfastError[] = [];
  const spelled = new Map<string, string>();
  const rename = (section: Json | undefined, at: readonly string[]): Json | undefined => {
    if (!isJsonObject(section)) return section;
    const renamed: Record<string, Json> = {};
    const unknown: string[] = [];
    for (const [key, value] of Object.entries(section)) {
      if (SECTION_KEYS.includes(key)) {
        renamed[key] = value;
        continue;
      }
      const event = canonicalEventName(key);
      if (!event) unknown.push(key);
      else if (event in renamed) {
        errors.push(
          errorAt("HF202", `${key} and ${spelled.get(`${at.join(".")}.${event}`) ?? event} are the same event`, [
            ...at,
            key,
          ]),
        );
      } else {
        renamed[event] = value;
        spelled.set(`${at.join(".")}.${event}`, key);
      }
    }
    if (unknown.length > 0) {
      const names = unknown.sort();
      const first = names[0] as string;
      const meant = nearest(first, [...EVENT_NAMES, ...SECTION_KEYS]);
      const listed = names.map((name) => `"${name}"`).join(", ");
      const hint = `${meant ? `did you mean ${meant}?   ` : ""}events: ${EVENT_NAMES.join(", ")}`;
      errors.push(errorAt("HF201", `unknown event ${listed}`, [...at, first], hint));
    }
    return renamed;
  };
  const errorAt = (code: ErrorCode, message: string, path: readonly string[], hint?: string) =>
    new HoldfastError(code, message, placeOf(document, path, hint));
  const data: Record<string, Json> = { ...document.data };
  if ("hooks" in data) data.hooks = rename(data.hooks, ["hooks"]) as Json;
  if (isJsonObject(data.agent) && "hooks" in data.agent) {
    data.agent = { ...data.agent, hooks: rename(data.agent.hooks, ["agent", "hooks"]) as Json };
  }
  return { data: data as JsonObject, spelled, errors };
}

const SECTION_KEYS = ["enabled", "bypass_trust", "test_patterns"];
