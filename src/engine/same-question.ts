/** Hooks that are asked the same question: an agent's list often names guards that all agents have, just as they are. */
import type { AgentEvent } from "../core/event.ts";
import type { Hook } from "../core/hook.ts";
import type { JsonObject } from "../core/json.ts";
import { NO_OPINION, type Verdict } from "../core/verdict.ts";
import type { BuiltinHook, Machine } from "../hooks/builtin.ts";
import { presentMoment } from "./moment.ts";

type Judge = Hook["judge"];

/**
 * Built-in hooks see nothing but the event, their options and the machine. So of those with the same options one answers
 * for all, about the same event, and for a moment only.
 */
export class SameQuestions {
  readonly #machine: Machine;
  readonly #names: readonly string[];
  readonly #asked = new Map<string, Judge>();

  /** `names`: of all built-in hooks that there will be. */
  constructor(machine: Machine, names: readonly string[]) {
    this.#machine = machine;
    this.#names = names;
  }

  judgeOf({ name, judge }: BuiltinHook, options: JsonObject): Judge {
    const machine = this.#machine;
    const isAlone = this.#names.indexOf(name) === this.#names.lastIndexOf(name);
    if (isAlone) return (event, context) => judge(event, context, machine);
    const key = `${name} ${JSON.stringify(options)}`;
    const known = this.#asked.get(key);
    if (known) return known;
    const once = answeredOnce(judge, machine);
    this.#asked.set(key, once);
    return once;
  }
}

function answeredOnce(judge: BuiltinHook["judge"], machine: Machine): Judge {
  let last: AgentEvent | undefined;
  let moment: object | undefined;
  let verdict: Verdict | undefined;
  return (event, context) => {
    if (event === last && verdict !== undefined && moment === presentMoment()) return verdict;
    const said = judge(event, context, machine);
    if (said !== NO_OPINION && said instanceof Promise) return said;
    last = event;
    moment = presentMoment();
    verdict = said;
    return said;
  };
}
