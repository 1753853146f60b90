/** An assignment as it was written: checked, and nothing filled in yet but `${VAR}` of typed fields. */
import type { Json, JsonObject } from "../../core/json.ts";
import type { Capability, LockableField, Phase } from "../run.ts";

export interface Assignment {
  readonly name: string;
  /** assignment.md; hooks by path are looked up from its directory. */
  readonly file: string;
  readonly directory: string;
  /** As written, `{{key}}` in it. */
  readonly cwd: string | null;
  readonly message: string | null;
  readonly schedule: JsonObject | null;
  readonly maxRetries: number;
  readonly callerInstructions: string | null;
  readonly vars: Readonly<Record<string, VarDeclaration>>;
  readonly hooks: Readonly<Record<Phase, readonly HookEntry[]>>;
  readonly tasks: readonly AuthoredTask[];
  readonly lockedFields: readonly LockableField[];
  readonly onHookDrift: "refuse" | "warn";
  /** The work instructions, as written. */
  readonly body: string;
}

export const VAR_TYPES = ["string", "number", "boolean", "enum"] as const;
export const VAR_SOURCES = ["cli", "web", "env", "parent"] as const;
export type VarSource = (typeof VAR_SOURCES)[number];
export type VarValue = string | number | boolean;

export interface VarDeclaration {
  readonly type: (typeof VAR_TYPES)[number];
  readonly required: boolean;
  readonly requiredAt: "initial" | "prepare";
  readonly sources: readonly VarSource[];
  readonly envName: string;
  readonly default: VarValue | null;
  readonly description: string | null;
  readonly values: readonly string[];
}

export interface AuthoredTask {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly hooks: readonly HookEntry[];
}

/** One entry under `hooks:`, or of a task. */
export interface HookEntry {
  readonly source: { readonly type: "builtin" | "name" | "path"; readonly value: string };
  readonly with: Json;
  readonly when: Json;
  readonly timeoutSec: number | null;
  readonly onError: "block" | "continue" | "ask" | null;
  readonly may: readonly Capability[] | null;
  readonly place: EntryPlace;
}

/** Where it stands, for messages. */
export interface EntryPlace {
  readonly file: string;
  readonly line?: number;
  readonly key: string;
}
