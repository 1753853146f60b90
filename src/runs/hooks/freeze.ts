/** Hooks of an assignment as a run keeps them: found, checked, filled in, pinned. */
import type { Assignment, VarValue } from "../assignment/assignment.ts";
import type { FrozenHook } from "../run.ts";
import type { Modules } from "./engine.ts";

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

export type TemplateValue = VarValue | null | { readonly envName: string };

export interface HookCode {
  readonly what: "module" | "command";
  /** The file that brings it, and the line. */
  readonly file: string;
  readonly line?: number;
  readonly text: string;
  readonly pins: Readonly<Record<string, string>>;
}

export async function freezeHooks(_assignment: Assignment, _context: FreezeContext): Promise<readonly FrozenHook[]> {
  throw new Error("being built");
}
