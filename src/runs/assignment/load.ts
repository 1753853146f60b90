/** Reads assignment.md, agent.md and shared task files. Whatever cannot be meant is an error here, not later. */
import { basename, dirname } from "node:path";
import { HoldfastError } from "../../core/errors.ts";
import { canonicalEventName } from "../../core/event.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import type { ConfigDocument } from "../../sources/document.ts";
import { builtinOf, checkOptions } from "../hooks/builtin-entry.ts";
import { checkWhen, hasTemplates } from "../hooks/when.ts";
import { type Effort, type LockableField, PHASES, type Phase } from "../run.ts";
import type { Assignment, AuthoredTask, HookEntry, VarDeclaration } from "./assignment.ts";
import { type DefinitionPlaces, findDefinition } from "./definition-file.ts";
import { parsed, placeIn } from "./explain.ts";
import { readFrontMatter } from "./front-matter.ts";
import { expandLoadTime } from "./load-time.ts";
import { agentSchema, assignmentSchema, type RawHookEntry, type RawVar, taskFileSchema } from "./schema.ts";
import { assertKnown, INJECTED_KEYS, keysIn } from "./template.ts";
import { coerced } from "./vars.ts";

export interface AgentDefinition {
  readonly name: string;
  readonly file: string;
  readonly backend: string;
  readonly model: string | null;
  readonly effort: Effort | null;
  readonly launcher: string | { readonly command: string; readonly args: readonly string[] } | null;
  readonly executionEnvironment: Json;
  readonly backendConfig: JsonObject;
  /** Per backend. */
  readonly backendArgs: Readonly<Record<string, readonly string[]>>;
  readonly timeoutSec: number;
  readonly unrestricted: boolean;
  readonly lockedFields: readonly LockableField[];
  /** The role text, as written. */
  readonly body: string;
}

/** `reference`: a name, or a path that is absolute or begins with ./ or ../ */
export function loadAssignment(reference: string, places: DefinitionPlaces): Assignment {
  const file = findDefinition("assignments", reference, places);
  const { document, body } = readFrontMatter(file);
  const raw = parsed(assignmentSchema, withPhaseNames(expandLoadTime(document, places.env)), document);
  const directory = dirname(file);
  const tasks = (raw.tasks ?? []).map((task, index): AuthoredTask => {
    if (typeof task === "string") return loadTask(task, { ...places, cwd: directory });
    const { id, title, body = "", hooks = [] } = task;
    return { id, title, body, hooks: entriesOf(hooks, ["tasks", index, "hooks"], document) };
  });
  assertUnique(tasks, document);
  const hooks = Object.fromEntries(
    PHASES.map((phase) => [phase, entriesOf(raw.hooks?.[phase] ?? [], ["hooks", phase], document)]),
  ) as unknown as Assignment["hooks"];
  const assignment: Assignment = {
    name: raw.name,
    file,
    directory,
    cwd: raw.cwd ?? null,
    message: raw.message ?? null,
    schedule: (raw.schedule as JsonObject | undefined) ?? null,
    maxRetries: raw.maxRetries ?? DEFAULT_RETRIES,
    callerInstructions: raw.callerInstructions ?? null,
    vars: Object.fromEntries(Object.entries(raw.vars ?? {}).map(([key, value]) => [key, varOf(key, value, document)])),
    hooks,
    tasks,
    lockedFields: raw.lockedFields ?? [],
    onHookDrift: raw.onHookDrift ?? "refuse",
    body,
  };
  checkEntries(assignment);
  checkKeys(assignment);
  return assignment;
}

const DEFAULT_RETRIES = 3;
const DEFAULT_TIMEOUT_SEC = 3600;

export function loadAgent(reference: string, places: DefinitionPlaces): AgentDefinition {
  const file = findDefinition("agents", reference, places);
  const { document, body } = readFrontMatter(file);
  const raw = parsed(agentSchema, expandLoadTime(document, places.env), document);
  const { launcher = null } = raw;
  return {
    name: raw.name,
    file,
    backend: raw.backend,
    model: raw.model ?? null,
    effort: raw.effort ?? null,
    launcher:
      typeof launcher === "object" && launcher ? { command: launcher.command, args: launcher.args ?? [] } : launcher,
    executionEnvironment: (raw.executionEnvironment as Json | undefined) ?? null,
    backendConfig: (raw.backendConfig as JsonObject | undefined) ?? {},
    backendArgs: Object.fromEntries(
      Object.entries(raw.backendArgs ?? {}).map(([backend, { extraArgs }]) => [backend, extraArgs]),
    ),
    timeoutSec: raw.timeoutSec ?? DEFAULT_TIMEOUT_SEC,
    unrestricted: raw.unrestricted ?? true,
    lockedFields: raw.lockedFields ?? [],
    body,
  };
}

/** A shared task file; its hooks are looked up from the assignment that names it. */
export function loadTask(reference: string, places: DefinitionPlaces): AuthoredTask {
  const file = findDefinition("tasks", reference, places);
  const { document, body } = readFrontMatter(file);
  const { id, title, hooks = [] } = parsed(taskFileSchema, expandLoadTime(document, places.env), document);
  return { id: id ?? basename(file, ".md"), title, body, hooks: entriesOf(hooks, ["hooks"], document) };
}

