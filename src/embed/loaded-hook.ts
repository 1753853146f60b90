/** A hook of a module that was loaded into this thread, and how it is asked. */
import type { JsonObject } from "../core/json.ts";
import type { ModuleHook } from "../custom/module-definition.ts";

/** Survives two copies of this package in one process. */
const HOOK = Symbol.for("holdfast.loaded-hook");

/** For `createHoldfast({ hooks })`; `loadHooks` makes them. */
export class LoadedHook {
  readonly name: string;
  readonly file: string;
  readonly options: JsonObject;
  protected readonly [HOOK]: ModuleHook;

  constructor(hook: ModuleHook, file: string, options: JsonObject) {
    this.name = hook.data.name;
    this.file = file;
    this.options = options;
    this[HOOK] = hook;
  }
}

export const isLoadedHook = (value: unknown): value is LoadedHook =>
  typeof value === "object" && value !== null && HOOK in value;

export const moduleHookOf = (loaded: LoadedHook): ModuleHook =>
  (loaded as unknown as { readonly [HOOK]: ModuleHook })[HOOK];
