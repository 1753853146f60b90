import type { Plan } from "../../config/plan.ts";
import type { Json } from "../../core/json.ts";
import type { Outcome } from "../../hosts/host.ts";

const MAX_TEXT_CHARACTERS = 4_000;

/** One line of the audit: the event, the decision and how it came about. The event can be judged again from it. */
export function auditRecord({ event, decision }: Outcome, plan: Pick<Plan, "digest">) {
  const { tool: _tool, ...context } = event as typeof event & { tool?: unknown };
  return {
    timestamp: event.at,
    id: event.id,
    host: event.host,
    session: event.session,
    agent: event.agent,
    event: event.name,
    ...("tool" in event ? { tool: event.tool.name } : {}),
    decision: decision.kind,
    reasons: shortened(decision.reasons),
    ...(decision.rewrite !== undefined ? { rewrite: shortened(decision.rewrite) } : {}),
    ...(decision.context.length > 0 ? { context: shortened(decision.context) } : {}),
    hooks: shortened(decision.trace),
    ...notesOf(decision),
    input: shortened("tool" in event ? { ...context, tool: event.tool } : context),
    plan: plan.digest,
  };
}

/** What bent the rules for this decision: a pause, a one-time pass, an observed rule. */
function notesOf({ effects }: Outcome["decision"]) {
  const notes = effects.flatMap((effect) => (effect.type === "note" ? [effect.data] : []));
  return notes.length > 0 ? { notes: shortened(notes) } : {};
}

/** Long texts keep their beginning and say how long they were. */
function shortened(value: unknown): Json {
  return JSON.parse(
    JSON.stringify(value, (_key, item: unknown) =>
      typeof item === "string" && item.length > MAX_TEXT_CHARACTERS
        ? `${item.slice(0, MAX_TEXT_CHARACTERS)}… (${item.length} characters)`
        : item,
    ),
  ) as Json;
}
