/** The settings of built-in hooks over all layers: a lower layer may tighten; only who set a rule may loosen it. */
import { HoldfastError } from "../core/errors.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { isJsonObject, sameJson } from "../core/json.ts";
import type { Tunable } from "../core/tunable.ts";
import { placeOf } from "./explain.ts";
import { interpolate } from "./interpolate.ts";
import type { LoadedFile } from "./load.ts";
import type { Environment } from "./places.ts";
import { isTrusted, type TrustItem, type TrustStore, trustItem } from "./trust.ts";

export interface GuardSetting {
  readonly entry: Tunable;
  /** A managed file set it: neither a pause nor a pass bends it. */
  readonly managed: boolean;
  readonly enabled: boolean;
  readonly mode: "enforce" | "observe";
  readonly options: JsonObject;
}

export interface MergedGuards {
  readonly settings: readonly GuardSetting[];
  readonly trustItems: readonly TrustItem[];
  readonly errors: readonly HoldfastError[];
  readonly warnings: readonly string[];
}

export function mergeGuards(
  files: readonly LoadedFile[],
  catalogue: readonly Tunable[],
  trust: TrustStore,
  env: Environment,
  facts: Readonly<Record<string, JsonObject>> = {},
): MergedGuards {
  const trustItems: TrustItem[] = [];
  const errors: HoldfastError[] = [];
  const warnings: string[] = [];

  const settings = catalogue.map((entry): GuardSetting => {
    let current: GuardSetting = {
      entry,
      managed: false,
      enabled: !entry.optIn,
      mode: "enforce",
      options: { ...entry.defaults, ...facts[entry.name] },
    };
    let setBy: LoadedFile | undefined;
    for (const file of files) {
      const written = writtenFor(entry, file);
      if (written === undefined) continue;
      errors.push(...unsetNames(written, entry, file, env));
      const next = { ...applied(current, written), managed: current.managed || file.layer === "managed" };
      for (const { option, message, meant } of entry.problems?.(next.options) ?? []) {
        const place = placeOf(file.document, ["guards", entry.name, option], meant && `did you mean ${meant}?`);
        errors.push(new HoldfastError("HF200", `guards.${entry.name}.${option}: ${message}`, place));
      }
      const path = ["guards", entry.name];
      if (!loosens(current, next)) current = next;
      else if (setBy) {
        const message = `${entry.name} is set in ${setBy.document.file}; ${file.document.file} may not loosen it`;
        errors.push(new HoldfastError("HF209", message, placeOf(file.document, path)));
      } else if (OWN_LAYERS.includes(file.layer)) current = next;
      else {
        const { line } = placeOf(file.document, path);
        const text = `guards.${entry.name}: ${JSON.stringify(written)}`;
        const item = trustItem({
          what: "loosening",
          file: file.document.file,
          text,
          pins: {},
          ...(line ? { line } : {}),
        });
        trustItems.push(item);
        if (isTrusted(item, trust)) current = next;
        else
          warnings.push(
            `${file.document.file}: ${text} loosens a shipped rule and has no effect until trusted (holdfast trust)`,
          );
      }
      setBy = file;
    }
    return current;
  });
  return { settings, trustItems, errors, warnings };
}

/** `workflow:` stands at the top level too, and its test patterns also under `hooks:`, where a predecessor had them. */
function writtenFor({ name }: Tunable, { config }: LoadedFile): Written | undefined {
  const guard = (config.guards as Record<string, Written | undefined> | undefined)?.[name];
  if (name !== "workflow") return guard;
  const patterns = config.hooks?.test_patterns ?? config.agent?.hooks?.test_patterns;
  const parts = [patterns ? { test_patterns: patterns } : undefined, config.workflow as Written | undefined, guard];
  const given = parts.filter((part) => part !== undefined);
  if (given.length === 0) return undefined;
  const last = given.at(-1);
  return typeof last === "boolean" ? last : (Object.assign({}, ...given.filter(isJsonObject)) as Written);
}

/** `${NAME}` in a guard's options is resolved when the guard runs; that it can be is known now. */
function unsetNames(written: Written, { name }: Tunable, { document }: LoadedFile, env: Environment): HoldfastError[] {
  try {
    interpolate(written as Json, env);
    return [];
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    return [new HoldfastError(error.code, error.message, placeOf(document, ["guards", name]))];
  }
}

const OWN_LAYERS: readonly string[] = ["managed", "user"];

type Written = boolean | ({ readonly mode?: "enforce" | "observe" } & JsonObject);

function applied(current: GuardSetting, written: Written): GuardSetting {
  if (typeof written === "boolean") return { ...current, enabled: written };
  const { mode, ...options } = written;
  const merged = Object.entries(options as JsonObject).map(([name, value]): [string, Json] => {
    const before = current.options[name];
    // Who switches a hook on says what it is to do; who comes later only adds.
    const grows =
      current.enabled && Array.isArray(before) && Array.isArray(value) && !current.entry.replaceable?.includes(name);
    return [name, grows ? union(before, value) : value];
  });
  return {
    ...current,
    enabled: true,
    mode: mode ?? current.mode,
    options: { ...current.options, ...Object.fromEntries(merged) },
  };
}

const union = (left: readonly Json[], right: readonly Json[]): Json[] => [
  ...left,
  ...right.filter((item) => !left.some((known) => sameJson(known, item))),
];

/** Lists only grow, unless growing loosens. Any other change of an option that already has a value counts as loosening: the safe reading. */
function loosens(current: GuardSetting, next: GuardSetting): boolean {
  if (!current.enabled) return false;
  if (!next.enabled) return true;
  if (current.mode === "enforce" && next.mode === "observe") return true;
  return Object.entries(next.options).some(([name, value]) => {
    const before = current.options[name];
    if (current.entry.loosening?.includes(name)) return !sameJson(before ?? null, value);
    if (before === undefined || Array.isArray(before) || current.entry.replaceable?.includes(name)) return false;
    return !sameJson(before, value);
  });
}
