/** What sessions of one Holdfast share: rules, tools, records, and who is asked. */

import { randomUUID } from "node:crypto";
import { escapeText } from "../core/context.ts";
import type { Decision } from "../core/decision.ts";
import type { AgentEvent, EventName, EventOf } from "../core/event.ts";
import type { Hook } from "../core/hook.ts";
import type { JsonObject } from "../core/json.ts";
import type { ToolReader } from "../core/rewrite.ts";
import type { OnAwaiting } from "../engine/awaiting-confirmation.ts";
import { forgetAnalyses } from "../engine/machine.ts";
import { withPassOffer } from "../engine/one-time-pass.ts";
import { judgeUnderRules, noted } from "../engine/overrides.ts";
import { pausedHooks } from "../engine/pause.ts";
import { type NoticeRecord, performOutcomes, prepareRecords } from "../engine/perform.ts";
import type { ReadyEngine } from "../engine/ready.ts";
import { memoryOf } from "../engine/session-memory.ts";
import type { PutQuestions } from "./put-questions.ts";
import type { InputProblem, PersonAnswer, Question } from "./tool-call.ts";

/** What belongs to one question only. */
export interface HowJudged {
  readonly signal?: AbortSignal | undefined;
  readonly problem?: InputProblem | undefined;
  /** Who reads the call, where it is not the descriptions. */
  readonly tools?: ToolReader | undefined;
  /** Why hooks only observe. */
  readonly observeOnly?: string | undefined;
  /** false: what waits for people is blocked as pending, not held. */
  readonly hold?: boolean | undefined;
}

export interface EngineHost {
  readonly id: string;
  readonly cwd: string;
  readonly tools: ToolReader;
  readonly ask?: (question: Question) => Promise<PersonAnswer> | PersonAnswer;
  readonly questions: PutQuestions;
  /** What is known of a call besides its input. */
  metadataOf(name: string, input: JsonObject, signal: AbortSignal | undefined): JsonObject | Promise<JsonObject>;
  judge(event: AgentEvent, how?: HowJudged): Promise<Decision>;
  /** Writes down what a person answered. */
  recordAnswer(event: EventOf<"permission_request">, answer: PersonAnswer): Promise<void>;
}

export interface JudgingSetup {
  readonly id: string;
  readonly tools: ToolReader;
  readonly engineAt: () => Promise<ReadyEngine>;
  readonly onNotice: (notice: NoticeRecord) => void;
  /** What could not be recorded and the like, for a person. */
  readonly onRemark: (remark: string) => void;
  readonly maxContinuations: number | undefined;
  /** Hears that a call waits for people. */
  readonly onAwaiting?: OnAwaiting | undefined;
}

/** Where context becomes part of the conversation and need not be told again. Elsewhere each time somebody else reads it. */
const STAYING: readonly EventName[] = ["session_start", "user_prompt_submit", "pre_tool_use", "post_tool_use"];
const FORGETTING: readonly EventName[] = ["session_end", "post_compaction"];
/** For calls that nobody aborts. */
const NEVER = new AbortController();

export async function judgeEvent(
  event: AgentEvent,
  { tools: known, engineAt, onNotice, onRemark, maxContinuations, onAwaiting }: JudgingSetup,
  { signal, problem, tools: read = known, observeOnly, hold = true }: HowJudged,
): Promise<Decision> {
  const found = await engineAt();
  const engine = observeOnly === undefined ? found : { ...found, hooks: observing(found.hooks) };
  try {
    forgetAnalyses();
    const tools = problem ? withProblem(read, problem) : read;
    const host = { tools, codec: { current: () => [event] }, maxContextCharacters: Number.POSITIVE_INFINITY };
    const memory = memoryOf(event, engine);
    const startsAnew = event.name === "session_start" && event.source !== "resume";
    const stays = STAYING.includes(event.name);
    const outcomes = await judgeUnderRules(host, { event: event.name, payload: {}, events: [event] }, engine, {
      abort: signal ? { signal } : NEVER,
      isAwaited: () => signal?.aborted !== true,
      maxContextCharacters: engine.plan.settings.maxContextCharacters,
      told: startsAnew || !stays ? () => false : memory.knows,
      ...(maxContinuations === undefined ? {} : { maxContinuations }),
      ...(onAwaiting ? { onAwaiting } : {}),
      hold,
    });
    if (startsAnew || FORGETTING.includes(event.name)) memory.forget();
    const [judged] = outcomes.map((found) => withPassOffer(found, engine.hooks));
    if (!judged) throw new Error(`no decision on ${event.name}`);
    const outcome = observeOnly === undefined ? judged : noted(judged, { observeOnly });
    const told = stays ? outcome.decision.context.map(({ text }) => escapeText(text)).join("\n") : "";
    const records = prepareRecords([outcome], engine);
    const performance = { memory, onNotice };
    const answer = { stdout: told, stderr: "", exitCode: 0 };
    const problems = await performOutcomes([outcome], records, answer, engine, performance);
    for (const remark of [...engine.takeRemarks(), ...problems]) onRemark(remark);
    return outcome.decision;
  } finally {
    await engine.close();
    engine.handIn();
  }
}

const withProblem = (tools: ToolReader, problem: InputProblem): ToolReader => ({
  read: tools.read,
  problem: (name, input) => tools.problem?.(name, input) ?? problem(input),
});

const observed = new WeakMap<readonly Hook[], readonly Hook[]>();

/** The same list each time: who hears which event is found once for a list. */
function observing(hooks: readonly Hook[]): readonly Hook[] {
  const known = observed.get(hooks) ?? pausedHooks(hooks);
  observed.set(hooks, known);
  return known;
}

/** A person's answer as the decision on the question, so that the audit tells of every call how it came to run or not. */
export async function recordAnswer(
  asked: EventOf<"permission_request">,
  answer: PersonAnswer,
  { engineAt, onRemark }: JudgingSetup,
): Promise<void> {
  const engine = await engineAt();
  try {
    const event = { ...asked, id: randomUUID(), at: new Date().toISOString() };
    const text = answer.allow ? "a person said yes" : (answer.reason ?? "a person said no");
    const decision: Decision = {
      event: event.name,
      kind: answer.allow ? "allow" : "block",
      reasons: [{ hook: "person", text }],
      final: event,
      context: [],
      effects: [],
      mutate: [],
      trace: [],
    };
    const outcome = { event, decision };
    const performance = { memory: memoryOf(event, engine) };
    const nothing = { stdout: "", stderr: "", exitCode: 0 };
    for (const remark of await performOutcomes(
      [outcome],
      prepareRecords([outcome], engine),
      nothing,
      engine,
      performance,
    ))
      onRemark(remark);
  } finally {
    await engine.close();
    engine.handIn();
  }
}