/** `before_attempt` and `BeforeAttempt` are beforeAttempt. */
function withPhaseNames(data: Json): Json {
  if (!isJsonObject(data) || !isJsonObject(data.hooks)) return data;
  const hooks = Object.entries(data.hooks).map(([key, value]) => [phaseOf(key) ?? key, value]);
  return { ...data, hooks: Object.fromEntries(hooks) };
}

export function phaseOf(spelling: string): Phase | undefined {
  const event = canonicalEventName(spelling);
  return PHASES.find((phase) => event !== undefined && canonicalEventName(phase) === event);
}

function entriesOf(raw: readonly RawHookEntry[], path: (string | number)[], document: ConfigDocument): HookEntry[] {
  return raw.map((entry, index) => {
    const at = [...path, index];
    const sources = (["builtin", "name", "path"] as const).filter((type) => entry[type] !== undefined);
    const [type] = sources;
    if (!type || sources.length > 1) {
      const what = sources.length === 0 ? "has no source" : `has ${sources.join(" and ")}`;
      throw new HoldfastError(
        "HF1006",
        `hook ${at.join(".")} ${what}; give exactly one of builtin, name, path`,
        placeIn(document, at),
      );
    }
    const { line, key = "" } = placeIn(document, at);
    return {
      source: { type, value: entry[type] as string },
      with: (entry.with as Json | undefined) ?? null,
      when: (entry.when as Json | undefined) ?? null,
      timeoutSec: entry.timeoutSec ?? null,
      onError: entry.onError ?? null,
      may: entry.may ?? null,
      place: { file: document.file, key, ...(line ? { line } : {}) },
    };
  });
}

function varOf(key: string, raw: RawVar, document: ConfigDocument): VarDeclaration {
  const { type = "string", values = [], default: fallback = null } = raw;
  const place = placeIn(document, ["vars", key]);
  if (type === "enum" && values.length === 0) {
    throw new HoldfastError("HF1003", `variable ${key} is an enum without values`, place);
  }
  const { sources = ["cli", "web"], envName = key } = raw;
  if (sources.includes("env") && !/^[A-Za-z_]\w*$/.test(envName)) {
    throw new HoldfastError("HF1003", `variable ${key}: "${envName}" is no name of an environment variable`, {
      ...place,
      hint: "give it one with envName",
    });
  }
  try {
    return {
      type,
      required: raw.required ?? false,
      requiredAt: raw.requiredAt ?? "initial",
      sources,
      envName,
      default: fallback === null ? null : coerced(key, fallback, { type, values }),
      description: raw.description ?? null,
      values,
    };
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    throw new HoldfastError("HF1003", `the default of ${error.message}`, { ...place, ...error.place });
  }
}

function assertUnique(tasks: readonly AuthoredTask[], document: ConfigDocument): void {
  for (const [index, { id }] of tasks.entries()) {
    if (tasks.findIndex((task) => task.id === id) === index) continue;
    throw new HoldfastError("HF1014", `two tasks have the id "${id}"`, placeIn(document, ["tasks", index, "id"]));
  }
}

/** `{{key}}`, or a variable of the environment. */
const isFilledInLater = (options: Json) => hasTemplates(options) || JSON.stringify(options).includes("$");

/** Filters and built-ins. What still has something to be filled in is checked when that is. */
function checkEntries({ hooks, tasks }: Assignment): void {
  const ids = tasks.map(({ id }) => id);
  const check = (entry: HookEntry, phase: Phase, task: string | null) => {
    const builtin = entry.source.type === "builtin" ? builtinOf(entry, phase) : undefined;
    if (!hasTemplates(entry.when)) checkWhen(entry.when, { phase, tasks: ids, task, place: entry.place });
    if (builtin && entry.with !== null && !isFilledInLater(entry.with)) checkOptions(builtin, entry.with, entry);
  };
  for (const phase of PHASES) for (const entry of hooks[phase]) check(entry, phase, null);
  for (const task of tasks) for (const entry of task.hooks) check(entry, "taskTransition", task.id);
}

/** Keys that nothing could give a value. A prepare hook may set variables that nobody declared: then texts wait for it. */
function checkKeys(assignment: Assignment): void {
  const { vars, hooks, tasks, file, cwd, message, callerInstructions, body } = assignment;
  const known = [...INJECTED_KEYS, ...Object.keys(vars)];
  const assertAll = (value: Json, key: string) => {
    for (const name of keysIn(value)) assertKnown(name, known, { file, key });
  };
  for (const entry of [...Object.values(hooks).flat(), ...tasks.flatMap((task) => task.hooks)]) {
    for (const name of keysIn([entry.with, entry.when, entry.source.value])) assertKnown(name, known, entry.place);
  }
  if (hooks.prepare.length > 0) return;
  assertAll([cwd, message], "cwd");
  assertAll(callerInstructions, "callerInstructions");
  assertAll(body, "the instructions");
  for (const task of tasks) assertAll([task.title, task.body], `task ${task.id}`);
}
