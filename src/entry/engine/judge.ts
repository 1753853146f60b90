/** One native payload judged: its canonical events one after another, until one of them is blocked. */
import { decide } from "../../core/engine.ts";
import type { Hook } from "../../core/hook.ts";
import type { Host, Native, Outcome } from "../../hosts/host.ts";

export interface JudgeOptions {
  readonly signal: AbortSignal;
  readonly maxContextCharacters: number;
  /** Texts this session was already told. */
  readonly told?: (text: string) => boolean;
  readonly onAsk?: (hook: Hook) => void;
}

const MAX_CONTINUATIONS = 1;

export async function judgeNative(
  host: Host,
  native: Native,
  hooks: readonly Hook[],
  options: JudgeOptions,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const index of native.events.keys()) {
    const event = host.codec.current(native, outcomes)[index];
    if (!event) break;
    const decision = await decide(event, hooks, {
      tools: host.tools,
      clock: () => Math.round(performance.now() * 1000) / 1000,
      signal: options.signal,
      context: {
        maxCharacters: Math.min(options.maxContextCharacters, host.maxContextCharacters),
        told: options.told ?? (() => false),
      },
      maxContinuations: MAX_CONTINUATIONS,
      ...(options.onAsk ? { onAsk: options.onAsk } : {}),
    });
    outcomes.push({ event, decision });
    if (decision.kind === "block") break;
  }
  return outcomes;
}
