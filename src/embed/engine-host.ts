/** What sessions of one Holdfast share: rules, tools, records, and who is asked. */

import { escapeText } from "../core/context.ts";
import type { Decision } from "../core/decision.ts";
import type { AgentEvent, EventName } from "../core/event.ts";
import type { ToolReader } from "../core/rewrite.ts";
import { forgetAnalyses } from "../engine/machine.ts";
import { withPassOffer } from "../engine/one-time-pass.ts";
import { judgeUnderRules } from "../engine/overrides.ts";
import { type NoticeRecord, performOutcomes, prepareRecords } from "../engine/perform.ts";
import type { ReadyEngine } from "../engine/ready.ts";
import { memoryOf } from "../engine/session-memory.ts";
import type { InputProblem, PersonAnswer, Question } from "./tool-call.ts";

export interface EngineHost {
  readonly id: string;
  readonly cwd: string;
  readonly tools: ToolReader;
  readonly ask?: (question: Question) => Promise<PersonAnswer> | PersonAnswer;
  /** `tools`: who reads the call, where it is not the descriptions. */
  judge(event: AgentEvent, signal?: AbortSignal, problem?: InputProblem, tools?: ToolReader): Promise<Decision>;
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

/** Where context becomes part of the conversation and need not be told again. Elsewhere each time somebody else reads it. */
const STAYING: readonly EventName[] = ["session_start", "user_prompt_submit", "pre_tool_use", "post_tool_use"];
const FORGETTING: readonly EventName[] = ["session_end", "post_compaction"];

export async function judgeEvent(
  event: AgentEvent,
  { tools: known, engineAt, onNotice, onRemark, maxContinuations }: JudgingSetup,
  signal: AbortSignal | undefined,
  problem: InputProblem | undefined,
): Promise<Decision> {
  const engine = await engineAt();
  try {
    forgetAnalyses();
    const tools = problem ? withProblem(known, problem) : known;
    const host = { tools, codec: { current: () => [event] }, maxContextCharacters: Number.POSITIVE_INFINITY };
    const memory = memoryOf(event, engine);
    const startsAnew = event.name === "session_start" && event.source !== "resume";
    const stays = STAYING.includes(event.name);
    const outcomes = await judgeUnderRules(host, { event: event.name, payload: {}, events: [event] }, engine, {
      get signal() {
        return signal ?? new AbortController().signal;
      },
      maxContextCharacters: engine.plan.settings.maxContextCharacters,
      told: startsAnew || !stays ? () => false : memory.knows,
      ...(maxContinuations === undefined ? {} : { maxContinuations }),
    });
    if (startsAnew || FORGETTING.includes(event.name)) memory.forget();
    const [outcome] = outcomes.map((found) => withPassOffer(found, engine.hooks));
    if (!outcome) throw new Error(`no decision on ${event.name}`);
    const told = stays ? outcome.decision.context.map(({ text }) => escapeText(text)).join("\n") : "";
    const records = prepareRecords([outcome], engine);
    const performance = { ...engine, memory, onNotice };
    const problems = await performOutcomes([outcome], records, { stdout: told, stderr: "", exitCode: 0 }, performance);
    for (const remark of [...engine.remarks, ...problems]) onRemark(remark);
    return outcome.decision;
  } finally {
    await engine.close();
  }
}

const withProblem = (tools: ToolReader, problem: InputProblem): ToolReader => ({
  read: tools.read,
  problem: (name, input) => tools.problem?.(name, input) ?? problem(input),
});
