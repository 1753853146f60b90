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

/** As in a worker, each question comes with an event of its own: what the hook does to it changes no call. */
export function moduleHookOf(loaded: LoadedHook): ModuleHook {
  const { data, judge } = (loaded as unknown as { readonly [HOOK]: ModuleHook })[HOOK];
  return { data, judge: (event, context) => judge(copyOf(event), context) };
}

const copyOf = <T extends object>(value: T) => copied(value) as T;

/** As JSON would have it. Spread first, and only what is not a plain value anew: `structuredClone` takes ten times as long. */
function copied(value: object): unknown {
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === "function") return partOf(toJSON.call(value));
  if (Array.isArray(value)) return value.map(partOf);
  const copy = { ...value } as Record<string, unknown>;
  for (const key in copy) {
    const part = copy[key];
    if (typeof part !== "object" || part === null) continue;
    if (key !== "__proto__") copy[key] = copied(part);
    else Object.defineProperty(copy, key, { value: copied(part) });
  }
  return copy;
}

const partOf = (value: unknown): unknown => (typeof value === "object" && value !== null ? copied(value) : value);
