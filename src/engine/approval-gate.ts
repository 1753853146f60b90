/**
 * An ask of `approvals:` made into an answer: people are asked about the final call, and it runs after their yes, or is
 * blocked with what they said. Whatever goes wrong here blocks.
 */
import { setMaxListeners } from "node:events";
import { userInfo } from "node:os";
import { type Approval, PERSONAL, type Policy, type Status } from "../approvals/approval.ts";
import { deedInWords } from "../approvals/deed.ts";
import { type Desk, DeskRefusal, type DeskRequest } from "../approvals/desk.ts";
import { withInitiator } from "../approvals/initiator.ts";
import { sha256 } from "../config/places.ts";
import type { ApprovalRule } from "../core/approval-rule.ts";
import { APPROVALS_PREFIX } from "../core/approval-rule.ts";
import type { Effect } from "../core/effect.ts";
import { HoldfastError } from "../core/errors.ts";
import type { EventOf } from "../core/event.ts";
import type { Hook } from "../core/hook.ts";
import { canonicalJson, type JsonObject } from "../core/json.ts";
import { redact, redactJson } from "../core/redact.ts";
import { isPartOf, wholeSession } from "../core/session-tree.ts";
import { whatOf } from "../hooks/approvals.ts";
import type { Outcome } from "../hosts/host.ts";
import {
  changedReason,
  deniedBeforeReason,
  deniedReason,
  expiredReason,
  leftReason,
  pendingReason,
  shownOtherwiseReason,
  undeliveredReason,
  unreachableReason,
  usedReason,
  withdrawnReason,
} from "./approval-reasons.ts";
import { type AskedApproval, askedApprovals, isApprovals } from "./asked-approvals.ts";
import { awaitingConfirmation, type OnAwaiting } from "./awaiting-confirmation.ts";
import { callDigest } from "./call-digest.ts";
import { deedsOfCall } from "./deeds-of-call.ts";
import type { IsAwaited } from "./judge.ts";
import { isLike } from "./likeness.ts";
import { decidersOf, putQuestion, ShownOtherwise } from "./put-question.ts";

export interface ApprovalGate {
  readonly hooks: readonly Hook[];
  readonly homeDir: string;
  readonly signal: AbortSignal;
  readonly onAwaiting?: OnAwaiting;
  /** Whether the call is held while people decide. */
  readonly hold: boolean;
  readonly isAwaited: IsAwaited;
  desk(): Promise<Desk>;
  /** Judges the same payload by other hooks. */
  again(hooks: readonly Hook[]): Promise<Outcome[]>;
}

type Call = EventOf<"pre_tool_use">;

export async function throughApprovals(outcomes: readonly Outcome[], gate: ApprovalGate): Promise<Outcome[]> {
  const at = outcomes.findIndex(({ decision }) => askedApprovals(decision, gate.hooks).length > 0);
  const stopped = outcomes[at];
  if (!stopped) return [...outcomes];
  const asked = askedApprovals(stopped.decision, gate.hooks);
  const call = stopped.decision.final as Call;
  const blocked = (refusal: Refusal, by = asked[0]) =>
    outcomes.map((outcome, index) => (index === at ? blockedBy(outcome, by, refusal) : outcome));
  try {
    const desk = await gate.desk();
    const answer = await decisionOf(call, asked, desk, gate);
    if (answer.kind === "refused") return blocked(answer, answer.by);
    // Time has passed: all others judge once more, and what they leave must still be what people said yes to.
    const again = await gate.again(hooksAfter(gate.hooks));
    const runs = again[at]?.decision.final;
    if (again.some(({ decision }) => decision.kind === "block")) return again;
    if (!runs || callDigest(runs) !== callDigest(call))
      return blocked({ text: changedReason(whatOf(call)), note: { approval: "changed" } });
    // A yes that is used for nobody is lost to the call that is repeated.
    if (!(await gate.isAwaited())) return blocked({ text: leftReason(whatOf(call)), note: { approval: "left" } });
    const taken = await take(call, answer.asked, desk);
    if (taken.kind === "refused") return blocked(taken);
    return again.map((outcome, index) => (index === at ? noted(outcome, taken.approvals) : outcome));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    const step = error instanceof HoldfastError ? error.place.hint : undefined;
    const note = { approval: "unreachable", problem };
    return blocked({ text: unreachableReason(whatOf(call), problem, step), note, failure: problem });
  }
}

interface Refusal {
  readonly text: string;
  readonly note: Readonly<Record<string, string>>;
  readonly by?: AskedApproval;
  /** Nobody said no: something does not work, and a person has to know of it. */
  readonly failure?: string;
}

type Refused = { readonly kind: "refused" } & Refusal;

/** What people were asked about this call: only a yes to that is taken, whatever is heard of it meanwhile. */
interface AskedOfPeople {
  readonly id: string;
  readonly digest: string;
}

type Answer = { readonly kind: "approved"; readonly asked: readonly AskedOfPeople[] } | Refused;

