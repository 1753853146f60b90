/** One native payload judged: its canonical events one after another, until one of them is blocked. */
import { type DecideOptions, decide } from "../core/engine.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Hook } from "../core/hook.ts";
import { sameJson } from "../core/json.ts";
import type { ToolReader } from "../core/rewrite.ts";
import { STRENGTH } from "../core/verdict.ts";
import type { Codec, Host, Native, Outcome } from "../hosts/host.ts";
import { monotonicMs } from "../records/monotonic.ts";
import type { OnAwaiting } from "./awaiting-confirmation.ts";
import { unjudgeable } from "./unjudgeable.ts";

/** Such as an AbortController. The signal is made where it is asked for, and most hooks never do. */
export interface Abortable {
  readonly signal: AbortSignal;
}

export interface JudgeOptions {
  readonly abort: Abortable;
  readonly maxContextCharacters: number;
  /** Texts this session was already told. */
  readonly told?: (text: string) => boolean;
  /** Told of each hook when it is first asked, for whoever shows progress. */
  readonly onAsk?: (hook: Hook) => void;
  /** How often hooks may continue one turn. */
  readonly maxContinuations?: number;
  /** Hears that a call waits for people. */
  readonly onAwaiting?: OnAwaiting;
  /** false: a call that waits for people is blocked at once, as pending; whoever runs it suspends it. */
  readonly hold?: boolean;
  /** Whether whoever asked is still there. Looked at before a yes of people, or a pass of theirs, is used up; default: they are. */
  readonly isAwaited?: IsAwaited;
}

export type IsAwaited = () => boolean | Promise<boolean>;

const MAX_CONTINUATIONS = 1;

/** What of a host judging needs. */
export interface JudgingHost extends Pick<Host, "maxContextCharacters"> {
  readonly tools: ToolReader;
  readonly codec: Pick<Codec, "current">;
}

export async function judgeNative(
  host: JudgingHost,
  native: Native,
  hooks: readonly Hook[],
  options: JudgeOptions,
): Promise<Outcome[]> {
  const deciding = new Deciding(host, options);
  const outcomes: Outcome[] = [];
  for (const index of native.events.keys()) {
    const event = host.codec.current(native, outcomes)[index];
    if (!event) break;
    const decision = unjudgeable(event) ?? (await decide(event, hooks, deciding));
    outcomes.push({ event, decision });
    if (decision.kind === "block") return outcomes;
  }
  const [first, ...later] = outcomes;
  if (!first || later.length === 0) return outcomes;
  const [runs] = host.codec.current(native, outcomes);
  if (!runs || sameCall(first.decision.final, runs)) return outcomes;
  return [await judgedAgain(first, runs, hooks, deciding), ...later];
}

/** A class, because a getter in a literal makes V8 give every object a shape of its own: all who read it are slow then. */
class Deciding implements DecideOptions {
  readonly tools: DecideOptions["tools"];
  readonly clock = monotonicMs;
  readonly context: DecideOptions["context"];
  readonly maxContinuations: number;
  readonly onAsk?: (hook: Hook) => void;
  private readonly abort: Abortable;

  constructor({ tools, maxContextCharacters }: JudgingHost, options: JudgeOptions) {
    this.tools = tools;
    this.context = {
      maxCharacters: Math.min(options.maxContextCharacters, maxContextCharacters),
      told: options.told ?? NEVER_TOLD,
    };
    this.maxContinuations = options.maxContinuations ?? MAX_CONTINUATIONS;
    this.abort = options.abort;
    if (options.onAsk) this.onAsk = onceEach(options.onAsk);
  }

  get signal(): AbortSignal {
    return this.abort.signal;
  }
}

/** A hook is asked again where a question did not come to it, and about what other hooks changed. */
function onceEach(onAsk: (hook: Hook) => void): (hook: Hook) => void {
  const told = new Set<Hook>();
  return (hook) => {
    if (told.has(hook)) return;
    told.add(hook);
    onAsk(hook);
  };
}

const NEVER_TOLD = () => false;

const sameCall = (judged: AgentEvent, runs: AgentEvent) =>
  !("tool" in judged && "tool" in runs) || sameJson(judged.tool.input, runs.tool.input);

/** Law 2 across events: a later event's rewrite (of a delegation, say) changed the call; its guards judge what will run. */
async function judgedAgain(
  { event, decision }: Outcome,
  runs: AgentEvent,
  hooks: readonly Hook[],
  deciding: DecideOptions,
): Promise<Outcome> {
  const again = await decide(runs, hooks, deciding);
  if (STRENGTH.indexOf(again.kind) <= STRENGTH.indexOf(decision.kind)) return { event, decision };
  const { kind, reasons, trace } = again;
  return { event, decision: { ...decision, kind, reasons, trace, effects: [...decision.effects, ...again.effects] } };
}
