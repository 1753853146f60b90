/** One native payload answered: judged, recorded, rendered. What every process that hosts the engine does with a call. */
import type { Environment } from "../../config/places.ts";
import type { AgentEvent } from "../../core/event.ts";
import { CONTINUE_PREFIX } from "../../hosts/answer-text.ts";
import type { Host, HostAnswer, Native, Outcome } from "../../hosts/host.ts";
import { recordHeartbeat } from "./heartbeat.ts";
import { withPassOffer } from "./one-time-pass.ts";
import { judgeUnderRules } from "./overrides.ts";
import { performOutcomes } from "./perform.ts";
import { type ReadyEngine, readyEngine } from "./ready.ts";
import { memoryOf, type SessionMemory } from "./session-memory.ts";
import { withOutcome } from "./transcript-outcome.ts";
import { recordUnknown } from "./unknown.ts";

export interface Setting {
  readonly cwd: string;
  readonly distDir: string;
  readonly env: Environment;
  readonly signal: AbortSignal;
}

export interface Answered {
  readonly answer: HostAnswer;
  /** For the person, beside the answer. */
  readonly remarks: readonly string[];
}

export async function answerNative(host: Host, parsed: Native, setting: Setting): Promise<Answered> {
  const { cwd, distDir, env, signal } = setting;
  const engine = await readyEngine(cwd, env, distDir, host.projectDir?.(env));
  try {
    const remarks = [...engine.remarks, ...recordUnknown(host, parsed, engine)];
    const [first] = parsed.events;
    if (!first) return { answer: host.codec.render(parsed, []), remarks };
    const memory = memoryOf(first, engine);
    beginOrEnd(first, memory, engine);
    const native = { ...parsed, events: parsed.events.map((event) => counted(withOutcome(event, host), memory)) };
    const judged = await judgeUnderRules(host, native, engine, {
      signal,
      maxContextCharacters: engine.plan.settings.maxContextCharacters,
      told: memory.knows,
    });
    const outcomes = judged.map((outcome) => withPassOffer(outcome, engine.hooks));
    const answer = host.codec.render(native, outcomes);
    if (outcomes.some(continues)) memory.setContinuations(memory.continuations() + 1);
    return { answer, remarks: [...remarks, ...performOutcomes(outcomes, answer, { ...engine, memory })] };
  } finally {
    await engine.close();
  }
}

function beginOrEnd(event: AgentEvent, memory: SessionMemory, engine: ReadyEngine): void {
  const starts = event.name === "session_start" && event.source !== "resume";
  const compacted = event.name === "session_start" && event.source === "compact";
  // A compaction may come in the middle of a turn: what hooks said of it is forgotten, how often they continued it is not.
  const continuations = compacted ? memory.continuations() : 0;
  if (starts || event.name === "session_end") memory.forget();
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
