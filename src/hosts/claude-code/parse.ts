import {
  commonContext,
  delegationStart,
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
import { filledOr, textOr } from "../payload.ts";
import { PASSED } from "./support.ts";
import { delegating, tools } from "./tools.ts";

const HOST = "claude-code";

export const parse = parseWith({
  host: HOST,
  tools,
  delegating,
  passed: PASSED,
  contextOf: (payload, moment) => ({
    ...commonContext(HOST, payload, moment),
    session: filledOr(payload.session_id, moment.env.CLAUDE_CODE_SESSION_ID ?? ""),
    turn: textOr(payload.prompt_id, ""),
  }),
  readers: {
    SessionStart: sessionStart,
    SessionEnd: sessionEnd,
    UserPromptSubmit: userPrompt,
    PreToolUse: preToolUse,
    PermissionRequest: permissionRequest,
    PostToolUse: postToolUse,
    PostToolUseFailure: postToolUseFailure,
    PreCompact: preCompaction,
    PostCompact: postCompaction,
    SubagentStart: delegationStart,
    // The summariser of a compaction ends like a sub-agent, but has no type and nobody asked for it.
    SubagentStop: (reading) => (reading.payload.agent_type === "" ? [] : postDelegation(reading)),
    Stop: stop,
    Notification: notification,
  },
});
