/** Config in all layers -> the plan the hot path runs. Errors do not stop it: they become part of the plan and close it. */
import { HoldfastError } from "../core/errors.ts";
import { inOrder } from "../core/hook.ts";
import { canonicalJson, type Json, type JsonObject } from "../core/json.ts";
import type { Tunable } from "../core/tunable.ts";
import type { ApprovalsStore, RecordsSection } from "./approvals-schema.ts";
import { type AgentHookSetting, agentEntries, compileAgentEntry } from "./compile-agent.ts";
import { compileApprovals } from "./compile-approvals.ts";
import { compileEntry, type HookSetting } from "./compile-hook.ts";
import { knowledgeErrors, mergeKnowledge } from "./compile-knowledge.ts";
import { placeOf } from "./explain.ts";
import { type GuardSetting, mergeGuards } from "./guards.ts";
import { references } from "./interpolate.ts";
import { hookEntries, type LoadedConfig, type LoadedFile, loadConfig } from "./load.ts";
import { type Environment, type Places, projectRoot, sha256 } from "./places.ts";
import { environmentHash, type Plan, type PlanHook, type PlanSettings, signature } from "./plan.ts";
import type { RunsSection } from "./runs-schema.ts";
import { readTrust, type TrustItem, trustFile } from "./trust.ts";
import { workflowFacts, workflowFile } from "./workflow-file.ts";

export interface CompileInput {
  readonly cwd: string;
  readonly projectDir?: string | undefined;
  readonly env: Environment;
  readonly places: Places;
  readonly catalogue: readonly Tunable[];
  readonly version: string;
  /** Built-in hooks as plan entries, from their settings. */
  builtins(settings: readonly GuardSetting[], sections: PlanSettings): readonly PlanHook[];
  /** One of them, as an agent's list names it. */
  builtin(setting: GuardSetting): PlanHook;
  readonly regex: HookSetting["regex"];
  readonly describeModule: HookSetting["describeModule"];
}

export interface Compiled {
  readonly plan: Plan;
  readonly trustItems: readonly TrustItem[];
  readonly errors: readonly HoldfastError[];
}

export async function compilePlan(input: CompileInput): Promise<Compiled> {
  const { cwd, projectDir, env, places, catalogue, version } = input;
  const loaded = loadConfig({ cwd, projectDir }, places, catalogue);
  const trust = readTrust(places.stateDir);
  const root = projectRoot({ cwd, projectDir }, places);
  const facts = factsOf(root);
  const guards = mergeGuards(loaded.files, catalogue, trust, env, facts.options);
  const brought = await compileHooks(loaded, { ...input, trust, userDir: places.userDir });
  const approvals = compileApprovals(loaded.files, input.builtin);
  const errors = [
    ...loaded.errors,
    ...facts.errors,
    ...guards.errors,
    ...ownLayerErrors(loaded.files),
    ...knowledgeErrors(loaded.files),
    ...approvals.errors,
    ...brought.errors,
  ];
  const settings = mergeSettings(loaded.files);
  const hooks = inOrder([
    ...input.builtins(guards.settings, settings),
    ...withUniqueNames([...approvals.hooks, ...brought.hooks]),
  ]);
  const watched = [
    ...loaded.places.flatMap(({ candidates }) => candidates),
    ...(loaded.errors.some(({ code }) => code === "HF105") ? places.managedDirs : []),
    ...brought.watched,
    trustFile(places.stateDir),
    workflowFile(root),
  ];
  const names = [...new Set(loaded.files.flatMap(({ document }) => references(document.data)))];
  const plan: Plan = {
    version,
    cwd,
    projectDir: projectDir ?? null,
    root,
    files: loaded.files.map(({ document, layer }) => ({ path: document.file, layer })),
    hooks,
    errors: errors.map(({ code, message, place }) => ({ code, message, place })),
    warnings: [...loaded.warnings, ...guards.warnings],
    settings,
    watched: Object.fromEntries(watched.map((path) => [path, signature(path)])),
    environment: Object.fromEntries(names.map((name) => [name, environmentHash(name, env)])),
    digest: sha256(canonicalJson(JSON.parse(JSON.stringify({ hooks, settings, errors: errors.length })) as Json)),
  };
  return { plan, trustItems: [...guards.trustItems, ...brought.trustItems], errors };
}

/** What other files of the project say about it. */
function factsOf(root: string): { options: Record<string, JsonObject>; errors: HoldfastError[] } {
  try {
    const workflow = workflowFacts(root);
    return { options: workflow ? { workflow } : {}, errors: [] };
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    return { options: {}, errors: [error] };
  }
}

