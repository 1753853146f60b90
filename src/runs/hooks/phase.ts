/** One phase of a run: its hooks one after another, each seeing what the ones before it changed. */
import { type Decision, leadingReason, type TraceStep } from "../../core/decision.ts";
import type { AgentEvent } from "../../core/event.ts";
import type { Hook } from "../../core/hook.ts";
import type { AttemptResult } from "../backend.ts";
import type { Mutation } from "../mutation.ts";
import type { FrozenHook, HookAudit, Phase, Run } from "../run.ts";
import type { EditSource, Task } from "../task.ts";
import { applyMutation } from "./apply-mutation.ts";
import { askAboutFailure } from "./ask-about-failure.ts";
import { auditOf, auditOfUnasked } from "./audit.ts";
import type { OpenEngine, PhaseEngine, RunMachine, StageAttachments } from "./engine.ts";
import { hookOf } from "./frozen-hook.ts";
import { checkedMutation } from "./mutation-schema.ts";
import { EVENT_OF, type EventRequest, phaseEvent, promptOf } from "./phase-event.ts";
import { filledConfig } from "./references.ts";
import { matchesWhen } from "./when.ts";

export interface PhaseRequest {
  /** As it stands before the phase; of a task edit: before the edit. */
  readonly run: Run;
  readonly moment: Moment;
  /** Those of the run unless given: prepare runs before there is a run to take them from. */
  readonly hooks?: readonly FrozenHook[];
  /** They are only named, none is asked: what a hook does outside the run, nobody could take back. */
  readonly isDryRun?: boolean;
  /** Where the run's files are. */
  readonly directory: string;
  readonly engine: PhaseEngine;
  readonly machine: RunMachine;
  readonly stage: StageAttachments;
  /** Aborted: hooks are told, the phase ends with an error. */
  readonly signal: AbortSignal;
  readonly now: () => Date;
}

/** Which phase it is, and what belongs to that one only. */
export type Moment =
  /** A function: what the first prompt is depends on what hooks have set so far. */
  | { readonly phase: "prepare"; readonly prompt: string | ((run: Run) => string) }
  | (AttemptMoment & { readonly phase: "beforeAttempt" | "afterExit" })
  | (AttemptMoment & { readonly phase: "afterAttempt"; readonly result: AttemptResult })
  | { readonly phase: "taskTransition"; readonly transition: Transition };

export interface AttemptMoment {
  readonly prompt: string;
  readonly sessionIndex: number;
  readonly attemptIndex: number;
  /** Through all sessions, from 1; null after the last one. */
  readonly attempt: number | null;
  readonly retriesRemaining: number;
}

export interface Transition {
  readonly taskId: string;
  readonly source: EditSource;
  /** null: the task is added. */
  readonly before: Task | null;
  /** null: the task is deleted. */
  readonly after: Task | null;
}

export interface PhaseOutcome {
  readonly end: PhaseEnd;
  /**
   * With everything the phase changed, and of a task edit that was accepted the edit itself. After an error it is the
   * run as it was. Staged attachments are those whose ids are new in it.
   */
  readonly run: Run;
  /** What the backend is to be told, where a hook said so. */
  readonly prompt: string | null;
  /** What was applied, in order, for whoever has to apply it to a newer version. Empty after an error. */
  readonly mutations: readonly Mutation[];
  readonly audits: readonly HookAudit[];
}

export type PhaseEnd =
  | { readonly kind: "continue" }
  | { readonly kind: "reinvoke"; readonly hook: string; readonly prompt: string }
  /** Of a task edit: rejected. */
  | { readonly kind: "block"; readonly hook: string; readonly reason: string }
  | { readonly kind: "error"; readonly hook: string; readonly message: string; readonly isTimeout: boolean };

/** The run and what is to be said, as far as the phase has come. */
interface Standing {
  readonly run: Run;
  readonly prompt: string | null;
  readonly mutations: readonly Mutation[];
}

