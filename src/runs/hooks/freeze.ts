/** Hooks of an assignment as a run keeps them: found, checked, filled in, pinned. */
import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { HoldfastError } from "../../core/errors.ts";
import { eventRow } from "../../core/event.ts";
import type { JsonObject } from "../../core/json.ts";
import { pinFiles } from "../../sources/pins.ts";
import type { Assignment, HookEntry, VarValue } from "../assignment/assignment.ts";
import { keysIn } from "../assignment/template.ts";
import { type FrozenHook, PHASES, type Phase } from "../run.ts";
import { builtinOf, checkOptions } from "./builtin-entry.ts";
import type { DescribedHook, Modules } from "./engine.ts";
import { EVENT_OF } from "./phase-event.ts";
import { filledConfig, filledNow, frozenConfig } from "./references.ts";
import { checkWhen } from "./when.ts";

export interface FreezeContext {
  /** What `{{key}}` stands for before prepare; of env-sourced variables the reference. */
  readonly values: Readonly<Record<string, TemplateValue>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `<dir>/<name>/hook.ts`: where hooks by name are looked up, in this order. */
  readonly hookDirs: readonly string[];
  readonly modules: Modules;
  /** Whether a person agreed to this code; undefined: it needs nobody's agreement. */
  readonly isTrusted: (code: HookCode) => boolean | undefined;
}

/** null: declared, and without a value. */
export type TemplateValue = VarValue | null | { readonly envName: string };

export interface HookCode {
  readonly what: "module" | "command";
  /** The file that brings it, and the line. */
  readonly file: string;
  readonly line?: number;
  readonly text: string;
  readonly pins: Readonly<Record<string, string>>;
}

const DEFAULT_TIMEOUT_MS = 60_000;
const EXTENSIONS = ["ts", "mts", "js", "mjs"];

/** Tasks' own hooks first, then those of the assignment phase by phase: the order they run in. */
export async function freezeHooks(assignment: Assignment, context: FreezeContext): Promise<readonly FrozenHook[]> {
  const entries = [
    ...assignment.tasks.flatMap(({ id, hooks }) =>
      hooks.map((entry, index) => ({ entry, index, phase: "taskTransition" as const, task: id })),
    ),
    ...PHASES.flatMap((phase) => assignment.hooks[phase].map((entry, index) => ({ entry, index, phase, task: null }))),
  ];
  const frozen: FrozenHook[] = [];
  for (const place of entries) frozen.push(...(await freezeEntry(place, assignment, context)));
  return frozen;
}

/** All code of an assignment that a person may have to trust, without loading any of it. */
export function codeOf(
  assignment: Assignment,
  context: Pick<FreezeContext, "values" | "env" | "hookDirs">,
): HookCode[] {
  return entriesOf(assignment).flatMap((entry) => codeIn(entry, assignment, context) ?? []);
}

export const entriesOf = (assignment: Assignment): HookEntry[] => [
  ...assignment.tasks.flatMap(({ hooks }) => hooks),
  ...PHASES.flatMap((phase) => assignment.hooks[phase]),
];

interface Placed {
  readonly entry: HookEntry;
  readonly index: number;
  readonly phase: Phase;
  /** Whose own hook it is. */
  readonly task: string | null;
}

