/** One call of a host, from its words to an answer: the same for a process of its own and for the daemon. */
import { resolve } from "node:path";
import type { Environment } from "../../config/places.ts";
import type { JsonObject } from "../../core/json.ts";
import { type EngineSource, type Judged, judgeCall } from "../../engine/answer.ts";
import type { Abortable, IsAwaited } from "../../engine/judge.ts";
import type { Host, HostAnswer, Native } from "../../hosts/host.ts";
import { HOSTS, hostById } from "../../hosts/registry.ts";
import type { AppendSoon } from "../../records/journal.ts";
import { answersElsewhere, callerOf } from "./caller.ts";
import { beforeDeadline, deadlinesOf } from "./deadline.ts";
import type { Ending } from "./ending.ts";
import { guessHost } from "./guess-host.ts";
import { type FailedCall, ownFailure, ownFailureSoon } from "./own-failure.ts";
import { PayloadError } from "./payload.ts";

/** What is known of the call so far: a failure is answered from here. */
export interface Call {
  host: Host | undefined;
  event: string | undefined;
  cwd: string;
}

/** `--event` is for hosts whose payloads do not name theirs. */
export function chosenHost(argv: readonly string[]): Omit<Call, "cwd"> | { answer: HostAnswer } {
  const words = argv.flatMap((arg) => (arg.startsWith("--host=") ? ["--host", arg.slice(7)] : [arg]));
  if (words.length === 0) return { host: undefined, event: undefined };
  const [flag, id, eventFlag, event, ...rest] = words;
  const host = flag === "--host" && id !== undefined ? hostById(id) : undefined;
  const named = eventFlag === undefined || (eventFlag === "--event" && event !== undefined);
  if (host && named && rest.length === 0) return { host, event };
  const known = HOSTS.map((known) => known.id).join(", ");
  return {
    answer: {
      stdout: "",
      stderr: `error HF302  holdfast hook --host <id> [--event <name>]: unknown host or arguments; hosts: ${known}\n`,
      exitCode: 2,
    },
  };
}

export interface CallSetting {
  readonly id: string;
  readonly at: string;
  readonly env: Environment;
  readonly distDir: string;
  /** The caller's. */
  readonly ending: Ending;
  /** Where more is known of the caller than that its end was noticed. */
  readonly isAwaited?: IsAwaited;
  /** How much of the host's time is gone as the call is handed over, in milliseconds. */
  readonly elapsedMs: number;
  readonly engineAt?: EngineSource;
  readonly maybeRecorded?: boolean;
  /** Whether the call is to be judged elsewhere: TooHeavy is thrown then. */
  readonly isTooHeavy?: (native: Native) => boolean;
  /** Left over of the host's time for what comes after the judging; at most half of it. */
  readonly reserveMs?: number;
  /** Told as soon as it is known how many milliseconds the judging may take. */
  readonly onDeadline?: (milliseconds: number) => void;
}

export class TooHeavy extends Error {}

export interface JudgedCall {
  /** Writes it down and says what to answer. */
  record(): Promise<HostAnswer>;
  close(): Promise<void>;
}

/** Throws where it cannot be judged: failedAnswer is then the answer. */
export async function judgeHostCall(call: Call, payload: JsonObject, setting: CallSetting): Promise<JudgedCall> {
  const beganMs = performance.now();
  const { id, at, env, distDir, ending, elapsedMs, engineAt, maybeRecorded = false } = setting;
  const moment = { id, at, env, cwd: call.cwd, event: call.event };
  if (typeof payload.hook_event_name === "string") call.event = payload.hook_event_name;
  if (typeof payload.cwd === "string" && payload.cwd !== "") call.cwd = resolve(call.cwd, payload.cwd);
  const registered = call.host ?? guessHost(payload, moment);
  const host = callerOf(registered, payload, env);
  call.host = host;
  const native = host.codec.parse(payload, moment);
  if (setting.isTooHeavy?.(native)) throw new TooHeavy();
  // A host may start us in a directory of its own and say in other words where the agent stands.
  call.cwd = resolve(call.cwd, native.events[0]?.cwd ?? "");
  const second = host !== registered || host.repeats?.(payload, moment) === true;
  if (second && answersElsewhere(host, call.cwd, env)) return given(silenceOf(host));
  const deadlines = deadlinesOf(host, native.event);
  const readingMs = performance.now() - beganMs;
  const goneMs = elapsedMs + readingMs + Math.min(setting.reserveMs ?? 0, deadlines.hardMs / 2);
  setting.onDeadline?.(Math.max(0, Math.round(deadlines.hardMs - goneMs)));
  const { cwd } = call;
  let isGivenUp = false;
  const isAwaited = () => !isGivenUp && (setting.isAwaited?.() ?? !ending.isOver);
  let judging: Promise<Judged> | undefined;
  const judge = (abort: Abortable) => {
    judging = judgeCall(host, native, { cwd, distDir, env, abort, engineAt, maybeRecorded, isAwaited });
    return judging;
  };
  try {
    const { answer, record, close } = await beforeDeadline(deadlines, judge, goneMs, ending);
    return { record: async () => withRemarks(answer, await record()), close };
  } catch (error) {
    isGivenUp = true;
    // Nobody else is there any more who would, once it is judged.
    void judging?.then((judged) => judged.close()).catch(() => {});
    throw error;
  }
}

/** An answer that leaves nothing to be recorded. */
export const given = (answer: HostAnswer): JudgedCall => ({
  record: async () => answer,
  close: async () => {},
});

export const silenceOf = (host: Host | undefined): HostAnswer => ({
  stdout: host?.silence ?? "",
  stderr: "",
  exitCode: 0,
});

export const failedAnswer = (error: unknown, call: Call, env: Environment): HostAnswer =>
  ownFailure(error, failedCall(error, call), env);

/** The same, for a process in which others must not wait for a journal. */
export const failedAnswerSoon = (
  error: unknown,
  call: Call,
  env: Environment,
  append: AppendSoon,
): Promise<HostAnswer> => ownFailureSoon(error, failedCall(error, call), env, append);

function failedCall(error: unknown, { host = HOSTS[0] as Host, event, cwd }: Call): FailedCall {
  const made = event ?? (error instanceof PayloadError ? host.codec.eventName(error.head) : undefined);
  return { host, event: made, cwd };
}

/** For the person, beside the answer and below it. */
function withRemarks(answer: HostAnswer, remarks: readonly string[]): HostAnswer {
  if (remarks.length === 0) return answer;
  const lines = [...new Set(remarks)].map((text) => `holdfast: ${text}\n`).join("");
  return { ...answer, stderr: answer.stderr === "" ? lines : `${answer.stderr}\n${lines}` };
}
