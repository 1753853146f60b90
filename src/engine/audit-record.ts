import type { Plan } from "../config/plan.ts";
import type { TraceStep } from "../core/decision.ts";
import type { Effect } from "../core/effect.ts";
import { MAX_DEPTH, redactJson } from "../core/redact.ts";
import type { ToolCall } from "../core/tool.ts";
import { connectorOf } from "../hooks/tool-glob.ts";
import { deliver } from "../hosts/delivery.ts";
import type { Outcome, Support } from "../hosts/host.ts";
import { READY_FIELDS } from "../records/chain.ts";
import { callDigest } from "./call-digest.ts";
import { QuietHooks } from "./quiet-hooks.ts";

/** Longer texts keep their beginning and say how long they were. */
export const MAX_TEXT_CHARACTERS = 4_000;
/** Well below what a journal takes in one line. */
const MAX_PART_CHARACTERS = 500_000;

/**
 * One line of the audit: the event, the decision and how it came about. The event can be judged again from it, prompts
 * apart. `support`: of the host that was answered, which may have been told something else.
 */
export function auditRecord(outcome: Outcome, plan: Pick<Plan, "digest">, support?: Support): AuditRecord {
  const { event, decision } = outcome;
  const { at: timestamp, id, host, session, agent } = event;
  // Field by field: a literal with parts that may be missing is slow to make, and this is done for every call.
  const record: AuditRecord = { timestamp, id, host, session, agent };
  if (event.user !== undefined) record.user = event.user;
  if (event.organisation !== undefined) record.organisation = event.organisation;
  record.event = event.name;
  if ("tool" in event) addTool(record, event.tool);
  if (event.name === "post_tool_use") {
    record.failed = event.failed;
    record.duration_ms = event.durationMs;
  }
  record.decision = decision.kind;
  const delivered = support ? deliver(outcome, support).kind : decision.kind;
  if (delivered !== decision.kind) record.delivered = delivered;
  record.reasons = shortened(decision.reasons);
  if (decision.rewrite !== undefined) record.rewrite = shortened(decision.rewrite);
  if (decision.context.length > 0) record.context = shortened(decision.context);
  addHeard(record, decision);
  // A question stops a call too, where nobody is there to answer it.
  if (decision.kind === "block" || decision.kind === "ask") record.call = callDigest(event);
  addNotes(record, decision);
  record.input = inputOf(event, decision.kind);
  record.plan = plan.digest;
  return record;
}

interface AuditRecord extends Record<string, unknown> {
  readonly id: string;
  [READY_FIELDS]?: string;
}

/** What people say to their agent is theirs: a prompt is kept only where a hook stopped it. */
function inputOf(event: Outcome["event"], decision: Outcome["decision"]["kind"]): unknown {
  if (event.name !== "user_prompt_submit" || decision === "block" || decision === "ask") return shortened(event);
  return `(a prompt of ${event.prompt.length} characters, which is not kept)`;
}

/**
 * Hooks that said something, whole; of those that had nothing to say how long they took; of those that were not asked
 * their names: why not, `holdfast explain` says. A rule book of hundreds would make every line long.
 */
function addHeard(record: AuditRecord, { trace }: Outcome["decision"]): void {
  const hooks: TraceStep[] = [];
  const quiet = new QuietHooks();
  const notAsked: string[] = [];
  for (const step of trace) {
    if (step.skipped !== undefined) notAsked.push(step.hook);
    else if (isQuiet(step)) quiet.add(step.hook, step.ms);
    else hooks.push(withoutLedger(step));
  }
  record.hooks = shortened(hooks);
  record[READY_FIELDS] = `"quiet":${quiet.json()}`;
  if (notAsked.length > 0) record.not_asked = notAsked;
}

const isQuiet = (step: TraceStep) =>
  step.opinion?.kind === "none" &&
  step.rewrite === undefined &&
  step.context === undefined &&
  step.failure === undefined &&
  step.observed === undefined &&
  step.askedAgain === undefined &&
  (step.effects === undefined || step.effects.every(isInLedger));

/** It has journals of its own. */
const isInLedger = ({ type }: Effect) => type === "ledger" || type === "modified-file";

function withoutLedger(step: TraceStep): TraceStep {
  const { effects, ...rest } = step;
  const told = effects?.filter((effect) => !isInLedger(effect)) ?? [];
  return told.length > 0 ? { ...rest, effects: told } : rest;
}

function addTool(record: AuditRecord, tool: ToolCall): void {
  const connector = connectorOf(tool);
  record.tool = tool.name;
  record.tool_kind = tool.kind;
  if (tool.id !== undefined) record.tool_use_id = tool.id;
  if (connector !== undefined) record.connector = connector;
}

/** What bent the rules for this decision: a pause, a one-time pass, an observed rule. */
function addNotes(record: AuditRecord, { effects }: Outcome["decision"]): void {
  if (effects.length === 0) return;
  const notes = effects.flatMap((effect) => (effect.type === "note" ? [effect.data] : []));
  if (notes.length > 0) record.notes = shortened(notes);
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
