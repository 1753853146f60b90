import type { EventContext } from "../../core/event.ts";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import {
  commonContext,
  delegationStart,
  type EventReader,
  notification,
  parseWith,
  permissionRequest,
  postCompaction,
  postDelegation,
  postToolUse,
  postToolUseFailure,
  preCompaction,
  preToolUse,
  sessionEnd,
  sessionStart,
  stop,
  userPrompt,
} from "../event-readers.ts";
import type { Moment } from "../host.ts";
import { filledOr } from "../payload.ts";
import { PASSED } from "./support.ts";
import { delegating, tools } from "./tools.ts";

const HOST = "qwen";

export const parse = parseWith({
  host: HOST,
  tools,
  delegating,
  passed: PASSED,
  contextOf,
  readers: {
    SessionStart: sessionStart,
    SessionEnd: sessionEnd,
    // After every result of a tool it fires again: nobody wrote that prompt, and it is empty.
    UserPromptSubmit: (reading) => (isResultOfTool(reading.payload) ? [] : userPrompt(reading)),
    PreToolUse: withStableId(preToolUse),
    PermissionRequest: permissionRequest,
    PostToolUse: withStableId(postToolUse),
    PostToolUseFailure: withStableId(postToolUseFailure),
    PreCompact: preCompaction,
    PostCompact: postCompaction,
    SubagentStart: delegationStart,
    SubagentStop: postDelegation,
    Stop: stop,
    Notification: notification,
  },
});

const isResultOfTool = ({ prompt, submitted_prompt: submitted }: JsonObject) =>
  prompt === "" && submitted === undefined;

/** The model's id of a call is the same on all its events; the program's own is not. */
function withStableId(read: EventReader): EventReader {
  return (reading) => {
    const { tool_call_id: stable, tool_use_id: own } = reading.payload;
    const id = filledOr(stable, filledOr(own, undefined));
    return read({ ...reading, payload: { ...reading.payload, tool_use_id: id ?? null } });
  };
}

function contextOf(payload: JsonObject, moment: Moment): EventContext {
  const context = commonContext(HOST, payload, moment);
  return {
    ...context,
    session: filledOr(payload.session_id, moment.env.QWEN_CODE_SESSION_ID ?? ""),
    turn: filledOr(payload.prompt_id, moment.env.QWEN_CODE_PROMPT_ID ?? ""),
    cwd: directoryOf(payload, context.cwd),
    // Events of tools say auto-edit, others auto_edit.
    permissionMode: payload.permission_mode === "auto_edit" ? "accept_edits" : context.permissionMode,
  };
}

/** A shell command may name the directory it runs in: what it does to relative paths happens there. */
function directoryOf({ tool_name: tool, tool_input: input }: JsonObject, cwd: string): string {
  const shell = tool === "run_shell_command" || tool === "monitor";
  const named = shell && isJsonObject(input) ? filledOr(input.directory, undefined) : undefined;
  if (named === undefined) return cwd;
  return /^(?:[/\\]|[A-Za-z]:)/.test(named) ? named : `${cwd}/${named}`;
}
