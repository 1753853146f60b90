/**
 * The one run that hooks looked at, and the tool of it. Middleware of the program's own stands between the judgement and
 * the tool; whatever else it hands it, or hands it once more, is looked at first.
 */
import { isJsonObject, type JsonObject, sameJson } from "../core/json.ts";
import type { InputProblem } from "../embed/tool-call.ts";

export interface Tool {
  readonly name?: string;
  readonly schema?: unknown;
  // biome-ignore lint/suspicious/noExplicitAny: the types of the SDK are its own
  invoke(input: any, ...more: any[]): Promise<any>;
}

/** What is about to run. */
export interface Run {
  readonly name: string;
  readonly input: JsonObject;
  readonly problem: InputProblem | undefined;
}

/** Asks hooks about a run they have not seen, and runs it as they left it. */
type Otherwise = (run: Run, go: (input: JsonObject) => Promise<unknown>) => Promise<unknown>;

export class JudgedRun {
  readonly #judged: Run;
  readonly #otherwise: Otherwise;
  #hasRun = false;

  constructor(judged: Run, otherwise: Otherwise) {
    this.#judged = judged;
    this.#otherwise = otherwise;
  }

  run(given: Run, go: (input: JsonObject) => Promise<unknown>): Promise<unknown> {
    const { name, input } = this.#judged;
    const isJudged = !this.#hasRun && given.name === name && sameJson(given.input, input);
    this.#hasRun = true;
    return isJudged ? go(given.input) : this.#otherwise(given, go);
  }

  tool(tool: Tool): Tool {
    const invoke: Tool["invoke"] = (given, ...more) => {
      const isCall = isJsonObject(given) && given.type === "tool_call" && isJsonObject(given.args);
      const input = (isCall ? given.args : given) as JsonObject;
      return this.run({ ...this.#judged, input }, (final) =>
        tool.invoke(isCall ? { ...given, args: final } : final, ...more),
      );
    };
    const checked = new Proxy(tool, {
      get(target, key) {
        if (key === "invoke") return invoke;
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === "function" && key !== "constructor" ? value.bind(target) : value;
      },
    });
    checkedTools.add(checked);
    return checked;
  }
}

const checkedTools = new WeakSet<Tool>();

/** By what it is: a program's tool around it has all that it has, and may do something else. */
export const isChecked = (tool: Tool | undefined): boolean => tool !== undefined && checkedTools.has(tool);
