/** What Claude Code 2.1.325 honours, event by event, as measured. */
import type { Support } from "../host.ts";

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
    onCrash: "goes-on",
    timeoutMs: 30_000,
  },
  pre_tool_use: {
    native: ["PreToolUse"],
    answers: { block: "native", ask: "native", allow: "native", rewrite: "native", context: "native" },
    // Registered with onFailure: block.
    onCrash: "blocks",
    timeoutMs: 60_000,
  },
  pre_delegation: {
    native: ["PreToolUse"],
    answers: { block: "native", rewrite: "native", context: "native" },
    onCrash: "blocks",
    timeoutMs: 60_000,
  },
  permission_request: {
    native: ["PermissionRequest"],
    answers: { allow: "native", block: "native" },
    onCrash: "goes-on",
    timeoutMs: 60_000,
  },
  post_tool_use: {
    native: ["PostToolUse", "PostToolUseFailure"],
    answers: {
      block: {
        partly:
          "the tool's output stayed visible to the model: Claude Code replaces the output of Bash, Read and MCP tools only, and none of a failed call",
      },
      rewrite: {
        partly:
          "the tool's own output stayed visible to the model beside the rewritten one: Claude Code replaces only output in the tool's own shape, and none of a failed call",
      },
      context: "native",
    },
    onCrash: "goes-on",
    timeoutMs: 60_000,
  },
  delegation_failure: {
    native: ["PostToolUseFailure"],
    answers: { context: "native" },
    onCrash: "goes-on",
    timeoutMs: 60_000,
  },
  delegation_start: {
    native: ["SubagentStart"],
    answers: { context: "native" },
    onCrash: "goes-on",
    timeoutMs: 30_000,
  },
  post_delegation: {
    native: ["SubagentStop"],
    answers: {
      context: {
        undelivered:
          "context at the end of a sub-agent was not sent: Claude Code takes it as an order to continue the sub-agent",
      },
    },
    onCrash: "goes-on",
    timeoutMs: 60_000,
  },
  stop: {
    native: ["Stop"],
    answers: {
      continue: "native",
      halt: "native",
      context: {
        partly:
          "context at the end of a turn was not sent: Claude Code takes it as an order to go on, so it goes only with a continue",
      },
    },
    onCrash: "goes-on",
    timeoutMs: 60_000,
  },
  pre_compaction: {
    native: ["PreCompact"],
    answers: { block: "native", context: "native" },
    onCrash: "goes-on",
    timeoutMs: 30_000,
  },
  post_compaction: {
    native: ["PostCompact"],
    answers: {
      context: {
        partly:
          "context after an automatic compaction was not sent: Claude Code shows it to the model only after /compact; session_start with source compact reaches the model always",
      },
    },
    onCrash: "goes-on",
    timeoutMs: 30_000,
  },
  notification: { native: ["Notification"], answers: {}, onCrash: "goes-on", timeoutMs: 10_000 },
} as const satisfies Support;

/** Events of Claude Code that are nothing for hooks of ours: known, passed, not registered. */
export const PASSED: readonly string[] = [
  "ConfigChange",
  "CwdChanged",
  "DirectoryAdded",
  "Elicitation",
  "ElicitationResult",
  "FileChanged",
  "InstructionsLoaded",
  "MessageDisplay",
  "PermissionDenied",
  "PostModelSwitch",
  "PostToolBatch",
  "PreModelSwitch",
  "Setup",
  "StopFailure",
  "TaskCompleted",
  "TaskCreated",
  "TeammateIdle",
  "UserPromptExpansion",
  "WorktreeCreate",
  "WorktreeRemove",
];
