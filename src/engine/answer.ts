/**
 * One native payload answered: judged and rendered, then recorded. What every process that hosts the engine does with a
 * call. The two are apart because a process that answers for others must not record a call that somebody else took over.
 */
import type { Environment } from "../config/places.ts";
import type { AgentEvent } from "../core/event.ts";
import { CONTINUE_PREFIX } from "../hosts/answer-text.ts";
import type { Host, HostAnswer, Native, Outcome } from "../hosts/host.ts";
import { recordHeartbeat } from "./heartbeat.ts";
import type { Abortable, IsAwaited } from "./judge.ts";
import { forgetAnalyses } from "./machine.ts";
import { withPassOffer } from "./one-time-pass.ts";
import { judgeUnderRules } from "./overrides.ts";
import { performOutcomes, prepareRecords } from "./perform.ts";
import { type ReadyEngine, readyEngine } from "./ready.ts";
import { memoryOf, type SessionMemory } from "./session-memory.ts";
import { withOutcome } from "./transcript-outcome.ts";
import { recordUnknown } from "./unknown.ts";

export interface Setting {
  readonly cwd: string;
  readonly distDir: string;
  readonly env: Environment;
  readonly abort: Abortable;
  /** Where engines come from; default: made for this one call. */
  readonly engineAt?: EngineSource | undefined;
  /** The call may be in the records already: what is there is not written again. */
  readonly maybeRecorded?: boolean;
  readonly isAwaited?: IsAwaited;
}

export type EngineSource = (
  cwd: string,
  env: Environment,
  distDir: string,
  projectDir: string | undefined,
) => Promise<ReadyEngine>;

export interface Answered {
  readonly answer: HostAnswer;
  /** For the person, beside the answer. */
  readonly remarks: readonly string[];
}

export interface Judged {
  readonly answer: HostAnswer;
  /** Writes down what was decided; to be called once, and before the answer is given. Returns remarks for the person. */
  record(): Promise<readonly string[]>;
  /** Ends what hooks may have left running. */
  close(): Promise<void>;
}

export async function answerNative(host: Host, parsed: Native, setting: Setting): Promise<Answered> {
  const judged = await judgeCall(host, parsed, setting);
  try {
    return { answer: judged.answer, remarks: await judged.record() };
  } finally {
    await judged.close();
  }
}

export async function judgeCall(host: Host, parsed: Native, setting: Setting): Promise<Judged> {
  const { cwd, distDir, env, engineAt = readyEngine, maybeRecorded = false } = setting;
  const engine = await engineAt(cwd, env, distDir, host.projectDir?.(env));
  const close = async () => {
    await engine.close();
    engine.handIn();
  };
  forgetAnalyses();
  try {
    const remarks = async () => [...engine.takeRemarks(), ...(await recordUnknown(host, parsed, engine))];
    const [first] = parsed.events;
    if (!first) return { answer: host.codec.render(parsed, []), record: remarks, close };
    const memory = memoryOf(first, engine);
    const native = withEvents(parsed, (event) => counted(withOutcome(event, host), memory));
    const judged = await judgeUnderRules(host, native, engine, {
      abort: setting.abort,
      ...(setting.isAwaited ? { isAwaited: setting.isAwaited } : {}),
      maxContextCharacters: engine.plan.settings.maxContextCharacters,
      // What was told before the context is new is not known to the model any more, and what a daemon noted as told
      // that died before it answered never was.
      told: forgets(first) || maybeRecorded ? () => false : memory.knows,
    });
    const outcomes = judged.map((outcome) => withPassOffer(outcome, engine.hooks, host.support));
    const answer = host.codec.render(native, outcomes);
    const record = async () => {
      beginOrEnd(first, memory, engine);
      if (outcomes.some(continues)) memory.setContinuations(memory.continuations() + 1);
      const performance = { memory, maybeRecorded };
      return [
        ...(await remarks()),
        ...(await performOutcomes(
          outcomes,
          prepareRecords(outcomes, engine, host.support),
          answer,
          engine,
          performance,
        )),
      ];
    };
    return { answer, record, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Hardly any event is changed, and a copy of what nobody changed costs every call. */
function withEvents(native: Native, change: (event: AgentEvent) => AgentEvent): Native {
  const events = native.events.map(change);
  return events.every((event, index) => event === native.events[index]) ? native : { ...native, events };
}

/** The session begins with an empty context, or is over. */
const forgets = (event: AgentEvent) =>
  (event.name === "session_start" && event.source !== "resume") || event.name === "session_end";

function beginOrEnd(event: AgentEvent, memory: SessionMemory, engine: ReadyEngine): void {
  const compacted = event.name === "session_start" && event.source === "compact";
  // A compaction may come in the middle of a turn: what hooks said of it is forgotten, how often they continued it is not.
  const continuations = compacted ? memory.continuations() : 0;
  if (forgets(event)) memory.forget();
  if (compacted) memory.setContinuations(continuations);
  recordHeartbeat(event, memory, engine);
  // The prompt by which a hook continues a turn begins no new one.
  if (event.name === "user_prompt_submit" && !event.prompt.includes(CONTINUE_PREFIX)) memory.setContinuations(0);
}

/** Not every host counts how often a turn was continued, and some forget it in between. */
function counted(event: AgentEvent, memory: SessionMemory): AgentEvent {
  if (event.name !== "stop") return event;
  return { ...event, continuations: Math.max(event.continuations, memory.continuations()) };
}

const continues = ({ decision }: Outcome) => decision.kind === "continue";
