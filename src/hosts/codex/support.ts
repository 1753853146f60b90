/** What Codex CLI 0.166.0 honours, event by event, as measured. It runs the call on every answer it cannot read to the letter. */
import type { Support } from "../host.ts";

export const support = {
  session_start: {
    native: ["SessionStart"],
    answers: { context: "native" },
    onCrash: "goes-on",
    timeoutMs: 30_000,
  },
  // Codex gives it three seconds at most, whatever is registered.
  session_end: { native: ["SessionEnd"], answers: {}, onCrash: "goes-on", timeoutMs: 3_000 },
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
      ask: {
        becomes: "block",
        how: "This needs a person's yes, and Codex runs a call that a hook asks about. Tell the person what you want to run and why, and let them decide.",
      },
      allow: { becomes: "none", how: "Codex asks the person by its own rules; permission_request can answer for them" },
      // Sent with "allow", without which Codex drops it. Codex asks the person all the same (seen in its app-server).
      rewrite: "native",
      context: "native",
    },
    // Registered in a shell that turns every end but ours into exit 2; see closed-command.ts.
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
    onCrash: "blocks",
    timeoutMs: 60_000,
  },
  post_tool_use: {
    native: ["PostToolUse"],
    answers: { block: "native", rewrite: "native", context: "native" },
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
    answers: { context: { undelivered: "context at the end of a sub-agent was not sent: Codex has no place for it" } },
    onCrash: "goes-on",
    timeoutMs: 60_000,
  },
  stop: {
    native: ["Stop"],
    answers: {
      continue: "native",
      halt: "native",
      context: {
        partly: "context at the end of a turn was not sent: Codex has no place for it, so it goes only with a continue",
      },
    },
    onCrash: "goes-on",
    timeoutMs: 60_000,
  },
  pre_compaction: {
    native: ["PreCompact"],
    answers: {
      // Codex cannot skip a compaction: it ends the turn instead.
      block: "native",
      context: { undelivered: "context before a compaction was not sent: Codex has no place for it" },
    },
    onCrash: "goes-on",
    timeoutMs: 30_000,
  },
  post_compaction: {
    native: ["PostCompact"],
    answers: {
      context: {
        undelivered:
          "context after a compaction was not sent: Codex has no place for it; session_start with source compact reaches the model",
      },
    },
    onCrash: "goes-on",
    timeoutMs: 30_000,
  },
} as const satisfies Support;

/** Events of Codex that are nothing for hooks of ours: known, passed, not registered. */
export const PASSED: readonly string[] = ["Interrupt"];
