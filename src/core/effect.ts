import type { EventName } from "./event.ts";
import type { Json } from "./json.ts";

/** Something a person should know about a hook. The first three fields are the predecessor's hook_notice. */
export interface Notice {
  readonly event_name: EventName | "load";
  readonly message: string;
  readonly is_error: boolean;
  readonly code: string;
  readonly hook: string | null;
}

/** One line of the ledger: what a tool did. */
export interface LedgerEntry {
  readonly timestamp: string;
  readonly host: string;
  readonly session: string;
  readonly agent: string | null;
  readonly tool_name: string;
  readonly tool_kind: string;
  readonly tool_use_id?: string;
  readonly cwd: string;
  readonly input_summary?: string;
  /** A shell command in full, as far as evidence may need it. */
  readonly command?: string;
  readonly paths?: readonly string[];
  readonly success: boolean;
  /** Not a success, and not known to be a failure. */
  readonly outcome_unknown?: true;
  readonly output_summary?: string;
  readonly duration_ms?: number;
  /** The run it was done in. */
  readonly run?: string;
}

/** What is to be done besides the answer. Hooks return effects; the process that hosts the engine performs them. */
export type Effect =
  | { readonly type: "ledger"; readonly entry: LedgerEntry }
  | { readonly type: "modified-file"; readonly path: string }
  | { readonly type: "notice"; readonly notice: Notice }
  /** A tool's whole output, where the model sees only a part of it. */
  | { readonly type: "keep-output"; readonly file: string; readonly text: string }
  | { readonly type: "note"; readonly data: Json };
