/**
 * The tool of one call: it runs, once, what hooks looked at. A program's own middleware and later hooks come between
 * the judgement and the tool; whatever else they hand it, or hand it once more, is looked at first.
 */
import { isJsonObject, type Json, sameJson } from "../core/json.ts";
import type { JudgedCall } from "../embed/tool-call.ts";
import type { AfterToolCall, Tool, ToolContext, ToolUse } from "./strands-shapes.ts";
import type { ToolResult } from "./strands-values.ts";

const CALL = Symbol("the call as Holdfast knows it");

/** Models give two calls one id: what is known of a call goes with the call. */
export interface Call {
  /** As hooks left it when they looked last: what runs, or has run. */
  judged: JudgedCall;
  readonly startedMs: number;
  /** Cancelled before it ran: it has no end. */
  isBlocked: boolean;
  hasRun: boolean;
}

/** Asks hooks about what the tool is to be run with instead of what they saw. */
export type JudgeAgain = (input: Json) => Promise<JudgedCall | ToolResult>;

export const marked = (toolUse: ToolUse, call: Call): ToolUse => Object.assign({ ...toolUse, [CALL]: call });

/** By the tool where the SDK copies the rest (in the background); by the rest where there is no tool. */
export function callOf({ tool, toolUse }: Pick<AfterToolCall, "tool" | "toolUse">): Call | undefined {
  return (tool as Marked | undefined)?.[CALL] ?? (toolUse as Marked)[CALL];
}
interface Marked {
  readonly [CALL]?: Call;
}

const checkedTools = new WeakSet<Tool>();

/** By what it is: a program's tool around ours has all that ours has, and may do something else. */
export const isChecked = (tool: Tool): boolean => checkedTools.has(tool);

export function checkedTool(tool: Tool, call: Call, judgeAgain: JudgeAgain): Tool {
  const stream = (context: ToolContext) => checked(tool, call, judgeAgain, context);
  const proxy = new Proxy(tool, {
    get(target, key) {
      if (key === CALL) return call;
      if (key === "stream") return stream;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" && key !== "constructor" ? value.bind(target) : value;
    },
  });
  checkedTools.add(proxy);
  return proxy;
}

async function* checked(
  tool: Tool,
  call: Call,
  judgeAgain: JudgeAgain,
  context: ToolContext,
): AsyncGenerator<unknown, unknown, undefined> {
  const { toolUse } = context;
  if (!call.hasRun && !call.isBlocked && sameJson(ran(toolUse.input), ran(call.judged.tool.input))) {
    call.hasRun = true;
    return yield* tool.stream(context);
  }
  const again = await judgeAgain(toolUse.input);
  if ("status" in again) return again;
  call.hasRun = true;
  call.isBlocked = false;
  call.judged = { ...again, context: [...call.judged.context, ...again.context] };
  return yield* tool.stream({ ...context, toolUse: { ...toolUse, input: again.tool.input } });
}

/** The SDK itself takes its own flag out of what a tool gets. */
function ran(input: Json): Json {
  if (!isJsonObject(input)) return input;
  const { _background_execution: _, ...rest } = input;
  return rest;
}