async function decisionOf(
  call: Call,
  asked: readonly AskedApproval[],
  desk: Desk,
  gate: ApprovalGate,
): Promise<Answer> {
  const what = whatOf(call);
  const organisation = call.organisation ?? PERSONAL;
  const before = await deniedBefore(call, organisation, desk);
  if (before)
    return {
      kind: "refused",
      text: deniedBeforeReason(what, before),
      note: { approval: before.id, status: before.status },
    };
  const open: { readonly one: AskedApproval; readonly approval: Approval; readonly digest: string }[] = [];
  // All at once: whoever is asked first does not hold up who is asked second.
  for (const one of asked) {
    try {
      const request = requestOf(call, organisation, one, gate.homeDir);
      open.push({ one, approval: await putQuestion(desk, request), digest: request.digest });
    } catch (error) {
      const isOtherwise = error instanceof ShownOtherwise;
      if (!isOtherwise && !(error instanceof DeskRefusal)) throw error;
      const own = open.filter(({ approval }) => approval.call.eventId === call.id);
      for (const { approval } of own) await desk.withdraw(approval.id, error.message, null);
      const failure = error.message;
      if (!isOtherwise)
        return { kind: "refused", text: unreachableReason(what, failure, NO_WAY), note: {}, by: one, failure };
      const note = { approval: error.approval, problem: failure };
      return { kind: "refused", text: shownOtherwiseReason(what, error.approval), note, by: one, failure };
    }
  }
  return withLimit(gate.signal, null, async (signal, end) => {
    const settled = await Promise.all(
      open.map(async ({ one, approval }) => {
        const found = await settledOf(call, one.rule, approval, desk, { ...gate, signal });
        // One no is enough: nobody waits for the others' yes.
        if ("text" in found) end();
        return { one, found };
      }),
    );
    const refusals = settled.flatMap(({ one, found }) => ("text" in found ? [{ ...found, by: one }] : []));
    const refusal = refusals.find(({ note }) => note.status !== "pending") ?? refusals[0];
    if (refusal) return { kind: "refused", ...refusal };
    return { kind: "approved", asked: open.map(({ approval, digest }) => ({ id: approval.id, digest })) };
  });
}

const NO_WAY = "mend the channel, or change the rule's mode to auto";

/** A refusal is enforced: for the rest of the session, whichever agent of it was refused. */
async function deniedBefore(call: Call, organisation: string, desk: Desk): Promise<Approval | undefined> {
  const { tool, cwd, session } = call;
  const later = { tool: tool.name, kind: tool.kind, input: shownInput(tool.input), cwd };
  const whole = wholeSession(session);
  const denials = await desk.denials(organisation, whole);
  return denials.find(({ call: denied }) => isPartOf(denied.session, whole) && isLike(later, denied));
}

/** How long a channel may take to be reached where the rule wants it reached. */
const DELIVERY_MS = 10_000;

/** Until people have decided, or nobody can wait any longer. */
async function settledOf(
  call: Call,
  rule: ApprovalRule,
  approval: Approval,
  desk: Desk,
  gate: ApprovalGate,
): Promise<Approval | Refusal> {
  const what = whatOf(call);
  const say = (text: string, { id, status }: Approval): Refusal => ({ text, note: { approval: id, status } });
  if (approval.status === "pending") awaitingConfirmation(approval, rule, gate.onAwaiting);
  if (approval.status === "pending" && rule.mode === "channel") {
    const problem = await undelivered(approval, desk, gate.signal);
    if (problem !== undefined) {
      await desk.withdraw(approval.id, problem, null);
      return { ...say(undeliveredReason(what, approval, problem), approval), failure: problem };
    }
  }
  const found = await waited(approval, gate.hold ? rule.waitMs : 0, desk, gate.signal);
  if (!found) throw new Error(`approval ${approval.id} is gone`);
  if (found.status === "approved" || (found.status === "used" && found.usedBy === call.id)) return found;
  return say(WITHOUT_YES[found.status](what, found), found);
}

const WITHOUT_YES: Readonly<Record<Exclude<Status, "approved">, (what: string, approval: Approval) => string>> = {
  used: usedReason,
  denied: deniedReason,
  expired: expiredReason,
  withdrawn: withdrawnReason,
  pending: pendingReason,
};

async function waited(approval: Approval, waitMs: number | null, desk: Desk, signal: AbortSignal) {
  if (approval.status !== "pending" && approval.status !== "approved") return approval;
  return withLimit(signal, waitMs, (limit) => desk.until(approval.id, ({ status }) => status !== "pending", limit));
}

