/** What pi 0.87.1 honours, event by event, as measured. It gives an extension all the time in the world: the times are ours. */
import type { Support } from "../host.ts";

export const support = {
  session_start: {
    // After a compaction a session begins anew, as far as the model remembers.
    native: ["session_start", "session_compact"],
    answers: { context: "native" },
    onCrash: "goes-on",
    timeoutMs: 30_000,
  },
  session_end: { native: ["session_shutdown"], answers: {}, onCrash: "goes-on", timeoutMs: 10_000 },
  user_prompt_submit: {
    native: ["input"],
    answers: { block: "native", context: "native" },
    onCrash: "goes-on",
    timeoutMs: 30_000,
  },
  pre_tool_use: {
    native: ["tool_call"],
    answers: {
      block: "native",
      // pi asks nobody by itself. Our plugin does, where somebody is there to be asked; else it blocks.
      ask: "native",
      allow: { becomes: "none", how: "pi asks nobody, so there is nothing to be allowed" },
      rewrite: "native",
      context: "native",
    },
    onCrash: "blocks",
    timeoutMs: 60_000,
  },
  post_tool_use: {
    native: ["tool_result"],
    answers: { block: "native", rewrite: "native", context: "native" },
    onCrash: "goes-on",
    timeoutMs: 60_000,
  },
  stop: {
    native: ["agent_before_settle"],
    answers: { continue: "native", halt: "native", context: "native" },
    onCrash: "goes-on",
    timeoutMs: 60_000,
  },
  pre_compaction: {
    native: ["session_before_compact"],
    // The summariser takes no words of ours: context goes to the model, which reads it after the summary.
    answers: { block: "native", context: "native" },
    onCrash: "goes-on",
    timeoutMs: 30_000,
  },
  post_compaction: {
    native: ["session_compact"],
    answers: { context: "native" },
    onCrash: "goes-on",
    timeoutMs: 30_000,
  },
} as const satisfies Support;

/** Events of pi that are nothing for hooks of ours. A person's own `!command` (user_bash) is no call of the model's. */
export const PASSED: readonly string[] = [
  "after_provider_response",
  "agent_end",
  "agent_settled",
  "agent_start",
  "before_agent_start",
  "before_provider_headers",
  "before_provider_request",
  "cache_warming_decision",
  "context",
  "context_with_system",
  "message_end",
  "message_start",
  "message_update",
  "model_select",
  "project_trust",
  "resources_discover",
  "session_before_fork",
  "session_before_switch",
  "session_before_tree",
  "session_compact_failed",
  "session_info_changed",
  "session_tree",
  "thinking_level_select",
  "tool_execution_end",
  "tool_execution_start",
  "tool_execution_update",
  "turn_end",
  "turn_start",
  "ui_prompt_end",
  "ui_prompt_start",
  "user_bash",
];
