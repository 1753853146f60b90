/**
 * The tool of one call: it runs, once, what hooks looked at. Middleware of the program's own stands between the judgement
 * and the tool; whatever else it hands it, or hands it once more, is looked at first.
 */
import { isJsonObject, type JsonObject, sameJson } from "../core/json.ts";

export interface Tool {
  readonly schema?: unknown;
  // biome-ignore lint/suspicious/noExplicitAny: the types of the SDK are its own
  invoke(input: any, ...more: any[]): Promise<any>;
}

/** Asks hooks about an input they have not seen, and runs it as they left it. */
type Otherwise = (input: JsonObject, run: (input: JsonObject) => Promise<unknown>) => Promise<unknown>;

export function checkedTool(tool: Tool, judged: JsonObject, otherwise: Otherwise): Tool {
  let hasRun = false;
  const invoke: Tool["invoke"] = (given, ...more) => {
    const isCall = isJsonObject(given) && given.type === "tool_call" && isJsonObject(given.args);
    const input = (isCall ? given.args : given) as JsonObject;
    const run = (final: JsonObject) => tool.invoke(isCall ? { ...given, args: final } : final, ...more);
    const isJudged = !hasRun && sameJson(input, judged);
    hasRun = true;
    return isJudged ? run(input) : otherwise(input, run);
  };
  return new Proxy(tool, {
    get(target, key) {
      if (key === "invoke") return invoke;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" && key !== "constructor" ? value.bind(target) : value;
    },
  });
}
