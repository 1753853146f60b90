/** Where a delegation is a tool call: what hooks make of the one has to be written into the other. */
import type { AgentEvent, EventOf } from "../core/event.ts";
import { isJsonObject, type Json, type JsonObject, sameJson } from "../core/json.ts";
import { contextText, withContext } from "./answer-text.ts";
import type { Native, Outcome } from "./host.ts";
import { filledOr, textOr } from "./payload.ts";
import type { Vocabulary } from "./tool-vocabulary.ts";

/** The tools whose call is a request to a sub-agent, and where the request stands in their input. */
export interface DelegatingTools {
  readonly names: readonly string[];
  requestOf(input: JsonObject): Request;
  /** The field that names the sub-agent; undefined: the host offers no choice. */
  readonly target?: string;
  /** The field with the one text the sub-agent reads. */
  readonly prompt: string;
}

export type Request = Pick<
  EventOf<"pre_delegation">,
  "targetAgentId" | "objective" | "context" | "constraints" | "expectedOutput"
>;

export interface DelegatingFields {
  readonly names: readonly string[];
  readonly target?: string;
  readonly prompt: string;
  /** Taken as the objective where the prompt is empty. */
  readonly title?: string;
  /** The sub-agent that the host takes where the call names none. */
  readonly defaultAgent: string;
}

export function delegatingTools({ names, target, prompt, title, defaultAgent }: DelegatingFields): DelegatingTools {
  return {
    names,
    prompt,
    ...(target === undefined ? {} : { target }),
    requestOf: (input) => ({
      targetAgentId: target === undefined ? defaultAgent : filledOr(input[target], defaultAgent),
      objective: filledOr(input[prompt], title === undefined ? "" : textOr(input[title], "")),
      context: null,
      constraints: null,
      expectedOutput: null,
    }),
  };
}

export interface DelegationCodec {
  /** As in Codec. */
  current(native: Native, outcomes: readonly Outcome[]): readonly AgentEvent[];
  /** The tool's input after every outcome: rewritten as a call, then as a delegation. */
  inputThatRuns(native: Native, outcomes: readonly Outcome[]): JsonObject;
}

/** `inputOf`: where a payload holds the tool's input. */
export function delegationCodec(
  delegating: DelegatingTools,
  tools: Vocabulary,
  inputOf: (payload: JsonObject) => Json | undefined,
): DelegationCodec {
  function inputThatRuns(native: Native, outcomes: readonly Outcome[]): JsonObject {
    const given = inputOf(native.payload);
    const input = finalOf(outcomes, "pre_tool_use")?.tool.input ?? (isJsonObject(given) ? given : {});
    const before = outcomes.find(({ event }) => event.name === "pre_delegation");
    const after = finalOf(outcomes, "pre_delegation");
    if (before?.event.name !== "pre_delegation" || !after) return input;
    const { event, decision } = before;
    const { target, prompt } = delegating;
    const moved = target !== undefined && after.targetAgentId !== event.targetAgentId;
    const retargeted = moved ? { [target]: after.targetAgentId } : {};
    const asked = sameJson(requestOf(event), requestOf(after)) ? undefined : requestText(after);
    if (asked === undefined && decision.context.length === 0) return { ...input, ...retargeted };
    const text = asked ?? textOr(input[prompt], after.objective);
    return { ...input, ...retargeted, [prompt]: addedOnce(text, decision.context) };
  }

  function current(native: Native, outcomes: readonly Outcome[]): readonly AgentEvent[] {
    if (outcomes.length === 0) return native.events;
    const input = inputThatRuns(native, outcomes);
    return native.events.map((event) => {
      if (event.name === "pre_tool_use") return { ...event, tool: tools.read(event.tool.name, input, event.tool.id) };
      if (event.name !== "pre_delegation") return event;
      const decided = finalOf(outcomes, "pre_delegation");
      return decided ?? { ...event, ...delegating.requestOf(input) };
    });
  }

  return { current, inputThatRuns };
}

const requestOf = ({ objective, context, constraints, expectedOutput }: Request) => ({
  objective,
  context,
  constraints,
  expectedOutput,
});

/** Sub-agents of a host read one text. */
function requestText({ objective, context, constraints, expectedOutput }: Request): string {
  const parts = [
    ["Context", context],
    ["Constraints", constraints],
    ["Expected output", expectedOutput],
  ].flatMap(([title, text]) => (text ? [`${title}:\n${text}`] : []));
  return [objective, ...parts].join("\n\n");
}

/** A call that was judged again already carries the context. */
function addedOnce(prompt: string, context: Outcome["decision"]["context"]): string {
  return context.length > 0 && prompt.endsWith(contextText(context)) ? prompt : withContext(prompt, context);
}

function finalOf<N extends AgentEvent["name"]>(outcomes: readonly Outcome[], name: N): EventOf<N> | undefined {
  const found = outcomes.find(({ event }) => event.name === name);
  return found?.decision.final as EventOf<N> | undefined;
}