export async function runPhase(request: PhaseRequest): Promise<PhaseOutcome> {
  const { run, moment, machine, signal } = request;
  const nothing = (end: PhaseEnd, audits: readonly HookAudit[]): PhaseOutcome => ({
    end,
    run,
    prompt: null,
    mutations: [],
    audits,
  });
  const asked: Heard[] = [];
  const audits: HookAudit[] = [];
  const recorded = eventFor(request, { run: tentative(run, moment), prompt: null, mutations: [] });
  let standing: Standing = { run: tentative(run, moment), prompt: null, mutations: [] };
  let end: PhaseEnd = { kind: "continue" };
  const engine = await opened(request);
  if ("problem" in engine) return nothing(engine.problem, audits);
  try {
    const hooks = hooksOf(request, engine, machine);
    if (request.isDryRun) {
      const unasked = hooks.map(({ hook }) => auditOfUnasked(hook, moment, request.now()));
      return nothing(end, unasked);
    }
    for (const { hook, frozen } of hooks) {
      const heard = await ask(hook, frozen, standing, request, engine);
      if (!heard) continue;
      asked.push(heard);
      audits.push(heard.audit);
      standing = heard.next ?? standing;
      end = signal.aborted && heard.end.kind === "continue" ? calledOff(hook.name) : heard.end;
      if (end.kind !== "continue") break;
    }
    if (asked.length > 0) await engine.record(recorded, together(recorded, asked));
  } finally {
    await engine.close();
  }
  if (end.kind === "error") return nothing(end, audits);
  const settled = end.kind === "block" ? rolledBack(run, standing.run, moment) : standing.run;
  return { ...standing, end, run: settled, audits };
}

/** Without the rules that hold here nobody knows what is forbidden: no phase goes on. */
async function opened({ engine, run }: PhaseRequest): Promise<OpenEngine | { readonly problem: PhaseEnd }> {
  try {
    return await engine.open({ id: run.id, cwd: run.settings.cwd });
  } catch (error) {
    const message = `the rules that hold in ${run.settings.cwd} cannot be read: ${(error as Error).message}`;
    return { problem: { kind: "error", hook: "config", message, isTimeout: false } };
  }
}

interface Heard {
  readonly decision: Decision;
  readonly audit: HookAudit;
  readonly end: PhaseEnd;
  readonly next: Standing | undefined;
}

interface Asked {
  readonly hook: Hook;
  /** null: a hook of the config layers. */
  readonly frozen: FrozenHook | null;
}

/** Config layers first, then a task's own hooks, then those of the assignment, each list as it was written. */
function hooksOf({ run, moment, hooks = run.hooks }: PhaseRequest, engine: OpenEngine, machine: RunMachine): Asked[] {
  const event = EVENT_OF[moment.phase];
  const task = moment.phase === "taskTransition" ? moment.transition.taskId : null;
  const mine = hooks.filter(
    (hook) =>
      hook.phase === moment.phase && (hook.task === null || hook.task === task) && matchesWhen(hook.when, moment),
  );
  return [
    ...engine.hooks.filter(({ on }) => on.includes(event)).map((hook) => ({ hook, frozen: null })),
    ...[...mine.filter((hook) => hook.task !== null), ...mine.filter((hook) => hook.task === null)].map((frozen) => ({
      hook: hookOf(frozen, machine),
      frozen,
    })),
  ];
}

/** undefined: it was not asked, by its own filter. */
async function ask(
  hook: Hook,
  frozen: FrozenHook | null,
  standing: Standing,
  request: PhaseRequest,
  engine: OpenEngine,
): Promise<Heard | undefined> {
  const { moment, now, signal, machine } = request;
  let next: Standing | undefined;
  const checked: Hook = {
    ...hook,
    // Only the hook itself sees what comes from the environment; decisions and records never do.
    async judge(event, context) {
      const config = frozen ? filledConfig(frozen.config, machine.env) : null;
      const verdict = await hook.judge(
        { ...eventFor(request, standing, { config, env: machine.env }), id: event.id },
        context,
      );
      const mutation = checkedMutation(verdict);
      if (hook.mode !== "observe") next = await mutated(standing, mutation, frozen, request);
      return verdict;
    },
  };
  const startedAt = now();
  const decision = await engine.decide(eventFor(request, standing), checked, signal);
  const [step] = decision.trace;
  if (!step || step.skipped !== undefined) return undefined;
  const mutates = decision.mutate.length > 0;
  const said = endOf(decision, step, hook, moment.phase);
  const isAsked = said.kind === "error" && frozen?.onError === "ask" && !signal.aborted;
  const { end, word } = isAsked ? await askAboutFailure(said, standing.run, request) : { end: said, word: "" };
  const audit = auditOf({ step, hook: hook.name, mutates, moment, startedAt, endedAt: now() });
  return {
    decision,
    audit: word === "" ? audit : { ...audit, summary: `${audit.summary}; ${word}` },
    end,
    next: step.failure ? undefined : next,
  };
}

