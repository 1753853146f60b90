/** What Gemini CLI 0.61.0 honours, event by event, as measured. */
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
    native: ["BeforeAgent"],
    answers: { block: "native", context: "native" },
    // Registered with a shell that stands by.
    onCrash: "blocks",
    timeoutMs: 30_000,
  },
  pre_tool_use: {
    native: ["BeforeTool"],
    answers: {
      block: "native",
      // Sent as an ask it would hang for ever where nobody sits at a terminal, and a hook cannot know.
      ask: {
        becomes: "block",
        how: "This needs a person's yes, and Gemini CLI cannot be made to ask for it safely. Tell the person what you want to run and why, and let them decide.",
      },
      allow: { becomes: "none", how: "Gemini CLI asks the person by its own rules; a hook cannot answer for them" },
      rewrite: "native",
      context: {
        partly:
          "context before a tool call was not sent: Gemini CLI shows the model a hook's text there only with a block",
      },
    },
    onCrash: "blocks",
    timeoutMs: 60_000,
  },
  pre_delegation: {
    native: ["BeforeTool"],
    answers: { block: "native", rewrite: "native", context: "native" },
    onCrash: "blocks",
    timeoutMs: 60_000,
  },
  post_tool_use: {
    native: ["AfterTool"],
    // What takes the place of an output reaches the model as the call's error.
    answers: { block: "native", rewrite: "native", context: "native" },
    onCrash: "goes-on",
    timeoutMs: 60_000,
  },
  post_delegation: {
    native: ["AfterTool"],
    answers: { context: "native" },
    onCrash: "goes-on",
    timeoutMs: 60_000,
  },
  delegation_failure: {
    native: ["AfterTool"],
    answers: { context: "native" },
    onCrash: "goes-on",
    timeoutMs: 60_000,
  },
  stop: {
    native: ["AfterAgent"],
    answers: {
      continue: "native",
      halt: "native",
      context: {
        partly:
          "context at the end of a turn was not sent: Gemini CLI takes it only as the prompt of a turn that goes on",
      },
    },
    onCrash: "goes-on",
    timeoutMs: 60_000,
  },
  notification: { native: ["Notification"], answers: {}, onCrash: "goes-on", timeoutMs: 10_000 },
} as const satisfies Support;

/**
 * Events of Gemini CLI that are nothing for hooks of ours: known, passed, not registered. All come with every turn of
 * the model, PreCompress too: it fires before each, whether anything is compressed or not, and so tells nothing.
 */
export const PASSED: readonly string[] = ["AfterModel", "BeforeModel", "BeforeToolSelection", "PreCompress"];
