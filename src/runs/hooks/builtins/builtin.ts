/** A hook of runs that ships with Holdfast. One file each; registry.ts is the only list. */
import type { z } from "zod";
import type { EventOf } from "../../../core/event.ts";
import type { Json } from "../../../core/json.ts";
import type { Verdict } from "../../../core/verdict.ts";
import type { Phase } from "../../run.ts";
import type { RunMachine } from "../engine.ts";

export type RunEvent = EventOf<"prepare" | "before_attempt" | "after_attempt" | "after_exit" | "task_transition">;

export interface RunBuiltin {
  readonly name: string;
  readonly doc: string;
  readonly phases: readonly Phase[];
  /** What its `with` may be. */
  readonly config: z.ZodType;
  readonly timeoutSec: number;
  /** Its `with` names code that a person has to trust before it runs, as text. */
  codeIn?(config: Json): string;
  judge(asked: AskedBuiltin, machine: RunMachine): Promise<Verdict>;
}

export interface AskedBuiltin {
  readonly event: RunEvent;
  readonly phase: Phase;
  /** As checked by `config` when the run was made, references filled in. */
  readonly config: Json;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** It has nothing against it. */
export const goesOn = (phase: Phase, mutate: Verdict["mutate"] = {}): Verdict =>
  phase === "taskTransition" ? { opinion: { kind: "allow" }, mutate } : { opinion: { kind: "none" }, mutate };

export const refuses = (reason: string): Verdict => ({ opinion: { kind: "block", reason } });

/** Whether the edit makes a task completed that was not. */
export const completes = (event: RunEvent): boolean =>
  event.name === "task_transition" && event.toStatus === "completed" && event.fromStatus !== "completed";
