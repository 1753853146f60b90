/** What a loaded hook module exports, read into hooks. */
import type { AgentEvent } from "../core/event.ts";
import { HookFailure } from "../core/failure.ts";
import type { JudgeContext } from "../core/hook.ts";
import type { Verdict } from "../core/verdict.ts";
import { classHookData, isClassHook, judgeClassHook } from "./class-hook.ts";
import { type HookData, type HookDefinition, isDefinition, judgeDefinition } from "./define-hook.ts";
import { isPlainObject, typeName } from "./module-json.ts";
import { isRunHook, judgeRunHook, runHookData } from "./run-hook.ts";

/** One hook of a module: its data, and a judge that speaks in verdicts. */
export interface ModuleHook {
  readonly data: HookData;
  judge(event: AgentEvent, context: JudgeContext): Verdict | Promise<Verdict>;
}

/** The hooks behind a default export: one, or a list of them in the order written. */
export function readModule(exported: unknown, file: string): readonly ModuleHook[] {
  const value = defaultExport(exported, file);
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (items.length === 0) throw notLoaded(file, "an empty list");
  return items.map((item, index) => readHook(item, Array.isArray(value) ? `${file} [${index}]` : file));
}

function defaultExport(exported: unknown, file: string): unknown {
  const names = typeof exported === "object" && exported !== null ? Object.keys(exported) : [];
  const isModule = typeof exported === "object" && exported !== null && "__esModule" in exported;
  if (!isModule) return isPlainObject(exported) && "default" in exported ? exported.default : exported;
  if ("default" in exported) return exported.default;
  if (isRunHook({ ...exported })) return { ...exported };
  throw notLoaded(file, names.length > 0 ? `only ${names.join(", ")}, and no default` : "nothing");
}

/** One item of it. */
export function readHook(item: unknown, place: string): ModuleHook {
  if (isDefinition(item)) return definedHook(item);
  if (isRunHook(item))
    return { data: runHookData(item), judge: (event, context) => judgeRunHook(item, event, context) };
  const instance = isHookClass(item) ? construct(item, place) : item;
  if (!isClassHook(instance)) throw notLoaded(place, described(item));
  return { data: classHookData(instance), judge: (event, context) => judgeClassHook(instance, event, context) };
}

function definedHook(definition: HookDefinition): ModuleHook {
  const { judge: _judge, ...data } = definition;
  return { data, judge: (event, context) => judgeDefinition(definition, event, context) };
}

type HookClass = new () => unknown;

const isHookClass = (value: unknown): value is HookClass => typeof value === "function" && isClassHook(value.prototype);

function construct(hookClass: HookClass, place: string): unknown {
  try {
    return new hookClass();
  } catch (error) {
    throw new HookFailure("not-loaded", `${place}: new ${hookClass.name}() failed: ${String(error)}`);
  }
}

function described(item: unknown): string {
  if (isPlainObject(item) && "judge" in item) return "a hook that is not wrapped in defineHook({ … })";
  if (typeof item === "function" && item.toString().startsWith("class")) return `class ${item.name}, which is no hook`;
  return typeName(item);
}

const notLoaded = (place: string, found: string) =>
  new HookFailure(
    "not-loaded",
    `${place} exports ${found}; a hook module needs \`export default defineHook({ … })\`, a class that extends PreToolUseHook, PostToolUseHook or SessionStartHook, an instance of one, or a list of these; a hook of runs is an object with a name and a method for each phase`,
  );
