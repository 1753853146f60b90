import type { SupportTable } from "./support.ts";

export const support: SupportTable = {
  session_start: { how: "wrapped", note: "by `runGuarded`, before the session's first prompt" },
  session_end: { how: "never", note: "an agent does not know when its conversation is over: fire it yourself" },
  user_prompt_submit: {
    how: "wrapped",
    note: "by `runGuarded`; context becomes part of the input, so it is in the history",
  },
  pre_tool_use: {
    how: "enforced",
    note: "function tools, tools of MCP servers, what a `tool_search` of the program finds, agents as tools, handoffs; the model sees its own input in the history. Calls of tool_search itself are not seen: it is refused unless accepted",
  },
  "pre_tool_use: block": {
    how: "enforced",
    note: "the reason is the tool's output, which the SDK does not flag as an error",
  },
  "pre_tool_use: ask": {
    how: "enforced",
    note: "in process; with `suspend` as an interruption of a RunState, pending approvals too. In an agent that runs as a tool always in process",
  },
  "pre_tool_use: context": {
    how: "enforced",
    note: "added to the output; an output with an outputSchema has no place for it and stays as it is",
  },
  permission_request: {
    how: "enforced",
    note: "before a person is asked, by hooks or by the tool's own needsApproval",
  },
  post_tool_use: {
    how: "enforced",
    note: "a failure is known as one where the tool has `errorFunction: null`; otherwise it looks like an output",
  },
  pre_delegation: {
    how: "enforced",
    note: "agents as tools and handoffs. A handoff that is blocked returns to the agent that made it, with the reason in its instructions; context of one is in the instructions of who goes on",
  },
  "pre_delegation: rewrite": {
    how: "stricter",
    note: "another target is blocked, and so is another objective where the input has no one text to change",
  },
  delegation_start: { how: "enforced", note: "agents as tools and handoffs" },
  post_delegation: { how: "enforced", note: "agents as tools; a handoff does not come back" },
  delegation_failure: { how: "enforced", note: "agents as tools whose run throws, with `errorFunction: null`" },
  stop: { how: "wrapped", note: "by `runGuarded`: continue runs again with the history" },
  pre_compaction: { how: "never", note: "sessions compact by themselves, on OpenAI's side" },
  post_compaction: { how: "never", note: "likewise" },
  notification: { how: "never", note: "there is none" },
};
