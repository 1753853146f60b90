/**
 * Answers as plugin.ts obeys them. Exit 2 and a text: throw it, which stops what was about to happen. Exit 0 and JSON:
 *   args        the fields of the call as it is to run
 *   output      takes the place of all the tool returned
 *   context     for the model, beside what it is told anyway
 *   permission  "once": answered for the person; "reject": refused, with `message`
 *   prompt      to be asked next, because the turn is not over
 */
import { type Json, type JsonObject, sameJson } from "../../core/json.ts";
import { contextText, withContext } from "../answer-text.ts";
import { delegationCodec } from "../delegation.ts";
import { shortfall } from "../delivery.ts";
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

/** The one event where nothing waits that could be thrown at. */
export const refusal = (message: string): JsonObject => ({ permission: "reject", message });

const FORMS: Forms = {
  "session.created": told,
  "session.compacted": told,
  "chat.message": stopped("the prompt was blocked"),
  "experimental.session.compacting": stopped("the compaction was blocked"),
  "tool.execute.before": beforeTool,
  "permission.asked"({ kind, text }) {
    if (kind === "block") return { json: refusal(text) };
    return kind === "allow" ? { json: { permission: "once" } } : {};
  },
  "tool.execute.after"(said) {
    const rewrite = rewrittenOutput(said.answers);
    const hidden = said.kind === "block" ? said.text : undefined;
    const output = hidden ?? (rewrite === undefined ? undefined : asText(rewrite));
    return { json: { ...(output === undefined ? {} : { output }), ...told(said).json } };
  },
  "message.part.updated"(said) {
    const rewritten = said.answers.some(({ rewrite }) => rewrite !== undefined);
    const lost = said.kind === "block" ? "block" : rewritten ? "rewrite" : undefined;
    return { ...told(said), undelivered: lost ? [shortfall(support, "post_tool_use", lost)] : [] };
  },
  "step-finish"({ kind, text, context }) {
    if (kind === "continue") return { json: { prompt: withContext(text, context) } };
    return { undelivered: context.length > 0 ? [shortfall(support, "stop", "context")] : [] };
  },
};

export const render = renderWith({ support }, FORMS);

function told({ context }: Said): { readonly json: JsonObject } {
  return { json: context.length > 0 ? { context: contextText(context) } : {} };
}

function stopped(because: string) {
  return (said: Said): Spoken => {
    if (said.kind !== "block") return told(said);
    return { stderr: said.text, undelivered: lostContext(said, because) };
  };
}

function beforeTool({ native, outcomes, answers, kind, text, context }: Said): Spoken {
  if (kind === "block") return { stderr: withContext(text, context) };
  const args = delegation.inputThatRuns(native, outcomes);
  const rewritten = !sameJson(args, native.payload.tool_input ?? null);
  const besides = contextOfCall(answers);
  return {
    json: {
      ...(rewritten ? { args } : {}),
      ...(besides.length > 0 ? { context: contextText(besides) } : {}),
    },
  };
}

const asText = (value: Json) => (typeof value === "string" ? value : JSON.stringify(value));
