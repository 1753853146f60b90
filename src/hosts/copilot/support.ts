/** What GitHub Copilot CLI 1.0.102 honours, event by event, as measured. */
import type { Support } from "../host.ts";

/**
 * Names in camelCase are those we register. Those in PascalCase come through Claude Code's settings, which Copilot reads
 * too: the times are the ones registered there, so that one deadline holds for both.
 */
export const support = {
  session_start: {
    native: ["sessionStart", "SessionStart"],
    answers: { context: "native" },
    onCrash: "goes-on",
    timeoutMs: 30_000,
  },
  session_end: { native: ["sessionEnd", "SessionEnd"], answers: {}, onCrash: "goes-on", timeoutMs: 10_000 },
  user_prompt_submit: {
    native: ["userPromptSubmitted", "UserPromptSubmit"],
    answers: { block: "native", context: "native" },
    onCrash: "goes-on",
    timeoutMs: 30_000,
  },
  pre_tool_use: {
    native: ["preToolUse", "PreToolUse"],
    answers: {
      block: "native",
      ask: "native",
      allow: {
        partly:
          "the call was not allowed ahead of the person: Copilot lifts its own question for shell commands only; a hook on permission_request can answer it for every tool",
      },
      rewrite: "native",
      context: "native",
    },
    onCrash: "blocks",
    timeoutMs: 60_000,
  },
  pre_delegation: {
    native: ["preToolUse", "PreToolUse"],
    answers: { block: "native", rewrite: "native", context: "native" },
    onCrash: "blocks",
    timeoutMs: 60_000,
  },
  permission_request: {
    native: ["permissionRequest", "PermissionRequest"],
    answers: { allow: "native", block: "native" },
    onCrash: "blocks",
    timeoutMs: 60_000,
  },
  post_tool_use: {
    native: ["postToolUse", "postToolUseFailure", "PostToolUse", "PostToolUseFailure"],
    answers: {
      block: { partly: "the error stayed visible to the model: Copilot does not hide what a failed call says" },
      rewrite: {
        partly: "the error stayed visible beside the rewritten one: Copilot does not replace what a failed call says",
      },
      context: "native",
    },
    onCrash: "goes-on",
    timeoutMs: 60_000,
  },
  delegation_failure: {
    native: ["postToolUseFailure", "PostToolUseFailure"],
    answers: { context: "native" },
    onCrash: "goes-on",
    timeoutMs: 60_000,
  },
  delegation_start: {
    native: ["subagentStart", "SubagentStart"],
    answers: { context: "native" },
    onCrash: "goes-on",
    timeoutMs: 30_000,
  },
  post_delegation: {
    native: ["subagentStop", "SubagentStop"],
    answers: {
      context: { undelivered: "context at the end of a sub-agent was not sent: Copilot shows it to nobody" },
    },
    onCrash: "goes-on",
    timeoutMs: 60_000,
  },
  stop: {
    native: ["agentStop", "Stop"],
    answers: {
      continue: "native",
      halt: { becomes: "none", how: "the turn ends anyway" },
      context: {
        partly: "context at the end of a turn was not sent: Copilot shows it to the model only with a continue",
      },
    },
    onCrash: "goes-on",
    timeoutMs: 60_000,
  },
  pre_compaction: {
    native: ["preCompact", "PreCompact"],
    answers: {
      block: { undelivered: "the context was compacted: Copilot does not let a hook keep it from that" },
      context: { undelivered: "context before a compaction was not sent: Copilot shows it to nobody" },
    },
    onCrash: "goes-on",
    timeoutMs: 30_000,
  },
  notification: { native: ["notification", "Notification"], answers: {}, onCrash: "goes-on", timeoutMs: 10_000 },
} as const satisfies Support;

/** Events of Copilot that are nothing for hooks of ours: known, passed, not registered. */
export const PASSED: readonly string[] = [
  "errorOccurred",
  "postResult",
  // A second look at a call of an MCP tool, after preToolUse has judged it.
  "preMcpToolCall",
  "prePRDescription",
  "userPromptTransformed",
];
