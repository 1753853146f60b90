import type { SupportTable } from "./support.ts";

export const support: SupportTable = {
  session_start: {
    how: "enforced",
    note: "when the client initializes, or discovers the server; context is added to the server's instructions",
  },
  session_end: { how: "enforced", note: "when either side closes" },
  pre_tool_use: { how: "enforced", note: "block is a result with isError; a rewrite must fit the tool's inputSchema" },
  "pre_tool_use: ask": {
    how: "enforced",
    note: "by elicitation, where the client has it (since 2026-07-28 as an `input_required` result); otherwise blocked. A pending approval holds the call, with progress where the client asks for it",
  },
  permission_request: { how: "enforced", note: "before the person is asked" },
  post_tool_use: { how: "enforced", note: "content and structuredContent are rewritten together" },
  "post_tool_use: rewrite": {
    how: "stricter",
    note: "a rewrite that no longer fits the tool's outputSchema reaches the model as an error without structure",
  },
  "post_tool_use: context": { how: "enforced", note: "as a further text in the result" },
  notification: {
    how: "never",
    note: "progress, log messages and questions of the server, its resources and prompts pass as they are",
  },
  user_prompt_submit: { how: "never", note: "a server does not hear of prompts" },
  stop: { how: "never", note: "a server does not hear of turns" },
  pre_delegation: { how: "never", note: "a server does not hear of sub-agents" },
  pre_compaction: { how: "never", note: "a server does not hear of compaction" },
};
