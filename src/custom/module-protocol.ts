/** What the runner and its worker say to each other. All of it is plain data; questions travel as JSON. */
import type { AgentEvent } from "../core/event.ts";
import type { FailureCode } from "../core/failure.ts";
import type { JsonObject } from "../core/json.ts";
import type { Verdict } from "../core/verdict.ts";
import type { HookData } from "./define-hook.ts";
import type { Pins } from "./module-pins.ts";

export interface WorkerSetup {
  /** Goes with every reply; what modules post to the parent by themselves does not have it. */
  readonly mark: string;
  /** The memory of the sheet that both sides see. */
  readonly sheet: SharedArrayBuffer;
  /** Where `import … from "holdfast"` leads. */
  readonly packageEntry: string;
  /** Compiled modules are kept here; null: nowhere. */
  readonly cacheDir: string | null;
  /** Of the environment, which has everything else. */
  readonly nodeOptions: string | null;
}

export interface ModulePlace {
  readonly file: string;
  /** What is loaded under one set of pins is one realm. */
  readonly realm: number;
  /** With the first request of a realm; null: any file may be loaded. */
  readonly pins?: Pins | null;
}

/** A hook, as the worker has to know it. */
export interface AskedHook extends ModulePlace {
  readonly exportIndex: number;
  readonly options: JsonObject;
  /** Its module is not loaded for this, and none of its code runs. */
  readonly isUnderstudy?: true;
  /** From now on this number stands for it. */
  readonly number?: number;
}

export type WorkerRequest =
  | (ModulePlace & { readonly type: "describe"; readonly id: number })
  | {
      readonly type: "judge";
      /** Of the first; the others are counted from there. */
      readonly id: number;
      /** In turn, until one answers what the next must know of; absent: those of the last question. */
      readonly asked?: readonly (number | AskedHook)[];
      readonly event: AgentEvent;
      /** The time of the event, in ms. */
      readonly now: number;
    };

export type MarkedReply = readonly [mark: string, reply: WorkerReply];

/** `id` is that of the hook it is about: those asked before it have answered on the sheet. */
export type WorkerReply =
  | (Settled & { readonly type: "described"; readonly hooks: readonly HookData[] })
  | (Settled & { readonly type: "judged"; readonly answer: HookAnswer; readonly ms: number })
  | (Settled & { readonly type: "failed"; readonly code: FailureCode; readonly message: string })
  /** All who were asked have answered, on the sheet. */
  | (Settled & { readonly type: "answered" })
  /** Said the first time only. The module is loaded: what is printed from here on is printed by its judge. */
  | { readonly id: number; readonly type: "loaded" }
  | { readonly id: number; readonly type: "printed"; readonly text: string }
  /** The worker cannot go on. `id`: the request whose code did it, where that is known. */
  | { readonly id: number | null; readonly type: "crashed"; readonly message: string };

/** What one hook said. On the sheet as JSON; no text at all: it had nothing to say. */
export type HookAnswer =
  | { readonly hook: string; readonly verdict: Verdict }
  | { readonly code: FailureCode; readonly message: string };

interface Settled {
  readonly id: number;
  /** Something is still running in the worker, or half loaded: it is not to be used again. */
  readonly leaves: boolean;
}
