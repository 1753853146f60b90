/**
 * Session logs become proposals: each is put to the model once, within the budget, and what comes back is checked and
 * added to the log as it then is. A log that fails is tried again later, and at last set aside with its reason.
 */
import { basename, join, relative } from "node:path";
import { HoldfastError } from "../../core/errors.ts";
import { isJsonObject, type Json } from "../../core/json.ts";
import type { Report } from "../background/activity-log.ts";
import { type LockHolder, type LockTiming, tryBeatingLock } from "../background/heartbeat-lock.ts";
import { messageOf, ownFolder } from "../background/private-file.ts";
import { nextTryAt, shortError } from "../background/retry.ts";
import { changeSessionLog } from "../capture/log-writer.ts";
import { PROPOSAL_KINDS, type SessionLog, withFailure, withProposals } from "../capture/session-log.ts";
import type { TakeLock } from "../lock.ts";
import type { KnowledgePlaces } from "../places.ts";
import type { DrainSettings } from "../settings.ts";
import { type DrainState, drainLockFile, readDrainState, writeDrainState } from "./drain-state.ts";
import { extractionPrompt } from "./extraction-prompt.ts";
import type { ModelHost, ModelHosts } from "./model-host.ts";
import { newWordsOf } from "./new-words.ts";
import { hostFor, logsAsSeen, pendingLogs } from "./pending.ts";
import { type ProposalOutput, readProposals } from "./proposal-output.ts";

export interface DrainCall {
  readonly places: KnowledgePlaces;
  readonly settings: DrainSettings;
  readonly hosts: ModelHosts;
  readonly takeLock: TakeLock;
  readonly report: Report;
  readonly signal: AbortSignal;
  readonly lockTiming?: LockTiming;
  /** Told of each log as it is done. */
  readonly onLog?: (outcome: LogOutcome) => void;
}

export interface LogOutcome {
  readonly file: string;
  readonly session: string;
  readonly host: string;
  readonly kind: "proposed" | "nothing-new" | "tried-again-later" | "given-up" | "no-program";
  readonly practice: number;
  readonly map: number;
  /** Said after the model had read it: what was added waits for the next drain. */
  readonly grewMeanwhile: boolean;
  readonly error: string | null;
}

export type DrainEnd =
  | { readonly kind: "busy"; readonly holder: LockHolder }
  | {
      readonly kind: "drained";
      readonly outcomes: readonly LogOutcome[];
      /** Why it ended before every log was done; null: all were. */
      readonly stopped: string | null;
      readonly waiting: number;
      readonly runsLeftToday: number;
      readonly unreadable: readonly { readonly file: string; readonly problem: string }[];
    };

/** What one model reads of one session at most. */
export const MAX_CHARACTERS = 240_000;
/** So many failures in a row are not about the logs any more. */
const MAX_IN_A_ROW = 3;

export async function drainPending(call: DrainCall): Promise<DrainEnd> {
  const { places, report } = call;
  for (const folder of [places.stateDir, places.logsDir]) ownFolder(folder);
  const lock = tryBeatingLock(drainLockFile(places), call.lockTiming);
  if (lock.kind === "busy") return lock;
  try {
    if (lock.recovered) {
      const { pid, heldMs } = lock.recovered;
      const message = `the lock of process ${pid ?? "?"}, held for ${Math.round(heldMs / 1000)} s, was taken over`;
      report({ hook: "drain", phase: "recovered", message });
    }
    return await drainAll(call, () => lock.isHeld());
  } finally {
    lock.release();
  }
}

