import type { SupportTable } from "./support.ts";

export const support: SupportTable = {
  session_start: {
    how: "wrapped",
    note: "by `guardedQuery`; its context goes with the first prompt. After a compaction by the SDK",
  },
  session_end: { how: "wrapped", note: "by `guardedQuery`, when the messages end" },
  user_prompt_submit: { how: "enforced", note: "UserPromptSubmit" },
  pre_tool_use: {
    how: "enforced",
    note: "PreToolUse; the model sees its own input in the history. What hooks of the program's own make of a call is judged too; what hooks of settings files make of it is judged where the SDK asks whether it may run, and not seen where it does not ask",
  },
  "pre_tool_use: ask": {
    how: "enforced",
    note: "through canUseTool; with `suspend` as a deferred call, pending approvals too. Of several such calls one is deferred, the others are blocked and to be made again. A call that a hook of the program's own changed cannot wait: it is blocked",
  },
  permission_request: { how: "enforced", note: "the callback and canUseTool go by one decision" },
  post_tool_use: { how: "enforced", note: "PostToolUse and PostToolUseFailure" },
  "post_tool_use: rewrite": {
    how: "enforced",
    note: "Bash, Read and MCP tools; beside the output of other tools, and of failed calls, stands what replaces it",
  },
  pre_delegation: { how: "enforced", note: "PreToolUse of the tool Agent" },
  delegation_start: { how: "enforced", note: "SubagentStart" },
  post_delegation: {
    how: "enforced",
    note: "SubagentStop; its context is not sent: the SDK takes it as an order to continue the sub-agent",
  },
  delegation_failure: { how: "enforced", note: "PostToolUseFailure of the tool Agent" },
  stop: {
    how: "enforced",
    note: "Stop; context without a continue is not sent: the SDK takes it as an order to go on",
  },
  pre_compaction: { how: "enforced", note: "PreCompact; its context is not sent: a callback has no form for it" },
  post_compaction: { how: "enforced", note: "PostCompact; likewise" },
  notification: { how: "enforced", note: "Notification" },
};
