/** What pages read from an audit record. Records come from other machines and versions: anything may be missing. */
import type { AuditRow } from "../../../approvals/store.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../core/json.ts";

export interface HookStep {
  readonly hook: string;
  readonly ms: number;
  readonly opinion: string;
  /** Why it failed; empty: it did not. */
  readonly failure: string;
}

export interface AuditDetails {
  readonly agent: string;
  readonly reasons: readonly { readonly hook: string; readonly rule: string; readonly text: string }[];
  readonly hooks: readonly HookStep[];
  readonly command: string;
  /** What the agent was told, where its host could not be told what was decided; empty: that. */
  readonly delivered: string;
}

export function auditDetails({ record }: Pick<AuditRow, "record">): AuditDetails {
  const parsed = parsedObject(record);
  const tool = inside(inside(parsed, "input"), "tool");
  return {
    agent: textOf(parsed, "agent"),
    reasons: listOf(parsed, "reasons").map((reason) => ({
      hook: textOf(reason, "hook"),
      rule: textOf(reason, "rule"),
      text: textOf(reason, "text"),
    })),
    hooks: [...listOf(parsed, "hooks").map(spoken), ...Object.entries(quietOf(parsed)).map(quiet)],
    command: textOf(tool, "command") || firstOf(listOf(tool, "paths")),
    delivered: textOf(parsed, "delivered"),
  };
}

const spoken = (step: Json): HookStep => ({
  hook: textOf(step, "hook"),
  ms: numberOf(step, "ms"),
  opinion: textOf(inside(step, "opinion"), "kind"),
  failure: textOf(inside(step, "failure"), "message"),
});

/** Had nothing to say: only its time was written down. */
const quiet = ([hook, ms]: [string, Json]): HookStep => ({
  hook,
  ms: typeof ms === "number" ? ms : 0,
  opinion: "none",
  failure: "",
});

function quietOf(record: Json): JsonObject {
  const found = inside(record, "quiet");
  return isJsonObject(found) ? found : {};
}

function parsedObject(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
}

const inside = (value: Json, key: string): Json => (isJsonObject(value) ? (value[key] ?? null) : null);

const textOf = (value: Json, key: string): string => {
  const found = inside(value, key);
  return typeof found === "string" ? found : "";
};

const numberOf = (value: Json, key: string): number => {
  const found = inside(value, key);
  return typeof found === "number" ? found : 0;
};

const listOf = (value: Json, key: string): readonly Json[] => {
  const found = inside(value, key);
  return Array.isArray(found) ? found : [];
};

const firstOf = ([first]: readonly Json[]): string => (typeof first === "string" ? first : "");
