import type { AgentEvent, EventName } from "./event.ts";
import type { HookFailure } from "./failure.ts";
import type { JsonObject } from "./json.ts";
import type { When } from "./match.ts";
import type { Verdict } from "./verdict.ts";

/** Strongest first: hooks of an earlier layer run earlier and cannot be loosened by a later one. */
const LAYERS = ["builtin", "managed", "user", "project", "local"] as const;
export type Layer = (typeof LAYERS)[number];

export type OnError = "block" | "continue";

export interface JudgeContext {
  /** The time of the event. Hooks take it from here, so that a replay gives the same answer. */
  readonly now: Date;
  /** The `with:` of the hook's config entry. */
  readonly options: JsonObject;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** What one of several hooks that were asked together said, and how long it took. */
export type HookTold =
  | { readonly verdict: Verdict; readonly ms: number }
  | { readonly failure: HookFailure; readonly ms: number };

/** Where several hooks live that can be asked with one question: one way there and back for all of them. */
export interface Panel {
  /**
   * In turn, as if each were asked by itself: what the first of them said, at least of one. After one that rewrites the
   * event, none is asked.
   */
  hear(
    members: readonly Member[],
    event: AgentEvent,
    context: Pick<JudgeContext, "signal">,
  ): readonly HookTold[] | Promise<readonly HookTold[]>;
}

/** A hook, as its panel knows it. */
export interface Member {
  readonly panel: Panel;
  /** Stands in for it where a call is made up: as much is done as for the hook, and none of its code runs. */
  understudy?(): Member;
}

export interface Hook {
  readonly name: string;
  /** Where it comes from, for people: `builtin`, a command line, a file. */
  readonly source: string;
  readonly layer: Layer;
  /** Lower runs first within a layer. */
  readonly priority: number;
  /** Runs after every hook that does not say so, whatever its layer. */
  readonly last?: true;
  readonly on: readonly EventName[];
  readonly when?: When;
  readonly onError: OnError;
  /** observe: judged and recorded, not enforced. */
  readonly mode?: "enforce" | "observe";
  readonly options?: JsonObject;
  /** Shown to a person while the hook runs. */
  readonly statusMessage?: string;
  /** Where it can be asked together with others. */
  readonly member?: Member;
  judge(event: AgentEvent, context: JudgeContext): Verdict | Promise<Verdict>;
}

/** The one order hooks run in: those that must be last at the end; layer, then priority, then as written. */
export function inOrder<H extends Pick<Hook, "layer" | "priority" | "last">>(hooks: readonly H[]): H[] {
  return hooks
    .map((hook, position) => ({ hook, position }))
    .sort(
      (a, b) =>
        Number(a.hook.last ?? false) - Number(b.hook.last ?? false) ||
        LAYERS.indexOf(a.hook.layer) - LAYERS.indexOf(b.hook.layer) ||
        a.hook.priority - b.hook.priority ||
        a.position - b.position,
    )
    .map(({ hook }) => hook);
}
