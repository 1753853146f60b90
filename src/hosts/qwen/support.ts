/** What Qwen Code 0.24.4 honours, event by event, as measured. */
import type { Support } from "../host.ts";

const rewrite = {
  becomes: "block",
  how: "this call must be made differently, and Qwen Code cannot change a call",
} as const;

const context = {
  partly: "context before a tool call was not sent: Qwen Code shows the model a hook's text there only with a block",
} as const;

// After 60 s it stops waiting for all hooks of a call and runs it, whatever they were given.
const timeoutMs = 50_000;

export const support = {
  session_start: {
    native: ["SessionStart"],
    answers: { context: "native" },
    onCrash: "goes-on",
    timeoutMs: 30_000,
  },
  session_end: { native: ["SessionEnd"], answers: {}, onCrash: "goes-on", timeoutMs: 10_000 },
  user_prompt_submit: {
    native: ["UserPromptSubmit"],
    answers: { block: "native", context: "native" },
    onCrash: "blocks",
    timeoutMs: 30_000,
  },
  pre_tool_use: {
    native: ["PreToolUse"],
    answers: {
      block: "native",
      // Without a terminal it denies with the reason.
      ask: "native",
      allow: { becomes: "none", how: "Qwen Code asks the person by its own rules, before hooks are called" },
      rewrite,
      context,
    },
    // The shell between the two speaks up; see install.ts.
    onCrash: "blocks",
    timeoutMs,
  },
  pre_delegation: {
    native: ["PreToolUse"],
    answers: { block: "native", rewrite, context },
    onCrash: "blocks",
    timeoutMs,
  },
  permission_request: {
    native: ["PermissionRequest"],
    answers: { allow: "native", block: "native" },
    onCrash: "goes-on",
    timeoutMs,
  },
  post_tool_use: {
    native: ["PostToolUse", "PostToolUseFailure"],
    answers: {
      block: { partly: "the tool's output stayed visible to the model: Qwen Code hides none of a failed call" },
      rewrite: {
        partly:
          "the tool's own output stayed visible to the model beside the rewritten one: Qwen Code replaces none of a failed call",
      },
      context: "native",
    },
    onCrash: "goes-on",
    timeoutMs,
  },
  delegation_failure: {
    native: ["PostToolUseFailure"],
    answers: { context: "native" },
    onCrash: "goes-on",
    timeoutMs,
  },
  delegation_start: {
    native: ["SubagentStart"],
    answers: {
      context: {
        undelivered:
          "context at the start of a sub-agent was not sent: Qwen Code takes it and does not show it to the sub-agent",
      },
    },
    onCrash: "goes-on",
    timeoutMs: 30_000,
  },
  post_delegation: {
    native: ["SubagentStop"],
    answers: {
      context: { undelivered: "context at the end of a sub-agent was not sent: Qwen Code shows it to nobody" },
    },
    onCrash: "goes-on",
    timeoutMs,
  },
  stop: {
    native: ["Stop"],
    answers: {
      continue: "native",
      // What should end the turn it takes as an order to go on.
      halt: { becomes: "none", how: "the turn ends anyway" },
      context: {
        partly: "context at the end of a turn was not sent: Qwen Code shows it to the model only with a continue",
      },
    },
    onCrash: "goes-on",
    timeoutMs,
  },
  pre_compaction: {
    native: ["PreCompact"],
    answers: {
      block: { undelivered: "the compaction went on: Qwen Code cannot be told not to" },
      context: { partly: "context before a compaction was cut: Qwen Code takes 4,000 characters of it" },
    },
    onCrash: "goes-on",
    timeoutMs: 30_000,
  },
  post_compaction: {
    native: ["PostCompact"],
    answers: {
      context: { undelivered: "context after a compaction was not sent: Qwen Code ignores what hooks say there" },
    },
    onCrash: "goes-on",
    timeoutMs: 30_000,
  },
  notification: { native: ["Notification"], answers: {}, onCrash: "goes-on", timeoutMs: 10_000 },
} as const satisfies Support;

/** Events of Qwen Code that are nothing for hooks of ours: known, passed, not registered. */
export const PASSED: readonly string[] = [
  "InstructionsLoaded",
  "MessageDisplay",
  "PermissionDenied",
  "PostToolBatch",
  "SessionDelete",
  "StopFailure",
  "TodoCompleted",
  "TodoCreated",
  "UserPromptExpansion",
];
