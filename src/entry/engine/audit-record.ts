import type { Plan } from "../../config/plan.ts";
import type { Json } from "../../core/json.ts";
import { redact } from "../../core/redact.ts";
import type { Outcome } from "../../hosts/host.ts";
import { callDigest } from "./call-digest.ts";

const MAX_TEXT_CHARACTERS = 4_000;
/** Well below what a journal takes in one line. */
const MAX_PART_CHARACTERS = 500_000;

/** One line of the audit: the event, the decision and how it came about. The event can be judged again from it. */
export function auditRecord({ event, decision }: Outcome, plan: Pick<Plan, "digest">) {
  return {
    timestamp: event.at,
    id: event.id,
    host: event.host,
    session: event.session,
    agent: event.agent,
    event: event.name,
    ...("tool" in event ? { tool: event.tool.name, tool_kind: event.tool.kind } : {}),
    decision: decision.kind,
    reasons: shortened(decision.reasons),
    ...(decision.rewrite !== undefined ? { rewrite: shortened(decision.rewrite) } : {}),
    ...(decision.context.length > 0 ? { context: shortened(decision.context) } : {}),
    hooks: shortened(decision.trace),
    ...(decision.kind === "block" ? { call: callDigest(event) } : {}),
    ...notesOf(decision),
    input: shortened(event),
    plan: plan.digest,
  };
}

/** What bent the rules for this decision: a pause, a one-time pass, an observed rule. */
function notesOf({ effects }: Outcome["decision"]) {
  const notes = effects.flatMap((effect) => (effect.type === "note" ? [effect.data] : []));
  return notes.length > 0 ? { notes: shortened(notes) } : {};
}

/** Long texts keep their beginning and say how long they were; what is still too long is left out, and says so. */
function shortened(value: unknown): Json {
  const text = JSON.stringify(value, (_key, item: unknown) => (typeof item === "string" ? cut(item) : item));
  return text.length > MAX_PART_CHARACTERS ? `(${text.length} characters left out)` : (JSON.parse(text) as Json);
}

/** Redacted before it is cut: half a secret no longer looks like one. */
const cut = (text: string) =>
  text.length <= MAX_TEXT_CHARACTERS
    ? text
    : `${redact(text.slice(0, 2 * MAX_TEXT_CHARACTERS)).slice(0, MAX_TEXT_CHARACTERS)}… (${text.length} characters)`;
