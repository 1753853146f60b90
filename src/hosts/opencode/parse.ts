/** Payloads as plugin.ts makes them of OpenCode's calls: the common field names, and OpenCode's own names of events. */
import type { AgentEvent, EventOf } from "../../core/event.ts";
import { isJsonObject } from "../../core/json.ts";
import {
  commonContext,
  parseWith,
  permissionRequest,
  postCompaction,
  postToolUse,
  postToolUseFailure,
  preCompaction,
  preToolUse,
  type Reading,
  sessionEnd,
  sessionStart,
  stop,
  userPrompt,
} from "../event-readers.ts";
import { filledOr, textOr } from "../payload.ts";
import { PASSED } from "./support.ts";
import { delegating, tools } from "./tools.ts";

const HOST = "opencode";

export const parse = parseWith({
  host: HOST,
  tools,
  delegating,
  passed: PASSED,
  contextOf: (payload, moment) => ({
    ...commonContext(HOST, payload, moment),
    turn: textOr(payload.message_id, ""),
    parentAgent: filledOr(payload.parent_agent_id, null),
    // Where the call itself runs; the project stays the session's.
    cwd: filledOr(payload.workdir, filledOr(payload.cwd, moment.cwd)),
  }),
  readers: {
    "session.created": (reading) =>
      filledOr(reading.payload.agent_id, undefined) === undefined ? sessionStart(reading) : delegationStart(reading),
    dispose: sessionEnd,
    "chat.message": userPrompt,
    "tool.execute.before": preToolUse,
    "permission.asked": permissionRequest,
    "tool.execute.after": ran,
    "message.part.updated": postToolUseFailure,
    "step-finish": stop,
    "experimental.session.compacting": preCompaction,
    "session.compacted": postCompaction,
  },
});

/** A command that failed is a call that succeeded, as OpenCode sees it; a sub-agent's end is the end of the call for it. */
function ran(reading: Reading): readonly AgentEvent[] {
  const { payload, context } = reading;
  const failed = typeof payload.exit_code === "number" && payload.exit_code !== 0;
  const calls = postToolUse(reading).map((event) => (event.name === "post_tool_use" ? { ...event, failed } : event));
  if (!delegating.names.includes(textOr(payload.tool_name, ""))) return calls;
  const request = delegating.requestOf(isJsonObject(payload.tool_input) ? payload.tool_input : {});
  const done: EventOf<"post_delegation"> = {
    name: "post_delegation",
    ...context,
    delegationId: textOr(payload.tool_use_id, ""),
    targetAgentId: request.targetAgentId,
    childSessionId: textOr(payload.child_session_id, ""),
    objective: request.objective,
    status: "complete",
    summary: textOr(payload.tool_response, ""),
    verificationPassed: false,
  };
  return [...calls, done];
}

function delegationStart({ payload, context }: Reading): readonly AgentEvent[] {
  const start: EventOf<"delegation_start"> = {
    name: "delegation_start",
    ...context,
    delegationId: textOr(payload.agent_id, ""),
    targetAgentId: textOr(payload.agent_type, ""),
    objective: textOr(payload.prompt, ""),
    context: null,
    constraints: null,
    expectedOutput: null,
    status: "requested",
  };
  return [start];
}
