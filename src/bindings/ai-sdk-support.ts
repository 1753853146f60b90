import type { SupportTable } from "./support.ts";

export const support: SupportTable = {
  session_start: { how: "wrapped", note: "before the first prompt: `generateText` of the guard, or `begin`" },
  session_end: { how: "wrapped", note: "`end` of the guard" },
  user_prompt_submit: { how: "wrapped", note: "block throws PromptBlocked before any model is called" },
  pre_tool_use: {
    how: "enforced",
    note: "in the tool's execute, of tools that call others (7: `experimental_toolCaller`) too; the model sees its own input in the history. What is run otherwise (by a provider, a client, `toolSearch` of 7) is refused unless accepted",
  },
  "pre_tool_use: ask": {
    how: "enforced",
    note: "in process; with `suspend` the run ends with an approval request (7: with its reason; 6: ask `questionOf`)",
  },
  "pre_tool_use: context": { how: "enforced", note: "as a message of the next step" },
  permission_request: { how: "enforced", note: "before the person is asked" },
  post_tool_use: {
    how: "enforced",
    note: "a tool that streams its output is judged, and shown, when it is done. Of an output that JSON does not hold whole (a Map, an instance of a class) hooks, toModelOutput and the model see its JSON",
  },
  stop: { how: "wrapped", note: "`generateText` of the guard goes on with the whole turn; streams observe nothing" },
  pre_delegation: { how: "wrapped", note: "for sub-agents made with `subAgent` of the guard" },
  delegation_start: { how: "wrapped", note: "likewise" },
  post_delegation: { how: "wrapped", note: "likewise" },
  delegation_failure: { how: "wrapped", note: "likewise" },
  pre_compaction: { how: "never", note: "the SDK compacts nothing" },
};
