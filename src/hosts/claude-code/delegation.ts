/** In Claude Code a delegation is a tool call: what hooks make of the one has to be written into the other. */
import type { AgentEvent, EventOf } from "../../core/event.ts";
import { isJsonObject, type JsonObject, sameJson } from "../../core/json.ts";
import { contextText, withContext } from "../answer-text.ts";
import type { Native, Outcome } from "../host.ts";
import { textOr } from "../payload.ts";
import { delegationOf } from "./parse.ts";
import { tools } from "./tools.ts";

export function current(native: Native, outcomes: readonly Outcome[]): readonly AgentEvent[] {
  const input = inputThatRuns(native, outcomes);
  return native.events.map((event) => {
    if (event.name === "pre_tool_use") return { ...event, tool: tools.read(event.tool.name, input, event.tool.id) };
    if (event.name !== "pre_delegation") return event;
    const decided = finalOf(outcomes, "pre_delegation");
    return decided ?? { ...event, ...delegationOf(input) };
  });
}

/** The tool's input after every outcome: rewritten as a call, then as a delegation. */
export function inputThatRuns(native: Native, outcomes: readonly Outcome[]): JsonObject {
  const sent = isJsonObject(native.payload.tool_input) ? native.payload.tool_input : {};
  const input = finalOf(outcomes, "pre_tool_use")?.tool.input ?? sent;
  const before = outcomes.find(({ event }) => event.name === "pre_delegation");
  const after = finalOf(outcomes, "pre_delegation");
  if (before?.event.name !== "pre_delegation" || !after) return input;
  const { event, decision } = before;
  const retargeted = after.targetAgentId === event.targetAgentId ? {} : { subagent_type: after.targetAgentId };
  const asked = sameJson(requestOf(event), requestOf(after)) ? undefined : requestText(after);
  if (asked === undefined && decision.context.length === 0) return { ...input, ...retargeted };
  const prompt = asked ?? textOr(input.prompt, after.objective);
  return { ...input, ...retargeted, prompt: addedOnce(prompt, decision.context) };
}

type Delegation = EventOf<"pre_delegation">;

const requestOf = ({ objective, context, constraints, expectedOutput }: Delegation) => ({
  objective,
  context,
  constraints,
  expectedOutput,
});

/** Claude Code's sub-agents read one text. */
function requestText({ objective, context, constraints, expectedOutput }: Delegation): string {
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
