/** The rules as people have bent them for now: a pause, a pass for one call, an approval. All are recorded. */
import type { Effect } from "../core/effect.ts";
import type { Hook } from "../core/hook.ts";
import type { Native, Outcome } from "../hosts/host.ts";
import { isApprovals, needsApproval } from "./asked-approvals.ts";
import { type JudgeOptions, type JudgingHost, judgeNative } from "./judge.ts";
import { loadApprovalGate, loadSessionApprovals } from "./lazy.ts";
import { forgetAnalyses } from "./machine.ts";
import { hooksUnderPass, mayPass, usePass } from "./one-time-pass.ts";
import { openPause, pausedHooks } from "./pause.ts";
import type { ReadyEngine } from "./ready.ts";

export async function judgeUnderRules(
  host: JudgingHost,
  native: Native,
  engine: ReadyEngine,
  options: JudgeOptions,
): Promise<Outcome[]> {
  const [first] = native.events;
  const pause = first && openPause(engine.plan.root, engine.places, new Date(first.at));
  const hooks = pause ? pausedHooks(engine.hooks) : engine.hooks;
  const judge = (by: readonly Hook[]) => judgeNative(host, native, by, options);
  const outcomes = await judge(hooks);
  if (first?.name === "session_end" && hooks.some(isApprovals)) return withoutQuestions(outcomes, engine);
  const stopped = outcomes.find(({ decision }) => decision.kind === "block" || decision.kind === "ask");
  const bendable = stopped?.decision.reasons.every(({ rule }) => mayPass(rule));
  const { isAwaited = () => true } = options;
  const pass = stopped && bendable ? await usePass(stopped.event, engine.places, isAwaited) : undefined;
  if (!pass || !stopped) {
    const approved = await approvedOf(outcomes, hooks, judge, engine, options);
    return pause ? approved.map((outcome) => noted(outcome, { paused: pause.until })) : approved;
  }
  const passing = hooksUnderPass(engine.hooks, stopped);
  const passed = await approvedOf(await judge(passing), passing, judge, engine, options);
  return passed.map((outcome) =>
    noted(outcome, {
      allowedOnce: pass.digest,
      grantedAt: pass.grantedAt,
      otherwise: stopped.decision.reasons[0]?.text ?? "",
    }),
  );
}

async function approvedOf(
  outcomes: Outcome[],
  hooks: readonly Hook[],
  again: (hooks: readonly Hook[]) => Promise<Outcome[]>,
  { places, desk }: ReadyEngine,
  { abort, onAwaiting, hold = true, isAwaited = () => true }: JudgeOptions,
): Promise<Outcome[]> {
  if (!needsApproval(outcomes, hooks)) return outcomes;
  const { throughApprovals } = await loadApprovalGate();
  const { homeDir } = places;
  const { signal } = abort;
  // What was on the disk before people were asked may not be there any more.
  const anew = (by: readonly Hook[]) => {
    forgetAnalyses();
    return again(by);
  };
  const gate = { hooks, homeDir, desk, signal, hold, again: anew, isAwaited };
  return throughApprovals(outcomes, { ...gate, ...(onAwaiting ? { onAwaiting } : {}) });
}

/** Nobody answers for a session that is over. */
async function withoutQuestions(outcomes: Outcome[], { desk }: ReadyEngine): Promise<Outcome[]> {
  const [first, ...rest] = outcomes;
  const problem = first && (await (await loadSessionApprovals()).withdrawPending(first.event, desk));
  if (!first || problem === undefined) return outcomes;
  const notice = { event_name: first.event.name, message: problem, is_error: true, code: "approvals", hook: null };
  const { event, decision } = first;
  return [{ event, decision: { ...decision, effects: [...decision.effects, { type: "notice", notice }] } }, ...rest];
}

export function noted({ event, decision }: Outcome, data: Record<string, string>): Outcome {
  const note: Effect = { type: "note", data };
  return { event, decision: { ...decision, effects: [...decision.effects, note] } };
}
