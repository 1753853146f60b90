/** What Kiro honours, by its documentation and what others have measured (CLI 2.21, IDE 1.0 to 1.2). Never run here. */
import type { Support } from "../host.ts";

/** CLI 2.x spells events in camelCase, CLI 3 and the IDE in PascalCase. */
export const support = {
  session_start: {
    native: ["agentSpawn", "SessionStart"],
    answers: { context: "native" },
    onCrash: "goes-on",
    timeoutMs: 10_000,
  },
  user_prompt_submit: {
    native: ["userPromptSubmit", "UserPromptSubmit"],
    answers: {
      block: { partly: "Kiro CLI 2.x does not stop a prompt; the model was told not to act on it" },
      context: "native",
    },
    onCrash: "goes-on",
    timeoutMs: 10_000,
  },
  pre_tool_use: {
    native: ["preToolUse", "PreToolUse"],
    answers: {
      block: "native",
      ask: {
        becomes: "block",
        how: "This needs a person's yes, and Kiro cannot be made to ask for it. Tell the person what you want to run and why, and let them decide.",
      },
      allow: { becomes: "none", how: "Kiro asks the person by its own rules; a hook cannot answer for them" },
      rewrite: { becomes: "block", how: "this call must be made differently, and Kiro cannot change a call" },
      context: {
        partly: "context before a tool call was not sent: Kiro shows the model a hook's text only with a block",
      },
    },
    onCrash: "goes-on",
    timeoutMs: 10_000,
  },
  post_tool_use: {
    native: ["postToolUse", "PostToolUse"],
    answers: {
      block: { undelivered: "the tool's output stayed visible to the model: Kiro cannot hide it" },
      rewrite: { undelivered: "the tool's output was not rewritten: Kiro cannot change it" },
      context: {
        undelivered: "context after a tool call was not sent: Kiro shows the model nothing a hook says there",
      },
    },
    onCrash: "goes-on",
    timeoutMs: 10_000,
  },
  stop: {
    native: ["stop", "Stop"],
    answers: {
      continue: { undelivered: "the turn ended: Kiro cannot be told to go on" },
      halt: { becomes: "none", how: "the turn ends anyway" },
      context: { undelivered: "context at the end of a turn was not sent: Kiro shows it to nobody" },
    },
    onCrash: "goes-on",
    timeoutMs: 10_000,
  },
} as const satisfies Support;

/** Triggers of Kiro that are nothing for hooks of ours, in lower case. */
export const PASSED: readonly string[] = [
  "filecreated",
  "filedeleted",
  "fileedited",
  "manual",
  "postfilecreate",
  "postfiledelete",
  "postfilesave",
  "posttaskexec",
  "pretaskexec",
  "usertriggered",
];
