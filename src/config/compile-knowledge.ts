/** What all layers together say of knowledge. */
import { HoldfastError } from "../core/errors.ts";
import type { Layer } from "../core/hook.ts";
import { isJsonObject, type Json } from "../core/json.ts";
import { placeOf } from "./explain.ts";
import type { KnowledgeConfig } from "./knowledge-schema.ts";
import type { LoadedFile } from "./load.ts";

/** Nearest to the work last. */
const NEAREST_LAST: readonly Layer[] = ["managed", "user", "project", "local"];

/** What one file switches off, no other switches on again. */
const SWITCHES = [["enabled"], ["notifications"], ["prompt_context", "enabled"], ["drain", "enabled"]] as const;

/** Undefined unless knowledge is switched on: a plan without it costs a hook call nothing. */
export function mergeKnowledge(files: readonly LoadedFile[]): { knowledge?: KnowledgeConfig } {
  const sections = [...files]
    .sort((a, b) => NEAREST_LAST.indexOf(a.layer) - NEAREST_LAST.indexOf(b.layer))
    .flatMap(({ config }) => (config.knowledge ? [config.knowledge] : []));
  if (sections.length === 0) return {};
  let merged: Json = {};
  for (const section of sections) merged = over(merged, section as Json);
  for (const path of SWITCHES) {
    if (sections.some((section) => valueAt(section as Json, path) === false))
      merged = over(merged, nested(path, false));
  }
  if (sections.some(({ secrets }) => secrets === "redact")) merged = over(merged, { secrets: "redact" });
  merged = over(merged, ceilings(files));
  const { enabled } = merged as KnowledgeConfig;
  return enabled ? { knowledge: merged as KnowledgeConfig } : {};
}

/** What the organisation set as the most is the most: a person may spend less, not more. */
function ceilings(files: readonly LoadedFile[]): Json {
  const drains = (isManaged: boolean) =>
    files
      .filter(({ layer }) => (layer === "managed") === isManaged)
      .flatMap(({ config }) => config.knowledge?.drain ?? []);
  const most = SPENDING.flatMap((key) => {
    const managed = drains(true).flatMap((drain) => drain[key] ?? []);
    const own = drains(false).flatMap((drain) => drain[key] ?? []);
    return managed.length > 0 && own.length > 0 ? [[key, Math.min(...managed, ...own)]] : [];
  });
  return most.length > 0 ? { drain: Object.fromEntries(most) } : {};
}

const SPENDING = ["runs_per_day", "attempts", "timeout_sec"] as const;

/** What costs money, and what writes secrets down, is the person's to switch on: a repository cannot. */
export function knowledgeErrors(files: readonly LoadedFile[]): HoldfastError[] {
  return files
    .filter(({ layer }) => layer === "project" || layer === "local")
    .flatMap(({ document, config: { knowledge } }) => {
      const at = (path: readonly string[], what: string) =>
        new HoldfastError("HF209", `${path.join(".")} ${what}`, placeOf(document, path));
      const drain = Object.keys(knowledge?.drain ?? {}).filter(
        (key) => !(key === "enabled" && knowledge?.drain?.enabled === false),
      );
      return [
        ...drain.map((key) =>
          at(["knowledge", "drain", key], "costs money, so it can only be set in user or managed config"),
        ),
        ...(knowledge?.secrets === "keep"
          ? [at(["knowledge", "secrets"], "can only be set to keep in user or managed config")]
          : []),
      ];
    });
}

function over(below: Json, above: Json): Json {
  if (!isJsonObject(below) || !isJsonObject(above)) return above;
  const merged: Record<string, Json> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const under = merged[key];
    merged[key] = under === undefined ? value : over(under, value);
  }
  return merged;
}

const valueAt = (value: Json, path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((inner, key) => (isJsonObject(inner) ? inner[key] : undefined), value);

const nested = (path: readonly string[], value: Json): Json =>
  path.reduceRight<Json>((inner, key) => ({ [key]: inner }), value);
