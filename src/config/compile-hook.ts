/** One hook entry of a config file, checked and made ready to run. */
import { existsSync } from "node:fs";
import { basename, extname, join, resolve } from "node:path";
import { type ErrorCode, HoldfastError } from "../core/errors.ts";
import { type EventName, eventRow } from "../core/event.ts";
import { checkFields, type Fields } from "../core/fields.ts";
import type { Layer } from "../core/hook.ts";
import type { JsonObject } from "../core/json.ts";
import { type Pins, pinFiles } from "../sources/pins.ts";
import { resolveCommandLine } from "./command-line.ts";
import { placeOf } from "./explain.ts";
import { interpolate } from "./interpolate.ts";
import type { LoadedFile } from "./load.ts";
import { compilePattern, type LinearRegex, type PatternData, patternData } from "./pattern.ts";
import type { Environment } from "./places.ts";
import type { PlanHook, PlanRun, PlanWhen } from "./plan.ts";
import type { CommandEntry, HookEntry, ModuleEntry } from "./schema.ts";
import { isTrusted, type TrustItem, type TrustStore, trustItem } from "./trust.ts";

/** What a module says of the hooks it exports. */
export interface ModuleDescription {
  readonly name: string;
  readonly on: readonly EventName[];
  readonly when?: PlanWhen;
  readonly onError?: "block" | "continue";
  readonly priority?: number;
  readonly timeoutMs?: number;
  /** What the hook expects in `with:`. */
  readonly options?: Fields;
}

export interface HookSetting {
  readonly env: Environment;
  readonly trust: TrustStore;
  readonly userDir: string;
  readonly regex: () => LinearRegex;
  /** Loads a module to ask what it exports. Only ever called for code that may run. */
  describeModule(file: string, pins: Pins | null): Promise<readonly ModuleDescription[]>;
}

export interface EntryPlace {
  readonly file: LoadedFile;
  /** null: whichever events the module serves. */
  readonly event: EventName | null;
  readonly path: readonly (string | number)[];
  readonly matcher: string | undefined;
}

export interface CompiledEntry {
  readonly hooks: readonly PlanHook[];
  readonly trustItem?: TrustItem;
  readonly watched: readonly string[];
}

const DEFAULT_TIMEOUT_SECONDS = 30;
export const DEFAULT_PRIORITY = 100;
const NEEDS_TRUST: readonly Layer[] = ["project", "local"];

/** Throws HoldfastError on anything that would leave a rule silently off. */
export async function compileEntry(entry: HookEntry, place: EntryPlace, setting: HookSetting): Promise<CompiledEntry> {
  const matcher = compileMatcher(place, setting);
  const common = {
    layer: place.file.layer,
    place: whereIs(place),
    ...(matcher ? { matcher } : {}),
    ...(entry.mode === "observe" ? { mode: "observe" as const } : {}),
    ...(entry.status_message ? { statusMessage: entry.status_message } : {}),
  };
  return entry.type === "command"
    ? compileCommand(entry, place, setting, common)
    : compileModule(entry, place, setting, common);
}

type Common = Pick<PlanHook, "layer" | "place" | "matcher" | "mode" | "statusMessage">;

const failAt = (place: EntryPlace, code: ErrorCode, message: string, hint?: string) =>
  new HoldfastError(code, message, placeOf(place.file.document, place.path, hint));

const whereIs = ({ file, path }: EntryPlace) => {
  const line = file.document.lineOf(path);
  return { file: file.document.file, ...(line ? { line } : {}) };
};

function compileMatcher(place: EntryPlace, setting: HookSetting): PatternData | undefined {
  if (place.matcher === undefined || place.matcher.trim() === "") return undefined;
  if (place.event === null || !eventRow(place.event).matcher) {
    throw failAt(place, "HF204", `${place.event} takes no matcher, but one is given: ${place.matcher}`);
  }
  const data = patternData(interpolate(place.matcher, setting.env));
  try {
    compilePattern(data, setting.regex);
  } catch (error) {
    throw failAt(place, "HF203", `matcher ${place.matcher} is not a valid RE2 expression: ${(error as Error).message}`);
  }
  return data;
}

function compileCommand(entry: CommandEntry, place: EntryPlace, setting: HookSetting, common: Common): CompiledEntry {
  interpolate({ command: entry.command, env: entry.env ?? {} }, setting.env);
  const { dir } = place.file;
  const line = resolveCommandLine(entry.command, dir, setting.env);
  if (line.missing) {
    const hint = `scripts are looked up from ${dir}, programs on PATH`;
    throw failAt(place, "HF207", `${line.missing} does not exist: ${entry.command}`, hint);
  }
  const env = entry.env ?? {};
  const text = Object.keys(env).length > 0 ? `${entry.command}   env ${JSON.stringify(env)}` : entry.command;
  const item = NEEDS_TRUST.includes(common.layer)
    ? trustItem({ what: "command", ...requirePlace(common), text, pins: pinFiles(line.files) })
    : undefined;
  const event = place.event ?? "pre_tool_use";
  const run: PlanRun = { type: "command", command: line.command, env };
  const name = entry.id ?? commandName(entry.command, line.files);
  return {
    hooks: [
      {
        ...common,
        ...settings(entry, event, {}),
        name,
        source: entry.command,
        on: [event],
        run,
        trust: trustOf(item, setting),
      },
    ],
    ...(item ? { trustItem: item } : {}),
    watched: [...line.files, ...Object.keys(item?.pins ?? {})],
  };
}

