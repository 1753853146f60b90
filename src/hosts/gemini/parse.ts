import type { EventContext, EventOf } from "../../core/event.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import {
  commonContext,
  type EventReader,
  notification,
  parseWith,
  postToolUse,
  preToolUse,
  type Reading,
  sessionEnd,
  sessionStart,
  stop,
  userPrompt,
} from "../event-readers.ts";
import type { Moment } from "../host.ts";
import { filledOr, textOr } from "../payload.ts";
import { PASSED } from "./support.ts";
import { delegating, tools } from "./tools.ts";

const HOST = "gemini";

export const parse = parseWith({
  host: HOST,
  tools,
  delegating,
  passed: PASSED,
  contextOf,
  readers: {
    SessionStart: sessionStart,
    SessionEnd: sessionEnd,
    // Also fires for the prompt by which a hook continues a turn.
    BeforeAgent: userPrompt,
    BeforeTool: preToolUse,
    AfterTool: afterTool,
    AfterAgent: (reading) =>
      stop({
        ...reading,
        payload: { ...reading.payload, last_assistant_message: reading.payload.prompt_response ?? null },
      }),
    Notification: notification,
  },
});

function contextOf(payload: JsonObject, moment: Moment): EventContext {
  const context = commonContext(HOST, payload, moment);
  const session = filledOr(payload.session_id, moment.env.GEMINI_SESSION_ID ?? "");
  return { ...context, session, cwd: directoryOf(payload, context.cwd) };
}

/** A shell command may name the directory it runs in: what it does to relative paths happens there. */
function directoryOf({ tool_name: tool, tool_input: input }: JsonObject, cwd: string): string {
  const named = tool === "run_shell_command" && isJsonObject(input) ? filledOr(input.dir_path, undefined) : undefined;
  if (named === undefined) return cwd;
  return /^(?:[/\\]|[A-Za-z]:)/.test(named) ? named : `${cwd}/${named}`;
}

/** A call that delegated is the end of its delegation too. */
function afterTool(reading: Reading): ReturnType<EventReader> {
  const calls = postToolUse(reading).filter((event) => event.name === "post_tool_use");
  return calls.flatMap((call) => {
    const ended = { ...call, failed: hasFailed(call) };
    return delegating.names.includes(call.tool.name) ? [ended, endOfDelegation(reading, ended)] : [ended];
  });
}

function endOfDelegation(
  { context, payload }: Reading,
  { tool, failed }: EventOf<"post_tool_use">,
): EventOf<"post_delegation" | "delegation_failure"> {
  const { targetAgentId, objective } = delegating.requestOf(tool.input);
  const common = { ...context, delegationId: tool.id ?? "", targetAgentId, objective };
  const progress = progressOf(payload.tool_response);
  const said = textOr(progress.result, "");
  if (!failed) {
    return {
      name: "post_delegation",
      ...common,
      childSessionId: "",
      status: "complete",
      summary: said,
      verificationPassed: false,
    };
  }
  return {
    name: "delegation_failure",
    ...common,
    status: "failed",
    error: errorOf(payload.tool_response) ?? said,
    errorType: filledOr(progress.terminateReason, "Unknown Error"),
  };
}

/** The message that stands for the whole result where the tool itself reports an error. */
export function errorOf(response: Json | undefined): string | undefined {
  const error = isJsonObject(response) ? response.error : undefined;
  if (!isJsonObject(error)) return undefined;
  return textOr(error.message, "");
}

function hasFailed({ tool, response }: EventOf<"post_tool_use">): boolean {
  if (errorOf(response) !== undefined) return true;
  if (tool.kind === "delegate") return (progressOf(response).terminateReason ?? "GOAL") !== "GOAL";
  if (tool.kind !== "shell" || !isJsonObject(response)) return false;
  const text = textOr(response.llmContent, "");
  return FAILED_AT_END.test(text) || CANCELLED.test(text);
}

/** The program's own lines below a command's output. A command can print such lines, but not take away the real ones. */
const FAILED_AT_END =
  /\n(?:Exit Code: (?!0\n)-?\d+|Signal: \S+)(?:\nSignal: .*)?(?:\nBackground PIDs: .*)?(?:\nProcess Group PGID: \d+)?(?:\n<\/untrusted_context>)?\s*$/;
const CANCELLED = /^(?:<untrusted_context>\n)?Command was (?:automatically )?cancelled /;

function progressOf(response: Json | undefined): JsonObject {
  return isJsonObject(response) && isJsonObject(response.returnDisplay) ? response.returnDisplay : {};
}
