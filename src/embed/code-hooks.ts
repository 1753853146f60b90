/** Hooks that an embedder brings as code. They run in its own thread: whoever can pass them could do anything anyway. */
import { compilePattern, globData, type LinearRegex } from "../config/pattern.ts";
import type { Hook, Layer } from "../core/hook.ts";
import type { When } from "../core/match.ts";
import type { ClassHook } from "../custom/class-hook.ts";
import { type HookData, type HookDefinition, onErrorOf, type WhenData } from "../custom/define-hook.ts";
import { type ModuleHook, readModule } from "../custom/module-definition.ts";
import { withinTime } from "../custom/within-time.ts";

/** What `defineHook` returns, or an instance of a class hook. */
export type CodeHook = HookDefinition | ClassHook;

const LAYER: Layer = "user";
const PRIORITY = 50;
const TIMEOUT_MS = 60_000;

export function codeHooks(given: readonly CodeHook[], regex: LinearRegex | undefined): Hook[] {
  if (given.length === 0) return [];
  return readModule([...given], "createHoldfast({ hooks })").map((hook) => codeHook(hook, regex));
}

export const needsRegex = (given: readonly CodeHook[]): boolean =>
  given.length > 0 &&
  readModule([...given], "createHoldfast({ hooks })").some(({ data: { when } }) =>
    [when?.tool, when?.command, when?.paths].some((glob) => glob !== undefined),
  );

function codeHook({ data, judge }: ModuleHook, regex: LinearRegex | undefined): Hook {
  const { name, on, when, priority = PRIORITY, timeoutMs = TIMEOUT_MS } = data;
  return {
    name,
    source: "code",
    layer: LAYER,
    priority,
    on,
    ...(when ? { when: whenOf(when, regex) } : {}),
    onError: onErrorOf(data as HookData),
    judge(event, context) {
      const verdict = judge(event, context);
      return verdict instanceof Promise ? withinTime(verdict, timeoutMs, context.signal) : verdict;
    },
  };
}

function whenOf({ kinds, hosts, tool, command, paths }: WhenData, regex: LinearRegex | undefined): When {
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
    ...(paths === undefined ? {} : { paths: pattern(paths) }),
  };
}