async function drainAll(call: DrainCall, isHeld: () => boolean): Promise<DrainEnd> {
  const { places, settings, signal, report } = call;
  let state = readDrainState(places, new Date());
  const { due, unreadable } = await pendingLogs(places, state, new Date());
  for (const { file, problem } of unreadable) {
    report({ hook: "drain", phase: "skipped", message: `${basename(file)} ${problem}` });
  }
  const outcomes: LogOutcome[] = [];
  const absent: Absent = new Map();
  let stopped: string | null = null;
  let inARow = 0;
  for (const log of due) {
    state = readDrainState(places, new Date());
    stopped = whyStop(signal, isHeld(), settings.runsPerDay - state.runs, settings.runsPerDay, inARow);
    if (stopped) break;
    const outcome = await drainOne(log, call, absent);
    outcomes.push(outcome);
    call.onLog?.(outcome);
    inARow = outcome.kind === "tried-again-later" || outcome.kind === "given-up" ? inARow + 1 : 0;
  }
  // Seen before it is counted: what changes in between is found by the next drain.
  const seen = logsAsSeen(places);
  const left = await pendingLogs(places, readDrainState(places, new Date()), new Date());
  const waiting = [...left.due, ...left.later].filter((log) => call.hosts(hostFor(log, settings))).length;
  state = { ...readDrainState(places, new Date()), finished_at: new Date().toISOString(), seen, waiting };
  if (isHeld()) writeDrainState(places, state);
  if (stopped) report({ hook: "drain", phase: "note", message: stopped });
  const runsLeftToday = Math.max(0, settings.runsPerDay - state.runs);
  return { kind: "drained", outcomes, stopped, waiting, runsLeftToday, unreadable };
}

function whyStop(signal: AbortSignal, isHeld: boolean, runsLeft: number, runsPerDay: number, inARow: number) {
  if (signal.aborted) return "it was told to end";
  if (!isHeld) return "another process took its lock for abandoned";
  if (!(runsLeft > 0)) return `the budget of ${runsPerDay} runs a day (UTC) is used up; the rest waits for tomorrow`;
  if (inARow >= MAX_IN_A_ROW) return `${inARow} runs in a row failed; the rest waits for the next drain`;
  return null;
}

/** By host: why its program cannot be run. It is not looked for again for every log. */
type Absent = Map<string, string>;

async function drainOne(log: SessionLog, call: DrainCall, absent: Absent): Promise<LogOutcome> {
  const { places, settings, hosts, report } = call;
  const { session_id: session } = log.front;
  const host = hostFor(log, settings);
  const outcome = (kind: LogOutcome["kind"], more: Partial<LogOutcome> = {}): LogOutcome => ({
    ...{ file: log.file, session, host, kind, practice: 0, map: 0, grewMeanwhile: false, error: null },
    ...more,
  });
  const program = hosts(host);
  if (!program) {
    const error = host === "" ? "the log does not say on which host it was" : `${host} cannot be asked without tools`;
    report({ hook: "drain", phase: "skipped", session, message: `${error}; name a host with knowledge.drain.host` });
    return outcome("no-program", { error });
  }
  const known = absent.get(host);
  if (known !== undefined) return outcome("no-program", { error: known });
  const logFile = join(places.logsDir, "proposal", `${fileName(session)}__${stamp(new Date())}.jsonl`);
  const shownLog = relative(places.dir, logFile);
  try {
    const made = await propose(log, program, logFile, call);
    const done = { at: new Date().toISOString(), log: made ? shownLog : log.front.proposal_log };
    const front = await changeSessionLog(log.file, places, call.takeLock, (now) =>
      // Another drain that took ours for dead was there first: the same is not proposed twice.
      now.proposed_segments > log.front.proposed_segments ? now : withProposals(now, log.front, made ?? NONE, done),
    );
    forgetFailure(places, session);
    if (!made) return outcome("nothing-new");
    const counts = { practice: made.practice.length, map: made.map.length };
    const grewMeanwhile = front.proposal_status === "pending";
    const message = `${counts.practice} of practice, ${counts.map} of map${grewMeanwhile ? "; it has grown meanwhile" : ""}`;
    report({ hook: "drain", phase: "done", session, message });
    return outcome("proposed", { ...counts, grewMeanwhile });
  } catch (error) {
    // Not there at all: no log is to blame, and none is the worse for it.
    if (isNotThere(error)) {
      const problem = shortError(`${messageOf(error)}; install it, or name another host with knowledge.drain.host`);
      absent.set(host, problem);
      report({ hook: "drain", phase: "failed", session, message: "its program cannot be run", error: problem });
      return outcome("no-program", { error: problem });
    }
    const problem = shortError(messageOf(error));
    return outcome(await failed(log, problem, shownLog, call), { error: problem });
  }
}

