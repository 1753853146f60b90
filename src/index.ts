/** What hook authors and builders of agents import. */

export type { ToldContext } from "./core/context.ts";
export { type Decision, leadingReason, type Reason, type TraceStep } from "./core/decision.ts";
export type { Effect, LedgerEntry, Notice } from "./core/effect.ts";
export { type DecideOptions, decide } from "./core/engine.ts";
export { HoldfastError } from "./core/errors.ts";
export {
  type AgentEvent,
  type Answer,
  EVENT_NAMES,
  type EventName,
  type EventOf,
  type ToolEvent,
} from "./core/event.ts";
export { type FailureCode, HookFailure } from "./core/failure.ts";
/** The small language `options` is declared in: `fields.text()`, `fields.oneOf([...])`. */
export * as fields from "./core/fields.ts";
export type { Hook, JudgeContext, Layer, OnError } from "./core/hook.ts";
export type { Json, JsonObject } from "./core/json.ts";
export type { Pattern, When } from "./core/match.ts";
export type { ToolReader } from "./core/rewrite.ts";
export type {
  AttemptHookContext,
  PrepareHookContext,
  RunHookContext,
  RunHookResult,
  TaskTransitionHookContext,
  TaskTransitionResult,
} from "./core/run-contract.ts";
export type { AttachmentChanges, Mutation as HookMutations, TaskPatch as HookTaskPatch } from "./core/run-mutation.ts";
export { TOOL_KINDS, type ToolCall, type ToolCallOf, type ToolKind } from "./core/tool.ts";
export type { Opinion, Verdict } from "./core/verdict.ts";
export type { AnswerTo } from "./custom/answer.ts";
export {
  ClassHook,
  type HookContext,
  type HookPoint,
  HookRegistry,
  type HookResult,
  PostToolUseHook,
  type PostToolUseResult,
  PreToolUseHook,
  type PreToolUseResult,
  SessionStartHook,
  type SessionStartResult,
} from "./custom/class-hook.ts";
export {
  type AuthoredHook,
  defineHook,
  type HookData,
  type HookDefinition,
  type WhenData,
} from "./custom/define-hook.ts";
export type { RunHook } from "./custom/run-hook.ts";
export type { CodeHook } from "./embed/code-hooks.ts";
export type { Delegated, Delegation } from "./embed/delegation.ts";
export {
  type AwaitingConfirmation,
  createHoldfast,
  type Desk,
  type Holdfast,
  type HoldfastOptions,
} from "./embed/holdfast.ts";
export { type LoadHooksOptions, loadHooks } from "./embed/load-hooks.ts";
export type { LoadedHook } from "./embed/loaded-hook.ts";
export { type Fired, type PayloadOf, Session, type SessionOptions, type ToolUse } from "./embed/session.ts";
export {
  type CalledTool,
  type InputProblem,
  type JudgedCall,
  type PersonAnswer,
  type Question,
  ToolFailure,
  type ToolOutcome,
} from "./embed/tool-call.ts";
export type { ToolDescription, ToolDescriptions } from "./embed/tools.ts";
