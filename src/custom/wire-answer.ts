/** From what a command hook printed to its verdict. Whatever does not fit is a failure of the hook, never a guess. */
import type { Effect } from "../core/effect.ts";
import type { EventName } from "../core/event.ts";
import { HookFailure } from "../core/failure.ts";
import { checkFields, type Fields, type Problem } from "../core/fields.ts";
import { isJsonObject, type Json } from "../core/json.ts";
import { nearest } from "../core/nearest.ts";
import { NO_OPINION, type Opinion, type Verdict } from "../core/verdict.ts";
import { answerFields, contradictions, type SpecificAnswer, type WireAnswer } from "./answer-fields.ts";
import { JsonProblem, parseStrictJson } from "./wire-json.ts";

/** The verdict in a hook's stdout. `hook`: its name, for the notices an answer may leave. */
export function readAnswer(event: EventName, stdout: string, hook: string | null = null): Verdict {
  if (stdout.trim() === "") return NO_OPINION;
  return withDefaultReason(event, verdictOf(event, parseAnswer(event, stdout), hook));
}

/** What an answer says, its reason still empty where it gives none. */
export function verdictOf(event: EventName, answer: WireAnswer, hook: string | null): Verdict {
  const specific = answer.hook_specific_output ?? {};
  const opinion = OPINIONS[event]?.(answer, statedReason(event, answer)) ?? NO_OPINION.opinion;
  const rewrite = opinion.kind === "block" ? undefined : rewriteOf(specific);
  const context = given(specific.additional_context);
  const effects = noticesOf(event, answer, hook);
  return {
    opinion,
    ...(rewrite === undefined ? {} : { rewrite }),
    ...(context ? { context: [context] } : {}),
    ...(effects.length > 0 ? { effects } : {}),
    ...(answer.mutate ? { mutate: answer.mutate } : {}),
  };
}

/** Why, wherever the answer says so: the nested place first. */
export function statedReason(event: EventName, answer: WireAnswer): string {
  const { permission_decision_reason, decision } = answer.hook_specific_output ?? {};
  const stopReason = event === "stop" ? answer.stop_reason : null;
  return given(permission_decision_reason) || given(decision?.message) || given(stopReason) || given(answer.reason);
}

/** The predecessor's words; where it has none of its own, the engine says which hook it was. */
export function withDefaultReason(event: EventName, verdict: Verdict): Verdict {
  const { opinion } = verdict;
  const reason = DEFAULT_REASONS[event]?.[opinion.kind];
  if (!reason || !("reason" in opinion) || opinion.reason) return verdict;
  return { ...verdict, opinion: { ...opinion, reason } };
}

const DEFAULT_REASONS: { readonly [E in EventName]?: { readonly [K in Opinion["kind"]]?: string } } = {
  pre_tool_use: { ask: "hook requested confirmation" },
  pre_compaction: { block: "compaction blocked by hook" },
  pre_delegation: { block: "delegation blocked by hook" },
  stop: { continue: "continue requested by stop hook" },
};

const given = (text: string | null | undefined): string => (text?.trim() ? text : "");

type OpinionReader = (answer: WireAnswer, reason: string) => Opinion | undefined;

const allow = (reason: string): Opinion => ({ kind: "allow", ...(reason ? { reason } : {}) });

const blocks: OpinionReader = ({ decision }, reason) => (decision === "block" ? { kind: "block", reason } : undefined);

/** The stronger of the two ways to answer a call wins, and an outer block is not explained by an inner allow. */
const judgesCall: OpinionReader = (answer, reason) => {
  const nested = answer.hook_specific_output?.permission_decision;
  if (nested === "deny") return { kind: "block", reason };
  if (answer.decision === "block") {
    const own = given(answer.reason);
    return { kind: "block", reason: own || nested === "allow" ? own : reason };
  }
  if (nested === "ask") return { kind: "ask", reason };
  return nested === "allow" || answer.decision === "approve" ? allow(reason) : undefined;
};

const answersRequest: OpinionReader = ({ hook_specific_output }, reason) => {
  const behavior = hook_specific_output?.decision?.behavior;
  if (behavior === "deny") return { kind: "block", reason };
  return behavior === "allow" ? allow(reason) : undefined;
};

/** `halt` says which of its two meanings a `continue: false` beside it has. */
const stopsOrGoesOn: OpinionReader = ({ halt, go_on, decision, ...answer }, reason) => {
  if (halt) return { kind: "halt", reason };
  return go_on || decision === "block" || answer.continue === false ? { kind: "continue", reason } : undefined;
};

