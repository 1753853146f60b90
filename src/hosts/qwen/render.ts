/** Answers in the form Qwen Code honours: one JSON object at exit 0. */
import type { JsonObject } from "../../core/json.ts";
import { contextText, replacedText, withContext } from "../answer-text.ts";
import { delegationCodec } from "../delegation.ts";
import { shortfall } from "../delivery.ts";
import { contextOnly, specific } from "../hook-specific-output.ts";
import type { Codec, Native, Outcome } from "../host.ts";
import { type Forms, lostContext, renderWith, rewrittenOutput, type Said } from "../render-forms.ts";
import { support } from "./support.ts";
import { delegating, tools } from "./tools.ts";

export const delegation = delegationCodec(delegating, tools, (payload) => payload.tool_input);

/**
 * The call is stopped whatever other hooks say. Of several permissionDecisions the last counts, so that somebody else's
 * "allow" takes a denial back; nothing takes back `continue: false`, which here ends the call and not the turn.
 */
export function stoppedCall(decision: "deny" | "ask", reason: string): JsonObject {
  const text = cut(reason);
  return {
    continue: false,
    stopReason: text,
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: decision,
      permissionDecisionReason: text,
    },
  };
}

/** The one event where exit 2 is no denial. */
export function deniedPermission(reason: string): JsonObject {
  const decision = { behavior: "deny", message: cut(reason) };
  return { hookSpecificOutput: { hookEventName: "PermissionRequest", decision } };
}

/** It reads 1 MiB of an answer, and runs the call if that is only half of one. */
const MAX_CHARACTERS = 50_000;

const cut = (text: string) =>
  text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS)}\n(cut: the text was too long for Qwen Code)`;

/** A delegation is a call whose input cannot be changed: what its hooks rewrote is what the model is to call instead. */
function asOneCall(native: Native, outcomes: readonly Outcome[]): readonly Outcome[] {
  const rewritten = outcomes.some(({ event, decision }) => event.name === "pre_delegation" && decision.rewrite);
  const blocked = outcomes.some(({ decision }) => decision.kind === "block");
  if (!rewritten && !blocked) return outcomes;
  return outcomes.map((outcome) => {
    const { event, decision } = outcome;
    if (event.name !== "pre_tool_use" && event.name !== "pre_delegation") return outcome;
    const { rewrite: _dropped, ...plain } = decision;
    if (blocked || event.name === "pre_delegation") return { event, decision: plain };
    const input = delegation.inputThatRuns(native, outcomes.map(withoutContext));
    const final = { ...event, tool: tools.read(event.tool.name, input, event.tool.id) };
    return { event, decision: { ...plain, final, rewrite: input } };
  });
}

const withoutContext = ({ event, decision }: Outcome): Outcome => ({ event, decision: { ...decision, context: [] } });

const FORMS: Forms = {
  SessionStart: contextOnly,
  UserPromptSubmit(said) {
    if (said.kind !== "block") return contextOnly(said);
    return {
      json: { decision: "block", reason: cut(said.text) },
      undelivered: lostContext(said, "the prompt was blocked"),
    };
  },
  PreToolUse({ answers, kind, text, context }) {
    if (kind === "block") return { json: stoppedCall("deny", withContext(text, context)) };
    const untold = answers.filter((answer) => answer.context.length > 0);
    return {
      ...(kind === "ask" ? { json: stoppedCall("ask", text) } : {}),
      undelivered: untold.map(({ event }) => shortfall(support, event.name, "context")),
    };
  },
  PermissionRequest({ native, kind, text }) {
    if (kind === "block") return { json: deniedPermission(text) };
    return kind === "allow" ? specific(native, { decision: { behavior: "allow" } }) : {};
  },
  PostToolUse({ native, answers, kind, text, context }) {
    const shown = shownInstead({ answers, kind, text });
    if (shown === undefined) return contextOnly({ native, context });
    // What is stopped here is the result; context beside it is dropped, so it is written into it.
    return { json: { continue: false, stopReason: cut(withContext(shown, context)) } };
  },
  PostToolUseFailure({ native, answers, kind, text, context }) {
    const shown = shownInstead({ answers, kind, text });
    if (shown === undefined) return contextOnly({ native, context });
    return {
      ...specific(native, { additionalContext: cut(withContext(shown, context)) }),
      undelivered: [shortfall(support, "post_tool_use", kind === "block" ? "block" : "rewrite")],
    };
  },
  Stop({ kind, text, context }) {
    if (kind === "continue") return { json: { decision: "block", reason: cut(withContext(text, context)) } };
    return { undelivered: context.length > 0 ? [shortfall(support, "stop", "context")] : [] };
  },
  PreCompact({ native, context }) {
    const tooLong = escaped(contextText(context)).length > MAX_COMPACTION_CHARACTERS;
    return {
      ...contextOnly({ native, context }),
      undelivered: tooLong && context.length > 0 ? [shortfall(support, "pre_compaction", "context")] : [],
    };
  },
};

const renderOne = renderWith({ support }, FORMS);

export const render: Codec["render"] = (native, outcomes) => renderOne(native, asOneCall(native, outcomes));

/** What stands in the place of a tool's output; undefined: the output itself. */
function shownInstead({ answers, kind, text }: Pick<Said, "answers" | "kind" | "text">): string | undefined {
  if (kind === "block") return text;
  const rewrite = rewrittenOutput(answers);
  return rewrite === undefined ? undefined : replacedText(rewrite);
}

const MAX_COMPACTION_CHARACTERS = 4_000;

/** As the program does it with context before it counts. */
const escaped = (text: string) => text.replace(/</g, "&lt;").replace(/>/g, "&gt;");
