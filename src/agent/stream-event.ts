/** What an agent tells whoever watches it, as it happens. */
import type { EventOf } from "../core/event.ts";
import type { JsonObject } from "../core/json.ts";
import type { AwaitingConfirmation, NoticeRecord } from "../embed/holdfast.ts";
import type { Delegation } from "./delegation.ts";
import type { TurnResult } from "./loop.ts";
import type { PermissionMode } from "./permission-mode.ts";

interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

export type Happening =
  | { readonly type: "session_created"; readonly source: EventOf<"session_start">["source"] }
  | { readonly type: "turn_started"; readonly turn: string; readonly mode: PermissionMode }
  | { readonly type: "prompt"; readonly text: string }
  | { readonly type: "assistant"; readonly text: string }
  | ({ readonly type: "tool_started" } & Call)
  /** The call waits for people whom a rule for approvals names. */
  | { readonly type: "awaiting_confirmation"; readonly waiting: AwaitingConfirmation }
  | ({ readonly type: "tool_blocked"; readonly reason: string } & Call)
  | ({ readonly type: "tool_finished"; readonly output: string; readonly failed: boolean } & Call)
  | { readonly type: "continuation"; readonly reason: string; readonly text: string }
  | { readonly type: "compaction_started"; readonly trigger: string; readonly tokens: number }
  | { readonly type: "compaction_finished"; readonly summary: string }
  | ({ readonly type: "delegation_requested"; readonly delegation: string } & Delegation)
  | { readonly type: "delegation_blocked"; readonly target: string; readonly reason: string }
  | { readonly type: "delegation_finished"; readonly delegation: string; readonly summary: string }
  | { readonly type: "delegation_failed"; readonly delegation: string; readonly error: string }
  /** `replayed`: it comes from the records of an earlier process. */
  | { readonly type: "notice"; readonly notice: NoticeRecord; readonly replayed: boolean }
  | { readonly type: "error"; readonly message: string }
  | ({ readonly type: "turn_ended" } & TurnResult)
  | { readonly type: "session_ended"; readonly reason: string };

/** `agent`: the sub-agent it is about; null: the main agent. */
export type StreamEvent = { readonly session: string; readonly agent: string | null } & Happening;
