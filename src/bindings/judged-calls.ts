/**
 * What hooks said of calls when an SDK asked whether they need approval, kept until it runs them. Not every model gives
 * each call an id of its own, and two runs may share a guard: so it counts for the same tool, input and turn only.
 */
import { type JsonObject, sameJson } from "../core/json.ts";
import type { JudgedCall } from "../embed/tool-call.ts";

interface Call {
  readonly name: string;
  readonly id: string;
  /** As the model wrote it. */
  readonly input: JsonObject;
  readonly turn: string;
}

export class JudgedCalls {
  readonly #kept = new Map<string, { readonly call: Call; readonly judged: JudgedCall }>();

  keep(call: Call, judged: JudgedCall): void {
    this.#kept.set(keyOf(call), { call, judged });
  }

  /** Once: a call that is made again is judged again. */
  take(call: Call): JudgedCall | undefined {
    const kept = this.#kept.get(keyOf(call));
    this.#kept.delete(keyOf(call));
    const isOfThisCall = kept?.call.turn === call.turn && sameJson(kept.call.input, call.input);
    return isOfThisCall ? kept.judged : undefined;
  }
}

const keyOf = ({ name, id }: Call): string => JSON.stringify([name, id]);