async function compileModule(
  entry: ModuleEntry,
  place: EntryPlace,
  setting: HookSetting,
  common: Common,
): Promise<CompiledEntry> {
  if ((entry.path === undefined) === (entry.name === undefined)) {
    throw failAt(place, "HF205", `hook ${place.path.join(".")} needs exactly one of path and name`);
  }
  interpolate((entry.with ?? {}) as JsonObject, setting.env);
  const file = entry.path
    ? resolve(place.file.dir, interpolate(entry.path, setting.env))
    : namedModule(entry.name as string, place, setting);
  if (!file || !existsSync(file)) {
    const looked = entry.path
      ? file
      : namedDirs(place, setting)
          .map((dir) => join(dir, entry.name as string, "hook.ts"))
          .join(", ");
    throw failAt(place, "HF208", `there is no hook module ${entry.path ?? entry.name} (looked for ${looked})`);
  }
  const needsTrust = NEEDS_TRUST.includes(common.layer);
  const pins = pinFiles([file]);
  const item = needsTrust ? trustItem({ what: "module", ...requirePlace(common), text: file, pins }) : undefined;
  const trust = trustOf(item, setting);
  const options = (entry.with ?? {}) as JsonObject;
  const runAt = (index: number): PlanRun => ({ type: "module", file, index, options, pins: needsTrust ? pins : null });
  const unloaded: ModuleDescription = { name: basename(file, extname(file)), on: [place.event ?? "pre_tool_use"] };
  const described = trust === "untrusted" ? [unloaded] : await describe(file, needsTrust ? pins : null, place, setting);
  const serving = described.flatMap((hook, index) =>
    hook.on.filter((event) => place.event === null || event === place.event).map((event) => ({ hook, index, event })),
  );
  if (serving.length === 0) {
    const events = described.flatMap(({ on }) => on).join(", ");
    throw failAt(place, "HF211", `${file} has no hook for ${place.event}; it serves ${events}`);
  }
  for (const { hook } of serving) {
    const [problem] = hook.options ? checkFields(options, hook.options) : [];
    if (problem)
      throw failAt(place, "HF200", `with.${problem.path.join(".")} of hook ${hook.name}: ${problem.message}`);
  }
  return {
    hooks: serving.map(({ hook, index, event }) => ({
      ...common,
      ...settings(entry, event, hook),
      ...(hook.when ? { when: hook.when } : {}),
      name: entry.id ?? hook.name,
      source: file,
      on: [event],
      run: runAt(index),
      trust,
    })),
    ...(item ? { trustItem: item } : {}),
    watched: Object.keys(pins),
  };
}

async function describe(file: string, pins: Pins | null, place: EntryPlace, setting: HookSetting) {
  try {
    return await setting.describeModule(file, pins);
  } catch (error) {
    throw failAt(place, "HF208", `${file} cannot be loaded: ${(error as Error).message}`);
  }
}

/** The entry's own settings win over the module's, and those over the event's default. */
function settings(entry: HookEntry, event: EventName, described: Partial<ModuleDescription>) {
  const seconds = entry.timeout_sec;
  return {
    priority: entry.priority ?? described.priority ?? DEFAULT_PRIORITY,
    onError:
      entry.on_error ?? described.onError ?? (eventRow(event).guards ? ("block" as const) : ("continue" as const)),
    timeoutMs: seconds !== undefined ? seconds * 1000 : (described.timeoutMs ?? DEFAULT_TIMEOUT_SECONDS * 1000),
  };
}

const trustOf = (item: TrustItem | undefined, { trust }: HookSetting): PlanHook["trust"] =>
  !item ? "not-needed" : isTrusted(item, trust) ? "trusted" : "untrusted";

const requirePlace = ({ place }: Common) => place ?? { file: "" };

const namedDirs = ({ file }: EntryPlace, { userDir }: HookSetting) =>
  file.layer === "managed" || file.layer === "user"
    ? [join(file.dir, "hooks")]
    : [join(file.dir, ".holdfast", "hooks"), join(userDir, "hooks")];

function namedModule(name: string, place: EntryPlace, setting: HookSetting): string | undefined {
  const candidates = namedDirs(place, setting).flatMap((dir) =>
    ["ts", "mts", "js", "mjs"].map((ext) => join(dir, name, `hook.${ext}`)),
  );
  return candidates.find((candidate) => existsSync(candidate));
}

/** A name people recognise: the script's, else the program's. */
function commandName(command: string, files: readonly string[]): string {
  const script = files.find((file) => extname(file) !== "") ?? files[0];
  if (script) return basename(script, extname(script));
  return /[\w.-]+/.exec(command)?.[0] ?? "command";
}
