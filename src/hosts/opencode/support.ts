/** What OpenCode 1.18.18 honours through our plugin, as measured. It has no timeout: these are ours alone. */
import type { Support } from "../host.ts";

export const support = {
  // Sent by the plugin with the first prompt of a session, which waits for it; the bus event itself waits for nobody.
  session_start: {
    native: ["session.created"],
    answers: { context: "native" },
    onCrash: "goes-on",
    timeoutMs: 30_000,
  },
  session_end: { native: ["dispose"], answers: {}, onCrash: "goes-on", timeoutMs: 10_000 },
  user_prompt_submit: {
    native: ["chat.message"],
    answers: { block: "native", context: "native" },
    onCrash: "blocks",
    timeoutMs: 30_000,
  },
  pre_tool_use: {
    native: ["tool.execute.before"],
    answers: {
      block: "native",
      ask: {
        becomes: "block",
        how: "This needs a person's yes, and a plugin cannot make OpenCode ask for it. Tell the person what you want to run and why, and let them decide.",
      },
      allow: { becomes: "none", how: "OpenCode asks the person by its own rules; permission_request answers those" },
      rewrite: "native",
      context: "native",
    },
    onCrash: "blocks",
    timeoutMs: 60_000,
  },
  pre_delegation: {
    native: ["tool.execute.before"],
    answers: { block: "native", rewrite: "native", context: "native" },
    onCrash: "blocks",
    timeoutMs: 60_000,
  },
  permission_request: {
    native: ["permission.asked"],
    answers: { allow: "native", block: "native" },
    onCrash: "goes-on",
    timeoutMs: 60_000,
  },
  post_tool_use: {
    native: ["tool.execute.after", "message.part.updated"],
    answers: {
      block: { partly: "what a failed call said stayed visible to the model: OpenCode lets nobody change it" },
      rewrite: { partly: "what a failed call said was not rewritten: OpenCode lets nobody change it" },
      context: "native",
    },
    onCrash: "goes-on",
    timeoutMs: 60_000,
  },
  delegation_start: {
    native: ["session.created"],
    answers: { context: "native" },
    onCrash: "goes-on",
    timeoutMs: 30_000,
  },
  post_delegation: {
    native: ["tool.execute.after"],
    answers: { context: "native" },
    onCrash: "goes-on",
    timeoutMs: 60_000,
  },
  delegation_failure: {
    native: ["message.part.updated"],
    answers: { context: "native" },
    onCrash: "goes-on",
    timeoutMs: 60_000,
  },
  stop: {
    native: ["step-finish"],
    answers: {
      continue: "native",
      halt: { becomes: "none", how: "the turn ends anyway" },
      context: {
        partly: "context at the end of a turn was not sent: it goes only with a continue",
      },
    },
    onCrash: "goes-on",
    timeoutMs: 60_000,
  },
  pre_compaction: {
    native: ["experimental.session.compacting"],
    // That a throw ends the turn before anything is compacted was read in the program, not run.
    answers: { block: "native", context: "native" },
    onCrash: "blocks",
    timeoutMs: 30_000,
  },
  post_compaction: {
    native: ["session.compacted"],
    answers: { context: "native" },
    onCrash: "goes-on",
    timeoutMs: 30_000,
  },
} as const satisfies Support;

/** The plugin asks about nothing else. */
export const PASSED: readonly string[] = [];