async function freezeEntry(placed: Placed, assignment: Assignment, context: FreezeContext): Promise<FrozenHook[]> {
  const { entry, index, phase, task } = placed;
  const { place, source } = entry;
  const { values, env } = context;
  assertKnownBeforePrepare(entry, assignment, values);
  const code = codeIn(entry, assignment, context);
  if (code && context.isTrusted(code) === false) {
    throw new HoldfastError("HF1015", `nobody has trusted the code of hook ${place.key}: ${code.text}`, {
      ...place,
      hint: `look at it, then run in a terminal of your own: holdfast trust --assignment ${assignment.file}`,
    });
  }
  const config = frozenConfig(entry.with, values, env, place);
  const scope = task === null ? phase : `taskTransition:task:${task}`;
  const common = {
    id: `${scope}:${index}:${source.value}`,
    phase,
    task,
    when: whenOf(placed, assignment, context),
    config,
    onDrift: assignment.onHookDrift,
    may: entry.may,
  };
  const settings = (described: Partial<DescribedHook>, timeoutMs: number) => ({
    timeoutMs: entry.timeoutSec === null ? (described.timeoutMs ?? timeoutMs) : entry.timeoutSec * 1000,
    onError: entry.onError ?? described.onError ?? (eventRow(EVENT_OF[phase]).guards ? "block" : "continue"),
  });
  if (source.type === "builtin") {
    const builtin = builtinOf(entry, phase);
    checkOptions(builtin, filledConfig(config, env), entry);
    const written = code ? { written: { file: code.file, with: entry.with } } : {};
    const own = { type: "builtin", name: builtin.name, ...written } as const;
    return [{ ...common, ...settings({}, builtin.timeoutSec * 1000), source: own }];
  }
  const file = moduleFile(entry, assignment, context);
  const pins = pinFiles([file]);
  const described = await describe(file, pins, entry, context);
  const serving = described.flatMap((hook, at) => (hook.on.includes(EVENT_OF[phase]) ? [{ hook, at }] : []));
  const module = { type: "module", file, name: source.type === "name" ? source.value : null, pins } as const;
  // A module without the phase is kept all the same, and shows as skipped.
  if (serving.length === 0)
    return [{ ...common, ...settings({}, DEFAULT_TIMEOUT_MS), source: { ...module, index: null } }];
  return serving.map(({ hook, at }, number) => ({
    ...common,
    ...settings(hook, DEFAULT_TIMEOUT_MS),
    id: number === 0 ? common.id : `${common.id}#${number}`,
    source: { ...module, index: at },
  }));
}

/** `with` is filled in once, before prepare: what prepare sets cannot be in it. */
function assertKnownBeforePrepare(
  { with: config, when, source, place }: HookEntry,
  { vars }: Assignment,
  values: FreezeContext["values"],
): void {
  const late = keysIn([config, when, source.value]).find(
    (key) => vars[key]?.requiredAt === "prepare" && (values[key] ?? null) === null,
  );
  if (late === undefined) return;
  throw new HoldfastError("HF1010", `{{${late}}} has no value yet: hooks are filled in before prepare sets it`, {
    ...place,
    hint: "give it from another source, or let the hook read it from its vars",
  });
}

function whenOf(
  { entry, phase, task }: Placed,
  { tasks }: Assignment,
  { values, env }: FreezeContext,
): JsonObject | null {
  const { when, place } = entry;
  const filled = filledNow(when, values, env, place);
  return checkWhen(filled, { phase, tasks: tasks.map(({ id }) => id), task, place });
}

function codeIn(
  entry: HookEntry,
  assignment: Assignment,
  context: Pick<FreezeContext, "values" | "env" | "hookDirs">,
): HookCode | undefined {
  const { file, line } = entry.place;
  const where = { file, ...(line ? { line } : {}) };
  if (entry.source.type !== "builtin") {
    const module = moduleFile(entry, assignment, context);
    return { what: "module", ...where, text: module, pins: pinFiles([module]) };
  }
  const text = builtinOf(entry, null).codeIn?.(entry.with);
  return text === undefined ? undefined : { what: "command", ...where, text, pins: {} };
}

function moduleFile(
  { source, place }: HookEntry,
  { directory }: Assignment,
  { values, env, hookDirs }: Pick<FreezeContext, "values" | "env" | "hookDirs">,
): string {
  const candidates =
    source.type === "path"
      ? [resolve(directory, String(filledNow(source.value, values, env, place)))]
      : hookDirs.flatMap((dir) => EXTENSIONS.map((extension) => join(dir, source.value, `hook.${extension}`)));
  const found = candidates.find((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
  if (found) return found;
  throw new HoldfastError("HF1007", `there is no hook ${source.value} (looked for ${candidates.join(", ")})`, place);
}

async function describe(
  file: string,
  pins: Readonly<Record<string, string>>,
  { place }: HookEntry,
  { modules }: FreezeContext,
): Promise<readonly DescribedHook[]> {
  try {
    return await modules.describe(file, pins);
  } catch (error) {
    throw new HoldfastError("HF1007", `${file} cannot be loaded: ${(error as Error).message}`, place);
  }
}