const isNotThere = (error: unknown): boolean => error instanceof HoldfastError && error.code === "HF1042";

const NONE: ProposalOutput = { practice: [], map: [] };

/** undefined: nothing was said since. */
async function propose(
  log: SessionLog,
  program: ModelHost,
  outputFile: string,
  { places, settings, signal, report }: DrainCall,
): Promise<ProposalOutput | undefined> {
  const { text, leftOut } = await newWordsOf(log, MAX_CHARACTERS);
  if (text.trim() === "") return undefined;
  const { session_id: session } = log.front;
  const message = `${program.title} reads ${text.length} characters${leftOut > 0 ? `, ${leftOut} left out` : ""}`;
  report({ hook: "drain", phase: "started", session, message });
  spend(places);
  const asked = program.ask({
    prompt: extractionPrompt({ transcript: text, proposedBefore: titlesOf(log) }),
    model: settings.model,
    outputFile,
    timeoutMs: settings.timeoutSec * 1000,
    signal,
  });
  const answer = await asked.catch((error: unknown) => {
    if (isNotThere(error)) giveBack(places);
    throw error;
  });
  return readProposals(answer);
}

const titlesOf = ({ front: { proposals } }: SessionLog): string[] =>
  PROPOSAL_KINDS.flatMap((kind) => proposals[kind]).flatMap((proposal: Json) =>
    isJsonObject(proposal) && typeof proposal.title === "string" ? [proposal.title] : [],
  );

/** Before it is asked: a process that dies meanwhile has spent it all the same. */
function spend(places: KnowledgePlaces): void {
  const state = readDrainState(places, new Date());
  writeDrainState(places, { ...state, runs: state.runs + 1 });
}

/** Nothing ran, so nothing was spent. Where a new day began meanwhile, there is nothing of it to give back. */
function giveBack(places: KnowledgePlaces): void {
  const state = readDrainState(places, new Date());
  writeDrainState(places, { ...state, runs: Math.max(0, state.runs - 1) });
}

async function failed(log: SessionLog, error: string, logFile: string, call: DrainCall): Promise<LogOutcome["kind"]> {
  const { places, settings, report, takeLock } = call;
  const { session_id: session, transcript_hash } = log.front;
  const now = new Date();
  const state = readDrainState(places, now);
  const before = state.failures[session];
  const tries = (before?.transcript_hash === transcript_hash ? before.tries : 0) + 1;
  const again = nextTryAt(tries, now, settings.attempts);
  if (again) {
    const failure = { transcript_hash, tries, not_before: again.toISOString(), error };
    writeDrainState(places, { ...state, failures: { ...state.failures, [session]: failure } });
    report({ hook: "drain", phase: "failed", session, message: `tried again after ${again.toISOString()}`, error });
    return "tried-again-later";
  }
  await changeSessionLog(log.file, places, takeLock, (front) =>
    // What was said since has not failed yet.
    front.transcript_hash === transcript_hash ? withFailure(front, error, logFile, now.toISOString()) : front,
  );
  forgetFailure(places, session);
  report({ hook: "drain", phase: "given-up", session, message: `given up after ${tries} tries`, error });
  return "given-up";
}

function forgetFailure(places: KnowledgePlaces, session: string): void {
  const state: DrainState = readDrainState(places, new Date());
  if (!(session in state.failures)) return;
  const { [session]: _, ...failures } = state.failures;
  writeDrainState(places, { ...state, failures });
}

/** People edit logs: what stands there need not be an id. */
const fileName = (session: string) => session.replace(/[^\w-]/g, "_").slice(0, 80);

const stamp = (now: Date) => now.toISOString().replace(/[-:]|\.\d+/g, "");
