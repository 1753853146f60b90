import type { SupportTable } from "./support.ts";

export const support: SupportTable = {
  session_start: { how: "enforced", note: "before the session's first prompt" },
  session_end: { how: "never", note: "an agent does not know when its conversation is over: fire it yourself" },
  user_prompt_submit: { how: "enforced", note: "a blocked prompt is not stored; the reason is the agent's answer" },
  "user_prompt_submit: context": { how: "enforced", note: "in the prompt's own message, so it is in the history" },
  pre_tool_use: {
    how: "enforced",
    note: "the model sees its own input in the history. What middleware or later hooks make of a call is judged again, and so are a second run and a tool put in its place; a tool that middleware runs by itself is not seen",
  },
  "pre_tool_use: ask": {
    how: "enforced",
    note: "in process; with `suspend` as an interrupt, kept by snapshots, pending approvals too. In an agent that runs as a tool always in process. A call that middleware changed after hooks looked at it cannot wait: it is blocked",
  },
  "pre_tool_use: context": {
    how: "enforced",
    note: "as a further text of the result; not of an agent asked with `delegate: true`, whose result is the answer",
  },
  permission_request: { how: "enforced", note: "before a person is asked" },
  post_tool_use: { how: "enforced", note: "of calls that ran; one that was cancelled has no end" },
  pre_delegation: { how: "enforced", note: "agents as tools, which are guarded when they are first asked" },
  "pre_delegation: rewrite": {
    how: "stricter",
    note: "another target is blocked: a tool asks one agent. So is a request that middleware changes afterwards",
  },
  delegation_start: { how: "enforced", note: "likewise" },
  post_delegation: { how: "enforced", note: "likewise" },
  delegation_failure: { how: "enforced", note: "likewise" },
  stop: {
    how: "enforced",
    note: "continue resumes the invocation with a new message. Of every end of a turn: by the model, by tools (`delegate: true`, `endTurn`), by an answer in a structure",
  },
  pre_compaction: {
    how: "wrapped",
    note: "by `guardCompaction`; a block where the messages are too many already ends the turn with the reason. Context is not sent",
  },
  post_compaction: {
    how: "wrapped",
    note: "by `guardCompaction`; a summary is told where the manager made one. Context is not sent",
  },
  notification: { how: "never", note: "there is none" },
};
