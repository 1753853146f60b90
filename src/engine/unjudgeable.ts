/** Calls that no hook can judge, whatever the rules and whoever bent them: a shell that is to run what is no text. */
import type { Decision } from "../core/decision.ts";
import { type AgentEvent, hasTool } from "../core/event.ts";

export const UNJUDGEABLE = "input/no-command";

/** The block; undefined: hooks are asked. What has run already is only looked at. */
export function unjudgeable(event: AgentEvent): Decision | undefined {
  if (event.name !== "pre_tool_use" && event.name !== "permission_request") return undefined;
  if (!hasTool(event) || event.tool.kind !== "shell" || event.tool.unreadable !== true) return undefined;
  const { name } = event.tool;
  const text = `${name} was called without a command that is a text, so nobody can judge what it would run.\nDo instead: call ${name} with the whole command as one text.`;
  return {
    event: event.name,
    kind: "block",
    reasons: [{ hook: "holdfast", rule: UNJUDGEABLE, text }],
    final: event,
    context: [],
    effects: [],
    mutate: [],
    trace: [],
  };
}
