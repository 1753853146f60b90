/** The rules as a person has bent them for now: a pause, or a pass for one call. Both are recorded. */
import type { Effect } from "../core/effect.ts";
import type { Native, Outcome } from "../hosts/host.ts";
import { type JudgeOptions, type JudgingHost, judgeNative } from "./judge.ts";
import { hooksUnderPass, mayPass, usePass } from "./one-time-pass.ts";
import { openPause, pausedHooks } from "./pause.ts";
import type { ReadyEngine } from "./ready.ts";

export async function judgeUnderRules(
  host: JudgingHost,
  native: Native,
  engine: ReadyEngine,
  options: JudgeOptions,
): Promise<Outcome[]> {
  const [first] = native.events;
  const pause = first && openPause(engine.plan.root, engine.places, new Date(first.at));
  const hooks = pause ? pausedHooks(engine.hooks) : engine.hooks;
  const outcomes = await judgeNative(host, native, hooks, options);
  const stopped = outcomes.find(({ decision }) => decision.kind === "block" || decision.kind === "ask");
  const bendable = stopped?.decision.reasons.every(({ rule }) => mayPass(rule));
  const pass = stopped && bendable ? usePass(stopped.event, engine.places) : undefined;
  if (!pass || !stopped) return pause ? outcomes.map((outcome) => noted(outcome, { paused: pause.until })) : outcomes;
  const passed = await judgeNative(host, native, hooksUnderPass(engine.hooks, stopped), options);
  return passed.map((outcome) =>
    noted(outcome, {
      allowedOnce: pass.digest,
      grantedAt: pass.grantedAt,
      otherwise: stopped.decision.reasons[0]?.text ?? "",
    }),
  );
}

export function noted({ event, decision }: Outcome, data: Record<string, string>): Outcome {
  const note: Effect = { type: "note", data };
  return { event, decision: { ...decision, effects: [...decision.effects, note] } };
}