const steersRun: OpinionReader = ({ action, follow_up_prompt }, reason) => {
  if (action === "block") return { kind: "block", reason };
  return action === "reinvoke" ? { kind: "reinvoke", prompt: given(follow_up_prompt) || reason } : undefined;
};

const judgesEdit: OpinionReader = ({ accept }, reason) => {
  if (accept === false) return { kind: "block", reason };
  return accept ? allow(reason) : undefined;
};

/** Events that are not here have nothing but texts to give. */
const OPINIONS: { readonly [E in EventName]?: OpinionReader } = {
  user_prompt_submit: blocks,
  pre_tool_use: judgesCall,
  permission_request: answersRequest,
  post_tool_use: blocks,
  pre_compaction: blocks,
  pre_delegation: blocks,
  stop: stopsOrGoesOn,
  prepare: steersRun,
  before_attempt: steersRun,
  after_attempt: steersRun,
  task_transition: judgesEdit,
};

/** Null keeps what is there. What is blocked does not run, so its rewrite is moot. */
function rewriteOf(specific: SpecificAnswer): Json | undefined {
  const { updated_input, updated_output, updated_delegation } = specific;
  return updated_input ?? updated_output ?? (updated_delegation as Json | undefined) ?? undefined;
}

function noticesOf(event: EventName, answer: WireAnswer, hook: string | null): Effect[] {
  const notice = (code: string, message: string): Effect => ({
    type: "notice",
    notice: { event_name: event, message, is_error: false, code, hook },
  });
  const idle = event !== "stop" && (answer.continue === false || given(answer.stop_reason) !== "");
  return [
    ...(given(answer.system_message) ? [notice("message", given(answer.system_message))] : []),
    ...(idle ? [notice("control-ignored", `continue and stop_reason control nothing on ${event}; ${CONTROLS}`)] : []),
  ];
}

const CONTROLS = "answer with the fields of its output schema";

/** Throws the failure that says what is wrong with an answer, and where. */
export function parseAnswer(event: EventName, stdout: string): WireAnswer {
  const wrong = (what: string) =>
    new HookFailure("invalid-answer", `${event} answer cannot be used: ${what}; stdout was "${quote(stdout, 160)}"`);
  const answer = parseObject(stdout, wrong);
  const fields = answerFields(event);
  const problems = [
    ...checkFields(answer, fields).map((problem) => describe(problem, fields)),
    ...contradictions(event)
      .filter((set) => isJsonObject(answer) && Object.entries(set).every(([key, value]) => answer[key] === value))
      .map((set) => `${Object.keys(set).join(" and ")} contradict each other`),
  ];
  if (problems.length > 0) throw wrong(problems.slice(0, 3).join("; "));
  return answer as unknown as WireAnswer;
}

function parseObject(stdout: string, wrong: (what: string) => HookFailure): Json {
  const indent = stdout.length - stdout.trimStart().length;
  const text = stdout.trim();
  if (!/^[{[]/.test(text)) {
    throw wrong(
      `it must be one JSON object and nothing else, from ${place(stdout, indent)} on (logs belong on stderr)`,
    );
  }
  try {
    return parseStrictJson(text);
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    throw wrong(`${quote(error.message, 120)} at ${place(stdout, indent + error.position)}`);
  }
}

function place(stdout: string, position: number): string {
  const before = stdout.slice(0, position).split(/\r\n|\r|\n/);
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

function describe({ path, message }: Problem, fields: Fields): string {
  const key = path.at(-1);
  const meant = message.startsWith("unknown field") ? nearest(String(key).slice(0, 60), namesIn(fields)) : undefined;
  const where = path.length > 0 ? `${quote(path.join("."), 80)}: ` : "it ";
  return `${where}${quote(message, 120)}${meant ? ` (is "${meant}" meant?)` : ""}`;
}

function namesIn(fields: Fields): string[] {
  return Object.entries(fields).flatMap(([name, { spec }]) => {
    const inner = spec.type === "nullable" ? spec.of : spec;
    return [name, ...(inner.type === "object" ? namesIn(inner.fields) : [])];
  });
}

/** One line, at most so many characters of it, and nothing in it that a terminal would act on. */
export function quote(text: string, maxCharacters: number): string {
  const line = text
    .slice(0, maxCharacters + 1)
    .replace(/\r/g, "\\r")
    .replace(/\n/g, "\\n")
    .replace(/[\p{Cc}\u2028\u2029]/gu, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);
  if (line.length <= maxCharacters) return line;
  return `${line.slice(0, maxCharacters).replace(/[\uD800-\uDBFF]$/, "")}...`;
}
