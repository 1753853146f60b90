/** What the runner and its worker say to each other. All of it is plain data. */
import type { AgentEvent } from "../core/event.ts";
import type { FailureCode } from "../core/failure.ts";
import type { JsonObject } from "../core/json.ts";
import type { Verdict } from "../core/verdict.ts";
import type { HookData } from "./define-hook.ts";
import type { Pins } from "./module-pins.ts";

export interface WorkerSetup {
  /** Goes with every reply; what modules post to the parent by themselves does not have it. */
  readonly mark: string;
  /** Where `import … from "holdfast"` leads. */
  readonly packageEntry: string;
  /** Compiled modules are kept here; null: nowhere. */
  readonly cacheDir: string | null;
  /** Of the environment, which has everything else. */
  readonly nodeOptions: string | null;
}

export type WorkerQuestion = { readonly file: string } & (
  | { readonly type: "describe" }
  | {
      readonly type: "judge";
      readonly exportIndex: number;
      readonly event: AgentEvent;
      readonly now: Date;
      readonly options: JsonObject;
    }
);

export type WorkerRequest = WorkerQuestion & {
  readonly id: number;
  /** What is loaded under one set of pins is one realm. */
  readonly realm: number;
  /** With the first request of a realm; null: any file may be loaded. */
  readonly pins?: Pins | null;
};

export type MarkedReply = readonly [mark: string, reply: WorkerReply];

export type WorkerReply =
  | (Settled & { readonly type: "described"; readonly hooks: readonly HookData[] })
  | (Settled & { readonly type: "judged"; readonly hook: string; readonly verdict: Verdict })
  | (Settled & { readonly type: "failed"; readonly code: FailureCode; readonly message: string })
  /** Said the first time only. The module is loaded: what is printed from here on is printed by its judge. */
  | { readonly id: number; readonly type: "loaded" }
  | { readonly id: number; readonly type: "printed"; readonly text: string }
  /** The worker cannot go on. `id`: the request whose code did it, where that is known. */
  | { readonly id: number | null; readonly type: "crashed"; readonly message: string };

interface Settled {
  readonly id: number;
  /** Something is still running in the worker, or half loaded: it is not to be used again. */
  readonly leaves: boolean;
}