function eventFor(
  { moment, directory, now }: PhaseRequest,
  { run, prompt }: Standing,
  private_: Pick<EventRequest, "config" | "env"> = {},
) {
  const said = promptOf(moment, run);
  return phaseEvent({ run, moment, directory, prompt: prompt ?? said, at: now(), ...private_ });
}

async function mutated(
  { run, prompt, mutations }: Standing,
  mutation: Mutation,
  frozen: FrozenHook | null,
  { moment, stage }: PhaseRequest,
): Promise<Standing> {
  const rights = { phase: moment.phase, may: frozen?.may ?? null };
  // Checked before files are touched.
  applyMutation(run, mutation, rights);
  const attachments = mutation.attachments ? await stage(mutation.attachments, run.attachments) : run.attachments;
  const { initialPrompt, attemptPrompt } = mutation.run ?? {};
  return {
    run: applyMutation(run, mutation, rights, attachments),
    prompt: initialPrompt ?? attemptPrompt ?? prompt,
    mutations: [...mutations, mutation],
  };
}

function endOf(decision: Decision, step: TraceStep, hook: Hook, phase: Phase): PhaseEnd {
  const { failure } = step;
  if (failure && !step.observed && hook.onError === "block" && phase !== "afterExit") {
    return { kind: "error", hook: hook.name, message: failure.message, isTimeout: failure.code === "timeout" };
  }
  const reason = leadingReason(decision);
  if (decision.kind === "block") return { kind: "block", hook: hook.name, reason };
  return decision.kind === "reinvoke" ? { kind: "reinvoke", hook: hook.name, prompt: reason } : { kind: "continue" };
}

const calledOff = (hook: string): PhaseEnd => ({
  kind: "error",
  hook,
  message: "the phase was called off",
  isTimeout: false,
});

/** The run with the edit that hooks are asked about. */
export function tentative(run: Run, moment: Moment): Run {
  if (moment.phase !== "taskTransition") return run;
  const { taskId, before, after } = moment.transition;
  if (after === null) return { ...run, tasks: run.tasks.filter(({ id }) => id !== taskId) };
  if (before === null) return { ...run, tasks: [...run.tasks, after] };
  return { ...run, tasks: run.tasks.map((task) => (task.id === taskId ? after : task)) };
}

/** A rejected edit is undone, and with it what hooks did to that task; what they did elsewhere stays. */
function rolledBack(before: Run, after: Run, moment: Moment): Run {
  if (moment.phase !== "taskTransition") return after;
  const { taskId } = moment.transition;
  const patched = new Map(after.tasks.map((task) => [task.id, task]));
  const tasks = before.tasks.map((task) => (task.id === taskId ? task : (patched.get(task.id) ?? task)));
  return { ...after, tasks };
}

/** One decision on the whole phase, for the records. */
function together(event: AgentEvent, asked: readonly Heard[]): Decision {
  const decisions = asked.map(({ decision }) => decision);
  const last = decisions.at(-1);
  return {
    event: event.name,
    kind: last?.kind ?? "none",
    reasons: last?.reasons ?? [],
    final: event,
    context: decisions.flatMap(({ context }) => context),
    effects: decisions.flatMap(({ effects }) => effects),
    mutate: decisions.flatMap(({ mutate }) => mutate),
    trace: decisions.flatMap(({ trace }) => trace),
  };
}
