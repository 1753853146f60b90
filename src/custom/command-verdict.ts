/** What it means how a command ended: its answer, a block (exit code 2), or a failure of the hook. */
import type { Effect } from "../core/effect.ts";
import { type EventName, eventRow } from "../core/event.ts";
import { asHookFailure, type FailureCode, HookFailure } from "../core/failure.ts";
import { NO_OPINION, type Opinion, strength, type Verdict } from "../core/verdict.ts";
import type { CommandResult } from "./command.ts";
import { parseAnswer, readAnswer, statedReason, verdictOf, withDefaultReason } from "./wire-answer.ts";

export interface CommandIdentity {
  readonly hook: string;
  readonly timeoutMs: number;
}

export function commandVerdict(event: EventName, result: CommandResult, { hook, timeoutMs }: CommandIdentity): Verdict {
  const { end, stdout, stderr } = result;
  const failure = (code: FailureCode, what: string) => {
    const said = shorten(stderr.trim(), 1000);
    return new HookFailure(code, `${event} command ${what}${said ? `: ${said}` : ""}`);
  };
  switch (end.kind) {
    case "exit":
      if (end.code === 0) return readAnswer(event, stdout, hook);
      if (end.code === 2 && !isMissingScript(stderr)) return refusal(event, result, hook);
      if (NOT_FOUND.includes(end.code)) throw failure("missing", `cannot be run (exit code ${end.code})`);
      if (end.code > 128) throw failure("signal", `was killed by signal ${end.code - 128} (exit code ${end.code})`);
      throw failure("exit", `exited with code ${end.code}`);
    case "signal":
      throw failure("signal", `was killed by ${end.signal}`);
    case "timeout":
      throw failure("timeout", `timed out after ${timeoutMs / 1000} s`);
    case "aborted":
      throw failure("timeout", "was ended: nobody waits for its answer any more");
    case "output-limit":
      throw failure("output-limit", "printed more than 1 MiB to stdout");
    case "not-started":
      throw failure("missing", `cannot be started: ${end.problem}`);
  }
}

/** 2: an interpreter could not open the script. 126 and 127: the shell could not run the program. */
const NOT_FOUND: readonly number[] = [2, 126, 127];

/** Interpreters that end with 2, the code of a block, when the script they were given is not there. */
const CANNOT_OPEN: readonly RegExp[] = [
  /^\S+: (?:\d+: )?(?:\.: )?can(?:no|')t open .+$/i, // dash, BusyBox
  /^\S+: \d+: .+: not found$/, // dash
  /^\S*python\S*: can't open file .+$/,
  /^Can't open perl script .+$/,
];

function isMissingScript(stderr: string): boolean {
  return CANNOT_OPEN.some((pattern) => pattern.test(stderr.trim()));
}

/** Exit code 2: never weaker than a block, whatever stdout says. JSON there gives the reason, context and notices. */
function refusal(event: EventName, { stdout, stderr }: CommandResult, hook: string): Verdict {
  const { answers } = eventRow(event);
  const kind = answers.includes("block") ? "block" : answers.includes("continue") ? "continue" : undefined;
  const { verdict, reason = "", problem } = readJson(event, stdout, hook);
  if (!kind) return notRefusable(event, verdict, problem ?? stderr.trim(), hook);
  const { rewrite: _moot, opinion: own, effects = [], ...rest } = verdict ?? NO_OPINION;
  const plain = stderr.trim() || (isJson(stdout) ? "" : stdout.trim());
  const opinion: Opinion = { kind, reason: reason || shorten(plain, 8000) };
  return withDefaultReason(event, {
    ...rest,
    opinion: strength(own) > strength(opinion) ? own : opinion,
    effects: problem ? [...effects, notice(event, hook, "invalid-answer", problem)] : effects,
  });
}

interface JsonOnStdout {
  readonly verdict?: Verdict;
  readonly reason?: string;
  /** Why what looks like an answer is none. */
  readonly problem?: string;
}

function readJson(event: EventName, stdout: string, hook: string): JsonOnStdout {
  if (!isJson(stdout)) return {};
  try {
    const answer = parseAnswer(event, stdout);
    const verdict = verdictOf(event, answer, hook);
    return { verdict, reason: reasonToRefuse(verdict.opinion) ?? statedReason(event, answer) };
  } catch (error) {
    return { problem: asHookFailure(error).message };
  }
}

const isJson = (stdout: string) => stdout.trimStart().startsWith("{");

/** An answer that allows has no reason to refuse. */
function reasonToRefuse(opinion: Opinion): string | undefined {
  if (opinion.kind === "allow") return "";
  return opinion.kind === "block" && opinion.reason ? opinion.reason : undefined;
}

/** Where nothing can be blocked, JSON still counts; without it the hook said nothing that can be used. */
function notRefusable(event: EventName, verdict: Verdict | undefined, detail: string, hook: string): Verdict {
  const message = `exit code 2 blocks nothing on ${event}`;
  if (!verdict) throw new HookFailure("invalid-answer", `${message}${detail && `: ${shorten(detail, 1000)}`}`);
  return { ...verdict, effects: [...(verdict.effects ?? []), notice(event, hook, "control-ignored", message)] };
}

const notice = (event: EventName, hook: string, code: string, message: string): Effect => ({
  type: "notice",
  notice: { event_name: event, message, is_error: code === "invalid-answer", code, hook },
});

/** The beginning and the end, where the cause usually stands. */
function shorten(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const half = Math.floor(maxCharacters / 2);
  return `${text.slice(0, half)} [...] ${text.slice(-half)}`;
}