/** Why the card did not reach its channel; undefined: it did, or somebody decided meanwhile. */
async function undelivered(approval: Approval, desk: Desk, signal: AbortSignal): Promise<string | undefined> {
  const isOut = ({ status, delivery }: Approval) => status !== "pending" || delivery.state !== "waiting";
  const found = await withLimit(signal, DELIVERY_MS, (limit) => desk.until(approval.id, isOut, limit));
  if (found?.status !== "pending" || found.delivery.state === "delivered") return undefined;
  if (found.delivery.state === "failed") return found.delivery.detail || "the channel refused it";
  // The host's time was over first: the repeated call finds out.
  if (signal.aborted) return undefined;
  return `no server sent it to the channel within ${DELIVERY_MS / 1000} seconds (is holdfast serve running?)`;
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

async function withLimit<T>(
  signal: AbortSignal,
  ms: number | null,
  work: (limit: AbortSignal, end: () => void) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const end = () => limit.abort();
  const timer = ms === null ? undefined : setTimeout(end, Math.min(ms, LONGEST_TIMER_MS));
  // Many calls of one turn may wait under one signal.
  setMaxListeners(0, signal);
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  try {
    return await work(limit.signal, end);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  }
}

/** Takes every yes for this call. A yes that somebody else has taken is none. */
async function take(
  call: Call,
  asked: readonly AskedOfPeople[],
  desk: Desk,
): Promise<{ readonly kind: "taken"; readonly approvals: readonly Approval[] } | Refused> {
  const approvals: Approval[] = [];
  for (const { id, digest } of asked) {
    const outcome = await desk.use(id, { digest, eventId: call.id });
    if (outcome.kind === "done") {
      approvals.push(outcome.approval);
      continue;
    }
    const { approval, code, why } = outcome;
    const what = whatOf(call);
    const text =
      approval && approval.status !== "approved"
        ? WITHOUT_YES[approval.status](what, approval)
        : unreachableReason(what, why);
    return { kind: "refused", text, note: { approval: id, refused: code } };
  }
  return { kind: "taken", approvals };
}

/**
 * Without the rules that were answered. A built-in hook that asks wants a person to confirm the call: one has. What it
 * blocks stays blocked, and what hooks of people ask stays asked.
 */
const hooksAfter = (hooks: readonly Hook[]): Hook[] =>
  hooks.filter((hook) => !isApprovals(hook)).map((hook) => (hook.source === "builtin" ? confirmed(hook) : hook));

const confirmed = (hook: Hook): Hook => ({
  ...hook,
  async judge(event, context) {
    const verdict = await hook.judge(event, context);
    return verdict.opinion.kind === "ask" ? { ...verdict, opinion: { kind: "none" } } : verdict;
  },
});

function requestOf(call: Call, organisation: string, { rule, reason }: AskedApproval, homeDir: string): DeskRequest {
  const initiator = call.user ?? osUser();
  const { approvers, escalate } = rule;
  const policy: Policy = {
    approvers,
    expiresAfterMs: rule.expiresMs,
    remindEveryMs: rule.remindEveryMs,
    escalation: escalate,
  };
  const { tool } = call;
  const deeds = deedsOfCall(call, homeDir);
  return {
    organisation,
    // Whose yes it is belongs to it: with other approvers, a rule asks anew.
    digest: sha256(canonicalJson([callDigest(call) ?? "", organisation, decidersOf(withInitiator(policy, initiator))])),
    call: {
      eventId: call.id,
      host: call.host,
      session: call.session,
      turn: call.turn,
      agent: call.agent,
      initiator,
      cwd: call.cwd,
      tool: tool.name,
      kind: tool.kind,
      input: shownInput(tool.input),
      effects: deeds.map(deedInWords),
      deeds,
    },
    rule: `${APPROVALS_PREFIX}${rule.name}`,
    reason: redact(reason),
    policy,
    channel: rule.channel,
    mode: rule.mode,
  };
}

/** As every store and server gives it back: without what JSON has no word for. */
const shownInput = (input: JsonObject): JsonObject => JSON.parse(JSON.stringify(redactJson(input)));

/** Whom an agent on this machine acts for, where nobody says. */
export function osUser(): string {
  try {
    return userInfo().username;
  } catch {
    return "unknown";
  }
}

function blockedBy(
  { event, decision }: Outcome,
  by: AskedApproval | undefined,
  { text, note, failure }: Refusal,
): Outcome {
  const rule = by ? { rule: `${APPROVALS_PREFIX}${by.rule.name}` } : {};
  const hook = by?.hook ?? "approvals";
  const reasons = [{ hook, ...rule, text }];
  const effects: Effect[] = [...decision.effects, { type: "note", data: { ...note } }];
  if (failure !== undefined) {
    const message = `a call was blocked because nobody could be asked: ${failure}`;
    effects.push({
      type: "notice",
      notice: { event_name: event.name, message, is_error: true, code: "approvals", hook },
    });
  }
  return { event, decision: { ...decision, kind: "block", reasons, effects } };
}

function noted({ event, decision }: Outcome, approvals: readonly Approval[]): Outcome {
  const notes = approvals.map(({ id, votes }) => ({
    type: "note" as const,
    data: { approval: id, approvedBy: votes.filter(({ kind }) => kind === "approve").map(({ by }) => by) },
  }));
  return { event, decision: { ...decision, effects: [...decision.effects, ...notes] } };
}
