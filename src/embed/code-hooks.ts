/** Hooks that an embedder brings as code. They run in its own thread: whoever can pass them could do anything anyway. */
import { compilePattern, globData, type LinearRegex } from "../config/pattern.ts";
import { HookFailure } from "../core/failure.ts";
import type { Hook, Layer } from "../core/hook.ts";
import type { JsonObject } from "../core/json.ts";
import type { When } from "../core/match.ts";
import type { ClassHook } from "../custom/class-hook.ts";
import { type HookData, type HookDefinition, onErrorOf, type WhenData } from "../custom/define-hook.ts";
import { copyOf } from "../custom/module-copy.ts";
import { type ModuleHook, readHook } from "../custom/module-definition.ts";
import { typeName } from "../custom/module-json.ts";
import { withinTime } from "../custom/within-time.ts";
import type { Machine } from "../hooks/builtin.ts";
import { pathsPattern } from "../hooks/covered-paths.ts";
import { isLoadedHook, type LoadedHook, moduleHookOf } from "./loaded-hook.ts";

/** What `defineHook` returns, an instance of a class hook, or what `loadHooks` gives. */
export type CodeHook = HookDefinition | ClassHook | LoadedHook;

const LAYER: Layer = "user";
const PRIORITY = 50;
const TIMEOUT_MS = 60_000;

export function codeHooks(given: readonly CodeHook[], regex: LinearRegex | undefined, machine: Machine): Hook[] {
  return read(given).map((hook) => codeHook(hook, regex, machine));
}

export const needsRegex = (given: readonly CodeHook[]): boolean =>
  read(given).some(({ data: { when } }) => [when?.tool, when?.command].some((glob) => glob !== undefined));

type ReadHook = ModuleHook & Pick<Hook, "source"> & { readonly options?: JsonObject };

function read(given: readonly CodeHook[]): readonly ReadHook[] {
  if (!Array.isArray(given)) throw notHooks("hooks", given);
  return given.map((item: unknown, index): ReadHook => {
    const place = `createHoldfast({ hooks }) [${index}]`;
    if (isLoadedHook(item)) return { ...moduleHookOf(item), source: item.file, options: item.options };
    if (Array.isArray(item) || item instanceof Promise) throw notHooks(`hooks[${index}]`, item);
    return { ...readHook(item, place), source: "code" };
  });
}

const notHooks = (place: string, found: unknown) =>
  new HookFailure(
    "not-loaded",
    `createHoldfast({ hooks }): ${place} is ${typeName(found)}; hooks is one list of hooks, as in hooks: [...(await loadHooks("./rules/x.ts")), myHook]`,
  );

function codeHook({ data, judge, source, options }: ReadHook, regex: LinearRegex | undefined, machine: Machine): Hook {
  const { name, on, when, priority = PRIORITY, timeoutMs = TIMEOUT_MS } = data;
  return {
    name,
    source,
    layer: LAYER,
    priority,
    on,
    ...(when ? { when: whenOf(when, regex, machine) } : {}),
    ...(options ? { options } : {}),
    onError: onErrorOf(data as HookData),
    // As in a worker, each question comes with an event of its own: only a rewrite, which is judged, changes a call.
    judge(event, context) {
      const verdict = judge(copyOf(event), context);
      return verdict instanceof Promise ? withinTime(verdict, timeoutMs, context.signal) : verdict;
    },
  };
}

function whenOf(
  { kinds, hosts, tool, command, paths }: WhenData,
  regex: LinearRegex | undefined,
  machine: Machine,
): When {
  const pattern = (glob: string) =>
    compilePattern(globData(glob), () => {
      if (!regex) throw new Error(`no regular expression engine was loaded for ${glob}`);
      return regex;
    });
  return {
    ...(kinds ? { kinds } : {}),
    ...(hosts ? { hosts } : {}),
    ...(tool === undefined ? {} : { tool: pattern(tool) }),
    ...(command === undefined ? {} : { command: pattern(command) }),
    ...(paths === undefined ? {} : { paths: pathsPattern(paths, machine) }),
  };
}
