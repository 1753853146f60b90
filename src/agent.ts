/** `holdfast/agent`: the reference agent, and the parts to build another from. */

export { type Agent, type AgentOptions, createAgent, type OpenOptions } from "./agent/agent.ts";
export { type AiSdk, aiSdkModel, type LanguageModel } from "./agent/ai-sdk-model.ts";
export type { Conversation, Role } from "./agent/conversation.ts";
export { type DagOptions, type DagResult, type DagStep, runDag } from "./agent/dag.ts";
export type { Delegation } from "./agent/delegation.ts";
export { jsonMode } from "./agent/json-mode.ts";
export type { TurnOptions, TurnResult } from "./agent/loop.ts";
export type { Message, ToolRequest } from "./agent/message.ts";
export type { Model, ModelAnswer, ModelRequest, OfferedTool } from "./agent/model.ts";
export { type PermissionMode, permissionModeNamed } from "./agent/permission-mode.ts";
export { type ScriptedCall, type ScriptedModel, type ScriptedStep, scriptedModel } from "./agent/scripted-model.ts";
export type { Happening, StreamEvent } from "./agent/stream-event.ts";
export { STANDARD_TOOLS } from "./agent/tools/standard-tools.ts";
export type { Tool, ToolPlace } from "./agent/tools/tool.ts";
export { placeIn } from "./agent/tools/working-directory.ts";
