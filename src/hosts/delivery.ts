/** The support table applied: what of a decision reaches the host, and as what (law 8: never silently weaker). */
import type { ToldContext } from "../core/context.ts";
import type { Reason } from "../core/decision.ts";
import { type AgentEvent, type Answer, type EventName, eventRow } from "../core/event.ts";
import { type Json, sameJson } from "../core/json.ts";
import { type Opinion, STRENGTH } from "../core/verdict.ts";
import { insteadText } from "./answer-text.ts";
import { type Delivery, type Outcome, type Support, type SupportRow, supportRows } from "./host.ts";

export interface Delivered {
  readonly event: AgentEvent;
  readonly final: AgentEvent;
  readonly kind: Opinion["kind"];
  readonly reasons: readonly Reason[];
  /** What a degraded answer adds: why it is stronger than asked for, and what to do instead. */
  readonly instructions: readonly string[];
  readonly context: readonly ToldContext[];
  /** Present where what runs or is shown differs from what the host sent. */
  readonly rewrite?: Json;
  readonly undelivered: readonly string[];
}

export function deliver({ event, decision }: Outcome, support: Support): Delivered {
  const { final, kind, reasons, context, rewrite } = decision;
  const rewritten = rewrite !== undefined && !sameJson(rewritable(event), rewritable(final));
  const said: Delivered = { event, final, kind, reasons, instructions: [], context, undelivered: [] };
  if (kind === "none" && !rewritten && context.length === 0) return said;
  const plain: Delivered = rewritten ? { ...said, rewrite } : said;
  const row = support[event.name] as SupportRow | undefined;
  const wanted: readonly Answer[] = [
    ...(kind === "none" ? [] : [kind]),
    ...(rewritten ? (["rewrite"] as const) : []),
    ...(context.length > 0 ? (["context"] as const) : []),
  ];
  return wanted.reduce((answer, name) => degrade(answer, name, deliveryOf(row, event.name, name)), plain);
}

const NOTHING_SAID = { kind: "none", reasons: [], instructions: [] } as const;

/** The strongest of several answers, with the reasons of all that share it. */
export function strongest(answers: readonly Delivered[]): Pick<Delivered, "kind" | "reasons" | "instructions"> {
  const kind = answers.reduce<Opinion["kind"]>((top, answer) => stronger(top, answer.kind), "none");
  if (kind === "none") return NOTHING_SAID;
  const winners = answers.filter((answer) => answer.kind === kind);
  return {
    kind,
    reasons: winners.flatMap(({ reasons }) => reasons),
    instructions: winners.flatMap(({ instructions }) => instructions),
  };
}

/**
 * Whether our own failure must stop the host: where the event guards and the host can be stopped, and where the event
 * cannot be made out. `spell` brings names into one spelling, where a host has several.
 */
export function failsClosed(
  { support, passed, spell = (name) => name }: FailureTable,
  native: string | undefined,
): boolean {
  if (native === undefined) return true;
  const rows = supportRows(support).filter((row) => row.native.some((name) => spell(name) === spell(native)));
  if (rows.length === 0) return !passed.includes(spell(native));
  return rows.some(({ event, answers }) => eventRow(event).guards && reaches(answers.block));
}

export interface FailureTable {
  readonly support: Support;
  /** Native events that are nothing for hooks. */
  readonly passed: readonly string[];
  readonly spell?: (name: string) => string;
}

const reaches = (delivery: Delivery | undefined) =>
  delivery === "native" || (delivery !== undefined && "partly" in delivery);

/** The text declared for what a host cannot take, where it takes the answer only in part. */
export function shortfall(support: Support, event: EventName, answer: Answer): string {
  const delivery = deliveryOf(support[event] as SupportRow | undefined, event, answer);
  return typeof delivery === "object" && "partly" in delivery ? delivery.partly : `${answer} on ${event}`;
}

function deliveryOf(row: SupportRow | undefined, event: EventName, answer: Answer): Delivery {
  return row?.answers[answer] ?? { undelivered: `this host cannot be told "${answer}" on ${event}` };
}

function degrade(answer: Delivered, name: Answer, delivery: Delivery): Delivered {
  if (delivery === "native" || "partly" in delivery) return answer;
  if ("undelivered" in delivery) {
    return { ...without(answer, name), undelivered: [...answer.undelivered, delivery.undelivered] };
  }
  return delivery.becomes === "none" ? without(answer, name) : asBlock(answer, name, delivery.how);
}

function without(answer: Delivered, name: Answer): Delivered {
  if (name === "context") return { ...answer, context: [] };
  const { rewrite: _dropped, ...rest } = answer;
  return name === "rewrite" ? rest : { ...answer, kind: "none", reasons: [] };
}

function asBlock(answer: Delivered, name: Answer, how: string): Delivered {
  if (name !== "rewrite") return { ...answer, kind: "block", instructions: [...answer.instructions, how] };
  const { rewrite: _dropped, ...rest } = answer;
  // What a hook blocks outright needs no advice on how else to call it.
  if (answer.kind === "block" && answer.instructions.length === 0) return rest;
  const reasons = answer.kind === "block" ? answer.reasons : [{ hook: "holdfast", text: how }];
  return { ...rest, kind: "block", reasons, instructions: [...answer.instructions, insteadText(answer.final)] };
}

const stronger = (left: Opinion["kind"], right: Opinion["kind"]) =>
  STRENGTH.indexOf(right) > STRENGTH.indexOf(left) ? right : left;

/** The part of an event that a rewrite changes. */
function rewritable(event: AgentEvent): Json {
  if (event.name === "post_tool_use") return event.response;
  if (event.name === "pre_delegation") {
    const { targetAgentId, objective, context, constraints, expectedOutput } = event;
    return { targetAgentId, objective, context, constraints, expectedOutput };
  }
  return "tool" in event ? event.tool.input : null;
}
