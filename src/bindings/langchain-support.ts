import type { SupportTable } from "./support.ts";

export const support: SupportTable = {
  session_start: { how: "enforced", note: "before the session's first prompt" },
  session_end: { how: "never", note: "an agent does not know when its conversation is over: fire it yourself" },
  user_prompt_submit: { how: "enforced", note: "block ends the run; the reason is the agent's answer" },
  pre_tool_use: {
    how: "enforced",
    note: "the model sees its own input in the history. What middleware below makes of a call is judged again, and so is a second run; with `guardedMiddleware` also a tool that such middleware brings itself, which is not seen otherwise",
  },
  "pre_tool_use: ask": {
    how: "enforced",
    note: 'in process; with `suspend` as an interrupt in the form of LangChain\'s human-in-the-loop (needs a checkpointer), pending approvals too; several calls in one step of the graph (`version: "v1"`) are blocked',
  },
  "pre_tool_use: context": { how: "enforced", note: "as a message of every later request; not in the state" },
  permission_request: { how: "enforced", note: "before the person is asked" },
  post_tool_use: {
    how: "enforced",
    note: "a rewritten Command becomes a plain message: its other updates are dropped",
  },
  stop: { how: "enforced", note: "continue jumps back to the model" },
  pre_delegation: { how: "wrapped", note: "for sub-agents made with `subAgentTool`" },
  delegation_start: { how: "wrapped", note: "likewise" },
  post_delegation: { how: "wrapped", note: "likewise" },
  delegation_failure: { how: "wrapped", note: "likewise" },
  pre_compaction: {
    how: "wrapped",
    note: "summarization middleware inside `guardedSummary`; the summary is made already, a block drops it",
  },
  post_compaction: { how: "wrapped", note: "likewise; context is added to the summary" },
};
