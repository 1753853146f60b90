/** Answers in the form Codex honours, and nothing besides: one field too many, or one missing, and it runs the call. */
import { type Json, type JsonObject, sameJson } from "../../core/json.ts";
import { withContext } from "../answer-text.ts";
import { delegationCodec } from "../delegation.ts";
import { shortfall } from "../delivery.ts";
import { additionalContext, contextOnly, specific } from "../hook-specific-output.ts";
import {
  contextOfCall,
  type Forms,
  lostContext,
  renderWith,
  rewrittenOutput,
  type Said,
  type Spoken,
} from "../render-forms.ts";
import { support } from "./support.ts";
import { delegating, tools } from "./tools.ts";

export const delegation = delegationCodec(delegating, tools, (payload) => payload.tool_input);

/** Ends the turn: the only way to stop a compaction, or to end a turn whatever other hooks say. */
export const endedTurn = (stopReason: string): JsonObject => ({ continue: false, stopReason });

const FORMS: Forms = {
  SessionStart: contextOnly,
  SubagentStart: contextOnly,
  UserPromptSubmit(said) {
    if (said.kind !== "block") return contextOnly(said);
    return {
      json: { decision: "block", reason: said.text },
      undelivered: lostContext(said, "the prompt was blocked"),
    };
  },
  PreToolUse: preToolUse,
  PermissionRequest({ native, kind, text }) {
    if (kind === "block") return specific(native, { decision: { behavior: "deny", message: text } });
    return kind === "allow" ? specific(native, { decision: { behavior: "allow" } }) : {};
  },
  PostToolUse: postToolUse,
  Stop(said) {
    const { kind, text, context } = said;
    if (kind === "continue") return { json: { decision: "block", reason: withContext(text, context) } };
    const undelivered = context.length > 0 ? [shortfall(support, "stop", "context")] : [];
    return kind === "halt" ? { json: endedTurn(text), undelivered } : { undelivered };
  },
  PreCompact: ({ kind, text }) => (kind === "block" ? { json: endedTurn(text) } : {}),
};

export const render = renderWith({ support }, FORMS);

function preToolUse({ native, outcomes, answers, kind, text, context }: Said): Spoken {
  const blocked = kind === "block";
  const input = delegation.inputThatRuns(native, outcomes);
  const rewritten = !blocked && !sameJson(input, native.payload.tool_input ?? null);
  // What a sub-agent is told in its prompt reaches nobody where the call is blocked.
  const told = blocked ? context : contextOfCall(answers);
  return specific(native, {
    ...(blocked ? { permissionDecision: "deny", permissionDecisionReason: text } : {}),
    ...(rewritten ? { permissionDecision: "allow", updatedInput: input } : {}),
    ...additionalContext(told),
  });
}

/** The reason of a block stands in the place of the output, whatever the tool. */
function postToolUse({ native, answers, kind, text, context }: Said): Spoken {
  const rewrite = rewrittenOutput(answers);
  const reason = kind === "block" ? text : rewrite === undefined ? undefined : shownAs(rewrite);
  const additional = contextOnly({ native, context }).json;
  return { json: reason === undefined ? additional : { decision: "block", reason, ...additional } };
}

/** Without a text Codex shows the output that was to be replaced. */
function shownAs(output: Json): string {
  const text = typeof output === "string" ? output : JSON.stringify(output);
  return text.trim() === "" ? "(no output)" : text;
}
