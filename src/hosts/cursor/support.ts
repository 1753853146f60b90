/**
 * What Cursor honours by its documentation of October 2026, and by what others measured on 3.9 to 3.20 and cursor-agent
 * 2026.09. Never run here.
 *
 * One call is judged once. preToolUse sees every tool, may change its input and is heeded when it denies; it does not
 * say whose an MCP tool is, so these are left to beforeMCPExecution, which does. beforeShellExecution and beforeReadFile
 * would be a second look at the same calls: they are not registered, and judged where somebody has. `ask` is sent to none
 * of them: preToolUse does not enforce it, and on beforeShellExecution the command was seen to run unasked.
 */
import type { Support } from "../host.ts";

export const SECOND_LOOKS = ["beforeShellExecution", "beforeReadFile"] as const;

export const support = {
  session_start: {
    native: ["sessionStart"],
    answers: { context: "native" },
    onCrash: "goes-on",
    timeoutMs: 30_000,
  },
  session_end: { native: ["sessionEnd"], answers: {}, onCrash: "goes-on", timeoutMs: 10_000 },
  // By reports cursor-agent -p fires neither this nor stop.
  user_prompt_submit: {
    native: ["beforeSubmitPrompt"],
    answers: {
      block: "native",
      context: { undelivered: "context with a prompt was not sent: Cursor documents no place for it" },
    },
    onCrash: "blocks",
    timeoutMs: 30_000,
  },
  pre_tool_use: {
    native: ["preToolUse", "beforeMCPExecution", ...SECOND_LOOKS],
    answers: {
      block: "native",
      ask: {
        becomes: "block",
        how: "This needs a person's yes, and Cursor cannot be relied on to ask for it. Tell the person what you want to run and why, and let them decide.",
      },
      allow: { becomes: "none", how: "Cursor asks the person by its own rules; a hook cannot answer for them" },
      rewrite: {
        partly:
          "the call was blocked, with the input to use instead: Cursor changes none of an MCP tool, and calls of others on preToolUse only",
      },
      context: {
        partly: "context before a tool call was not sent: Cursor shows the model a hook's text there only with a block",
      },
    },
    onCrash: "blocks",
    timeoutMs: 60_000,
  },
  pre_delegation: {
    native: ["preToolUse"],
    answers: { block: "native", rewrite: "native", context: "native" },
    onCrash: "blocks",
    timeoutMs: 60_000,
  },
  post_tool_use: {
    native: ["postToolUse", "postToolUseFailure"],
    answers: {
      block: {
        partly:
          "the tool's output stayed visible to the model: Cursor replaces the output of MCP tools only, and none of a failed call",
      },
      rewrite: {
        partly:
          "the tool's own output stayed visible to the model: Cursor replaces the output of MCP tools only, and none of a failed call",
      },
      context: { partly: "context after a failed call was not sent: Cursor takes no answer there" },
    },
    onCrash: "goes-on",
    timeoutMs: 60_000,
  },
  delegation_start: {
    native: ["subagentStart"],
    answers: {
      context: {
        undelivered:
          "context at the start of a sub-agent was not sent: Cursor has no place for it; pre_delegation reaches it",
      },
    },
    onCrash: "goes-on",
    timeoutMs: 30_000,
  },
  post_delegation: {
    native: ["subagentStop"],
    answers: {
      context: {
        undelivered: "context at the end of a sub-agent was not sent: Cursor takes it as an order to go on",
      },
    },
    onCrash: "goes-on",
    timeoutMs: 60_000,
  },
  delegation_failure: {
    native: ["subagentStop"],
    answers: {
      context: { undelivered: "context after a sub-agent's failure was not sent: Cursor takes no answer there" },
    },
    onCrash: "goes-on",
    timeoutMs: 60_000,
  },
  stop: {
    native: ["stop"],
    answers: {
      continue: "native",
      halt: { becomes: "none", how: "the turn ends anyway" },
      context: {
        partly:
          "context at the end of a turn was not sent: Cursor takes it as an order to go on, so it goes only with a continue",
      },
    },
    onCrash: "goes-on",
    timeoutMs: 60_000,
  },
  pre_compaction: {
    native: ["preCompact"],
    answers: {
      block: { undelivered: "the compaction was not stopped: Cursor lets hooks only watch it" },
      context: { undelivered: "context before a compaction was not sent: Cursor lets hooks only watch it" },
    },
    onCrash: "goes-on",
    timeoutMs: 30_000,
  },
} as const satisfies Support;

/** Events of Cursor that are nothing for hooks of ours: known, passed, not registered. */
export const PASSED: readonly string[] = [
  "afterAgentResponse",
  "afterAgentThought",
  "afterFileEdit",
  "afterMCPExecution",
  "afterShellExecution",
  "afterTabFileEdit",
  "beforeTabFileRead",
  "workspaceOpen",
];

/** The name Cursor gives an event that Claude Code's settings ask for. */
const CLAUDE_NAMES: Readonly<Record<string, string>> = {
  PreToolUse: "preToolUse",
  PostToolUse: "postToolUse",
  PostToolUseFailure: "postToolUseFailure",
  UserPromptSubmit: "beforeSubmitPrompt",
  Stop: "stop",
  SubagentStart: "subagentStart",
  SubagentStop: "subagentStop",
  SessionStart: "sessionStart",
  SessionEnd: "sessionEnd",
  PreCompact: "preCompact",
};

export const spell = (event: string): string =>
  Object.hasOwn(CLAUDE_NAMES, event) ? (CLAUDE_NAMES[event] ?? event) : event;
