import type { JsonObject } from "../../core/json.ts";
import {
  commonContext,
  delegationStart,
  type EventReader,
  notification,
  parseWith,
  permissionRequest,
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
import type { Moment, Native } from "../host.ts";
import { filledOr } from "../payload.ts";
import { eventOf, registeredName, snakeCased } from "./dialect.ts";
import { PASSED } from "./support.ts";
import { delegating, tools } from "./tools.ts";

const HOST = "copilot";

export function parse(payload: JsonObject, moment: Moment): Native {
  const event = eventOf(payload, moment);
  const { unknownEvent, ...native } = parseSnakeCased(snakeCased(payload, registeredName(event)), moment);
  return { ...native, event, payload, ...(unknownEvent === undefined ? {} : { unknownEvent: event }) };
}

/** Copilot takes a command that failed for a success and says so only in its last line. */
const postToolUseOrFailed: EventReader = (reading) =>
  postToolUse(reading).map((event) =>
    event.name === "post_tool_use" && event.tool.kind === "shell" && typeof event.response === "string"
      ? { ...event, failed: FAILED_COMMAND.test(event.response) }
      : event,
  );

const FAILED_COMMAND = /<shellId: \S+ completed with exit code (?!0>)-?\d+>\s*$/;

const parseSnakeCased = parseWith({
  host: HOST,
  tools,
  delegating,
  passed: PASSED,
  contextOf: (payload, moment) => ({
    ...commonContext(HOST, payload, moment),
    parentAgent: filledOr(payload.parent_agent_id, null),
  }),
  readers: {
    sessionStart,
    sessionEnd,
    userPromptSubmitted: userPrompt,
    preToolUse,
    permissionRequest,
    postToolUse: postToolUseOrFailed,
    postToolUseFailure,
    subagentStart: delegationStart,
    subagentStop: postDelegation,
    agentStop: stop,
    preCompact: preCompaction,
    notification,
  },
});
