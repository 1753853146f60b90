/** A model that says what it is told to: for tests, demos and proofs. */
import type { JsonObject } from "../core/json.ts";
import type { Model, ModelAnswer, ModelRequest } from "./model.ts";

/** One answer: words, tool calls, or both; or a function of what the model was shown. */
export type ScriptedStep =
  | string
  | { readonly text?: string; readonly calls?: readonly ScriptedCall[] }
  | ((request: ModelRequest) => ScriptedStep | Promise<ScriptedStep>);

export interface ScriptedCall {
  readonly name: string;
  readonly input: JsonObject;
  readonly id?: string;
}

export interface ScriptedModel extends Model {
  /** What it was shown, step by step. */
  readonly requests: readonly ModelRequest[];
}

export function scriptedModel(steps: readonly ScriptedStep[], id = "scripted"): ScriptedModel {
  const requests: ModelRequest[] = [];
  const left = [...steps];
  let calls = 0;
  return {
    id,
    requests,
    async answer(request) {
      requests.push({ ...request, messages: [...request.messages] });
      const step = left.shift();
      if (step === undefined) throw new Error(`the script has ended after ${steps.length} steps, the turn has not`);
      return answerOf(await resolved(step, request), () => `call-${++calls}`);
    },
  };
}

async function resolved(step: ScriptedStep, request: ModelRequest): Promise<Exclude<ScriptedStep, () => unknown>> {
  return typeof step === "function" ? resolved(await step(request), request) : step;
}

function answerOf(step: Exclude<ScriptedStep, () => unknown>, nextId: () => string): ModelAnswer {
  if (typeof step === "string") return { text: step, calls: [] };
  if (typeof step === "function") throw new Error("a step that is a function was not resolved");
  const { text = "", calls = [] } = step;
  return { text, calls: calls.map(({ id, ...call }) => ({ ...call, id: id ?? nextId() })) };
}
