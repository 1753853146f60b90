import type { ToldContext } from "./context.ts";
import type { Effect } from "./effect.ts";
import type { AgentEvent, EventName } from "./event.ts";
import type { FailureCode } from "./failure.ts";
import type { Layer } from "./hook.ts";
import type { Json, JsonObject } from "./json.ts";
import type { Opinion } from "./verdict.ts";

/** What one hook did with one event. */
export interface TraceStep {
  readonly hook: string;
  readonly source: string;
  readonly layer: Layer;
  /** Why the hook was not asked; absent: it was. */
  readonly skipped?: string;
  readonly opinion?: Opinion;
  readonly rewrite?: Json;
  readonly context?: readonly string[];
  readonly effects?: readonly Effect[];
  readonly failure?: { readonly code: FailureCode; readonly message: string };
  /** Judged and recorded, not enforced. */
  readonly observed?: true;
  /** Asked again because a later hook changed what will run. */
  readonly askedAgain?: true;
  readonly ms: number;
}

/** Why the decision is what it is: one hook's reason. */
export interface Reason {
  readonly hook: string;
  readonly rule?: string;
  readonly text: string;
}

export interface Decision {
  readonly event: EventName;
  readonly kind: Opinion["kind"];
  /** Reasons of every hook that holds the winning opinion, in order; the first leads. */
  readonly reasons: readonly Reason[];
  /** The event as it will happen, after all rewrites. */
  readonly final: AgentEvent;
  /** Present where a hook changed the input, output or delegation. */
  readonly rewrite?: Json;
  readonly context: readonly ToldContext[];
  readonly effects: readonly Effect[];
  readonly mutate: readonly JsonObject[];
  readonly trace: readonly TraceStep[];
}

export const leadingReason = (decision: Decision): string => decision.reasons[0]?.text ?? "";
