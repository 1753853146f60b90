/** What sessions of one Holdfast share: rules, tools, records, and who is asked. */

import { randomUUID } from "node:crypto";
import { escapeText } from "../core/context.ts";
import type { Decision } from "../core/decision.ts";
import type { AgentEvent, EventOf } from "../core/event.ts";
import type { Hook } from "../core/hook.ts";
import type { JsonObject } from "../core/json.ts";
import type { ToolReader } from "../core/rewrite.ts";
import { forgetAnalyses } from "../engine/machine.ts";
import { withPassOffer } from "../engine/one-time-pass.ts";
import { judgeUnderRules, noted } from "../engine/overrides.ts";
import { pausedHooks } from "../engine/pause.ts";
import { type NoticeRecord, performOutcomes, prepareRecords } from "../engine/perform.ts";
import type { ReadyEngine } from "../engine/ready.ts";
import { memoryOf } from "../engine/session-memory.ts";
import type { PersonAnswer, Question } from "./tool-call.ts";

export interface EngineHost {
  readonly id: string;
  readonly cwd: string;
  readonly tools: ToolReader;
  readonly ask?: (question: Question) => Promise<PersonAnswer> | PersonAnswer;
  /** What is known of a call besides its input. */
  metadataOf(name: string, input: JsonObject): JsonObject;
  /** `observeOnly`: why hooks only observe. */
  judge(event: AgentEvent, signal?: AbortSignal, observeOnly?: string): Promise<Decision>;
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
}

/** For calls that nobody aborts. */
const NEVER = new AbortController().signal;

export async function judgeEvent(
  event: AgentEvent,
  { tools, engineAt, onNotice, onRemark, maxContinuations }: JudgingSetup,
  signal: AbortSignal | undefined,
  observeOnly: string | undefined,
): Promise<Decision> {
  const found = await engineAt();
  const engine = observeOnly === undefined ? found : { ...found, hooks: observing(found.hooks) };
  try {
    forgetAnalyses();
    const host = { tools, codec: { current: () => [event] }, maxContextCharacters: Number.POSITIVE_INFINITY };
    const memory = memoryOf(event, engine);
    const startsAnew = event.name === "session_start" && event.source !== "resume";
    const outcomes = await judgeUnderRules(host, { event: event.name, payload: {}, events: [event] }, engine, {
      get signal() {
        return signal ?? NEVER;
      },
      maxContextCharacters: engine.plan.settings.maxContextCharacters,
      told: startsAnew ? () => false : memory.knows,
      ...(maxContinuations === undefined ? {} : { maxContinuations }),
    });
    if (startsAnew || event.name === "session_end") memory.forget();
    const [judged] = outcomes.map((found) => withPassOffer(found, engine.hooks));
    if (!judged) throw new Error(`no decision on ${event.name}`);
    const outcome = observeOnly === undefined ? judged : noted(judged, { observeOnly });
    const told = outcome.decision.context.map(({ text }) => escapeText(text)).join("\n");
    const records = prepareRecords([outcome], engine);
    const performance = { ...engine, memory, onNotice };
    const problems = await performOutcomes([outcome], records, { stdout: told, stderr: "", exitCode: 0 }, performance);
    for (const remark of [...engine.remarks, ...problems]) onRemark(remark);
    return outcome.decision;
  } finally {
    await engine.close();
  }
}

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
    const performance = { ...engine, memory: memoryOf(event, engine) };
    const nothing = { stdout: "", stderr: "", exitCode: 0 };
    for (const remark of await performOutcomes([outcome], prepareRecords([outcome], engine), nothing, performance))
      onRemark(remark);
  } finally {
    await engine.close();
  }
}
