import type { Plan } from "../config/plan.ts";
import { MAX_DEPTH, redactJson } from "../core/redact.ts";
import type { Outcome } from "../hosts/host.ts";
import { callDigest } from "./call-digest.ts";

/** Longer texts keep their beginning and say how long they were. */
export const MAX_TEXT_CHARACTERS = 4_000;
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
    hooks: shortened(decision.trace.filter(({ skipped }) => skipped === undefined)),
    ...notAskedIn(decision),
    ...(decision.kind === "block" ? { call: callDigest(event) } : {}),
    ...notesOf(decision),
    input: shortened(event),
    plan: plan.digest,
  };
}

/** By name alone: why, `holdfast explain` says, and a rule book of hundreds would make every line long. */
function notAskedIn({ trace }: Outcome["decision"]) {
  const names = trace.flatMap(({ hook, skipped }) => (skipped === undefined ? [] : [hook]));
  return names.length > 0 ? { not_asked: names } : {};
}

/** What bent the rules for this decision: a pause, a one-time pass, an observed rule. */
function notesOf({ effects }: Outcome["decision"]) {
  const notes = effects.flatMap((effect) => (effect.type === "note" ? [effect.data] : []));
  return notes.length > 0 ? { notes: shortened(notes) } : {};
}

/** What would be too long, even with its texts cut as the journal cuts them, is left out, and says so. */
function shortened(value: unknown): unknown {
  if (mostCharacters(value, 0) <= MAX_PART_CHARACTERS) return value;
  const { length } = JSON.stringify(redactJson(value, MAX_TEXT_CHARACTERS));
  return length > MAX_PART_CHARACTERS ? `(${length} characters left out)` : value;
}

/** At least as many as its JSON can have, found without making it. */
function mostCharacters(value: unknown, depth: number): number {
  if (typeof value === "string") return 2 + MOST_ESCAPED * Math.min(value.length, 2 * MAX_TEXT_CHARACTERS);
  if (typeof value !== "object" || value === null) return LONGEST_SCALAR;
  if (depth > MAX_DEPTH) return MAX_PART_CHARACTERS;
  let sum = LONGEST_SCALAR;
  for (const key in value)
    sum += MOST_ESCAPED * key.length + 4 + mostCharacters((value as Record<string, unknown>)[key], depth + 1);
  return sum;
}

/** `\u0000` */
const MOST_ESCAPED = 6;
const LONGEST_SCALAR = 32;