async function compileHooks(loaded: LoadedConfig, setting: AgentHookSetting) {
  const hooks: PlanHook[] = [];
  const trustItems: TrustItem[] = [];
  const watched: string[] = [];
  const errors: HoldfastError[] = [];
  const written = [
    ...[...hookEntries(loaded.files)].map(({ entry, enabled, ...place }) => ({
      place,
      enabled,
      compile: async () => [await compileEntry(entry, place, setting)],
    })),
    ...[...agentEntries(loaded.files)].map((entry) => ({
      place: entry,
      enabled: true,
      compile: () => compileAgentEntry(entry, setting),
    })),
  ];
  for (const { place, enabled, compile } of written) {
    try {
      for (const compiled of await compile()) {
        if (!enabled) continue;
        hooks.push(...compiled.hooks);
        watched.push(...compiled.watched);
        if (compiled.trustItem) trustItems.push(compiled.trustItem);
      }
    } catch (error) {
      if (!(error instanceof HoldfastError)) throw error;
      const { file, path } = place;
      errors.push(
        error.place.file ? error : new HoldfastError(error.code, error.message, placeOf(file.document, path)),
      );
    }
  }
  return { hooks, trustItems: uniqueItems(trustItems), watched, errors: [...errors, ...idClashes(loaded.files)] };
}

const uniqueItems = (items: readonly TrustItem[]) => [...new Map(items.map((item) => [item.id, item])).values()];

/** Two hooks a person gave the same id cannot be told apart in a record. */
function idClashes(files: readonly LoadedFile[]): HoldfastError[] {
  const seen = new Set<string>();
  const errors: HoldfastError[] = [];
  for (const { entry, event, file, path } of hookEntries(files)) {
    if (!entry.id) continue;
    const key = `${event} ${entry.id}`;
    if (seen.has(key)) {
      errors.push(
        new HoldfastError("HF210", `two hooks on ${event} have the id ${entry.id}`, placeOf(file.document, path)),
      );
    }
    seen.add(key);
  }
  return errors;
}

function withUniqueNames(hooks: readonly PlanHook[]): PlanHook[] {
  const counts = new Map<string, number>();
  return hooks.map((hook) => {
    const key = `${hook.on.join()} ${hook.name}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count === 1 ? hook : { ...hook, name: `${hook.name}-${count}` };
  });
}

const OWN_SETTINGS = ["untrusted", "records", "context", "approvals_store", "runs"] as const;

/** What protects the person is the person's to set: a repository cannot. */
function ownLayerErrors(files: readonly LoadedFile[]): HoldfastError[] {
  return files
    .filter(({ layer }) => layer === "project" || layer === "local")
    .flatMap(({ document, config }) =>
      OWN_SETTINGS.filter((key) => config[key] !== undefined).map(
        (key) =>
          new HoldfastError("HF209", `${key} can only be set in user or managed config`, placeOf(document, [key])),
      ),
    );
}

/** The first layer that sets a value keeps it: managed before user. */
function mergeSettings(files: readonly LoadedFile[]): PlanSettings {
  const first = <T>(read: (config: LoadedFile["config"]) => T | undefined, fallback: T): T => {
    const own = files.filter(({ layer }) => layer === "managed" || layer === "user");
    for (const { config } of own) {
      const value = read(config);
      if (value !== undefined) return value;
    }
    return fallback;
  };
  return {
    maxContextCharacters: first(({ context }) => context?.max_characters, 8_000),
    maxRecordBytes: first(({ records }) => records?.max_bytes, 64 * 1024 * 1024),
    untrusted: {
      guards: first(({ untrusted }) => untrusted?.guards, "block"),
      advice: first(({ untrusted }) => untrusted?.advice, "skip"),
    },
    ...mergeKnowledge(files),
    ...handInOf(first(({ records }) => (records?.server === undefined ? undefined : records), {})),
    ...storeOf(first<ApprovalsStore>(({ approvals_store: store }) => store, {})),
    ...runsOf({
      store: first(({ runs }) => runs?.store, undefined),
      lease_seconds: first(({ runs }) => runs?.lease_seconds, undefined),
      worker: first(({ runs }) => runs?.worker, undefined),
    }),
  };
}

const handInOf = ({ server, token_env: tokenEnv }: RecordsSection): Pick<PlanSettings, "handIn"> =>
  server === undefined || tokenEnv === undefined ? {} : { handIn: { server, tokenEnv } };
function runsOf({ store, lease_seconds: leaseSeconds, worker }: RunsSection): Pick<PlanSettings, "runs"> {
  const runs = {
    ...(store === undefined ? {} : { store }),
    ...(leaseSeconds === undefined ? {} : { leaseSeconds }),
    ...(worker === undefined ? {} : { worker }),
  };
  return Object.keys(runs).length === 0 ? {} : { runs };
}

/** `${NAME}` references stay references: a plan on disk holds no secret. */
function storeOf({ url, server, token_env: tokenEnv }: ApprovalsStore): Pick<PlanSettings, "approvals"> {
  if (url === undefined && server === undefined) return {};
  return {
    approvals: {
      ...(url === undefined ? {} : { url }),
      ...(server === undefined ? {} : { server }),
      ...(tokenEnv === undefined ? {} : { tokenEnv }),
    },
  };
}
