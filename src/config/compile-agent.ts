/** The hooks of one agent: a list of names and commands under `agents:`, made into the same hooks as all others. */
import { HoldfastError } from "../core/errors.ts";
import { type EventName, eventRow } from "../core/event.ts";
import { checkFields } from "../core/fields.ts";
import type { JsonObject } from "../core/json.ts";
import { nearest } from "../core/nearest.ts";
import type { Tunable } from "../core/tunable.ts";
import { type CompiledEntry, compileEntry, type EntryPlace, type HookSetting } from "./compile-hook.ts";
import { placeOf } from "./explain.ts";
import type { GuardSetting } from "./guards.ts";
import { interpolate } from "./interpolate.ts";
import type { LoadedFile } from "./load.ts";
import { globData } from "./pattern.ts";
import type { PlanHook, PlanWhen } from "./plan.ts";
import type { AgentHook, HookEntry } from "./schema.ts";

export interface AgentEntry {
  readonly file: LoadedFile;
  readonly agent: string;
  readonly inherited: boolean;
  readonly path: readonly (string | number)[];
  readonly hook: Exclude<AgentHook, string>;
}

export interface AgentHookSetting extends HookSetting {
  readonly catalogue: readonly Tunable[];
  builtin(setting: GuardSetting): PlanHook;
}

/** Every entry of every agent's list, in the order written. */
export function* agentEntries(files: readonly LoadedFile[]): Generator<AgentEntry> {
  for (const file of files) {
    for (const [agent, { inherit = true, hooks = [] }] of Object.entries(file.config.agents ?? {})) {
      for (const [index, written] of hooks.entries()) {
        const hook = typeof written === "string" ? { name: written } : written;
        yield { file, agent, inherited: inherit, path: ["agents", agent, "hooks", index], hook };
      }
    }
  }
}

/** Throws HoldfastError on anything that would leave a hook silently off. */
export async function compileAgentEntry(entry: AgentEntry, setting: AgentHookSetting): Promise<CompiledEntry[]> {
  const { hook } = entry;
  const builtin = "name" in hook ? setting.catalogue.find(({ name }) => name === hook.name) : undefined;
  if (builtin) return [{ hooks: [scoped(builtinHook(builtin, entry, setting), entry)], watched: [] }];
  const compiled: CompiledEntry[] = [];
  for (const { written, event } of asWritten(entry)) {
    const place: EntryPlace = { file: entry.file, event, path: entry.path, matcher: undefined };
    compiled.push(await compileNamed(written, place, entry, setting));
  }
  return compiled.map((one) => ({ ...one, hooks: one.hooks.map((made) => scoped(made, entry)) }));
}

/** As the same hook stands under `hooks:`, once for each event. */
function asWritten({ hook }: AgentEntry): { readonly written: HookEntry; readonly event: EventName | null }[] {
  if ("command" in hook) {
    const { on = ["pre_tool_use"], tools: _tools, ...rest } = hook;
    return on.map((event) => ({ written: { type: "command", ...rest }, event }));
  }
  const { config, tools: _tools, ...rest } = hook;
  return [{ written: { type: "module", ...rest, ...(config ? { with: config } : {}) }, event: null }];
}

async function compileNamed(written: HookEntry, place: EntryPlace, entry: AgentEntry, setting: AgentHookSetting) {
  try {
    return await compileEntry(written, place, setting);
  } catch (error) {
    if (!(error instanceof HoldfastError) || error.code !== "HF208" || !("name" in entry.hook)) throw error;
    const meant = nearest(
      entry.hook.name,
      setting.catalogue.map(({ name }) => name),
    );
    const hint = meant ? `did you mean ${meant}?` : `built in: ${setting.catalogue.map(({ name }) => name).join(", ")}`;
    throw new HoldfastError("HF208", error.message, placeOf(place.file.document, place.path, hint));
  }
}

function builtinHook(builtin: Tunable, entry: AgentEntry, { env, builtin: make }: AgentHookSetting): PlanHook {
  const { hook, file, path } = entry;
  const {
    id,
    config,
    mode,
    priority,
    on_error: onError,
    timeout_sec: seconds,
  } = hook as Extract<AgentHook, { name: string }>;
  const options: JsonObject = { ...builtin.defaults, ...((config ?? {}) as JsonObject) };
  interpolate(options, env);
  const [shape] = checkFields(options, builtin.options);
  const [problem] = shape ? [] : (builtin.problems?.(options) ?? []);
  const wrong = shape
    ? `${shape.path.join(".")}: ${shape.message}`
    : problem && `${problem.option}: ${problem.message}`;
  if (wrong) {
    const message = `config.${wrong} (hook ${builtin.name} of agent ${entry.agent})`;
    throw new HoldfastError("HF200", message, placeOf(file.document, path));
  }
  const made = make({
    entry: builtin,
    managed: file.layer === "managed",
    enabled: true,
    mode: mode ?? "enforce",
    options,
  });
  const line = file.document.lineOf(path);
  return {
    ...made,
    name: id ?? `${builtin.name}@${entry.agent}`,
    layer: file.layer,
    place: { file: file.document.file, ...(line ? { line } : {}) },
    ...(priority === undefined ? {} : { priority }),
    ...(onError === undefined ? {} : { onError }),
    ...(seconds === undefined ? {} : { timeoutMs: seconds * 1000 }),
  };
}

function scoped(hook: PlanHook, { agent, inherited, file, path, hook: { tools } }: AgentEntry): PlanHook {
  const toolless = tools === undefined ? undefined : hook.on.find((event) => !eventRow(event).tool);
  if (toolless) {
    const message = `hook ${hook.name} of agent ${agent} has tools: ${tools}, but serves ${toolless}, which has no tool`;
    throw new HoldfastError("HF204", message, placeOf(file.document, path));
  }
  const when: PlanWhen = {
    ...hook.when,
    agents: { names: [agent], inherited },
    ...(tools === undefined ? {} : { tool: globData(tools) }),
  };
  return { ...hook, when };
}
