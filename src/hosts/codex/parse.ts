import { isJsonObject, type Json } from "../../core/json.ts";
import {
  commonContext,
  delegationStart,
  type EventReader,
  parseWith,
  permissionRequest,
  postCompaction,
  postDelegation,
  postToolUse,
  preCompaction,
  preToolUse,
  sessionEnd,
  sessionStart,
  stop,
  userPrompt,
} from "../event-readers.ts";
import { textOr } from "../payload.ts";
import { PASSED } from "./support.ts";
import { delegating, tools } from "./tools.ts";

const HOST = "codex";

export const parse = parseWith({
  host: HOST,
  tools,
  delegating,
  passed: PASSED,
  contextOf: (payload, moment) => ({
    ...commonContext(HOST, payload, moment),
    turn: textOr(payload.turn_id, ""),
  }),
  readers: {
    SessionStart: sessionStart,
    SessionEnd: sessionEnd,
    // A sub-agent's prompt comes by the same event; no person wrote it, and it was judged as a delegation.
    UserPromptSubmit: (reading) => (reading.context.agent === null ? userPrompt(reading) : []),
    PreToolUse: preToolUse,
    PermissionRequest: permissionRequest,
    PostToolUse: finishedCall,
    PreCompact: preCompaction,
    PostCompact: postCompaction,
    SubagentStart: delegationStart,
    SubagentStop: postDelegation,
    Stop: stop,
  },
});

/** Only some answers say whether the call failed. A command's does not: its exit code is in the transcript alone. */
function finishedCall(reading: Parameters<EventReader>[0]): ReturnType<EventReader> {
  const failed = failedBy(reading.payload.tool_response);
  return postToolUse(reading).map((event) => (event.name === "post_tool_use" ? { ...event, failed } : event));
}

function failedBy(response: Json | undefined): boolean {
  if (isJsonObject(response)) return response.isError === true;
  return typeof response === "string" && /^Exit code: (?!0\n)\d+\n/.test(response);
}
