/** Answers in the form Gemini CLI honours: one JSON object at exit 0, which it heeds whatever else happens. */
import { type JsonObject, sameJson } from "../../core/json.ts";
import { replacedText, withContext } from "../answer-text.ts";
import { delegationCodec } from "../delegation.ts";
import { shortfall } from "../delivery.ts";
import { contextOnly, specific } from "../hook-specific-output.ts";
import { type Forms, lostContext, renderWith, rewrittenOutput, type Said, type Spoken } from "../render-forms.ts";
import { errorOf } from "./parse.ts";
import { support } from "./support.ts";
import { delegating, tools } from "./tools.ts";

export const delegation = delegationCodec(delegating, tools, (payload) => payload.tool_input);

/** Blocks, hides or goes on: each event has one thing that can be denied. */
export const denial = (reason: string): JsonObject => ({ decision: "deny", reason });

const FORMS: Forms = {
  SessionStart: contextOnly,
  BeforeAgent(said) {
    if (said.kind !== "block") return contextOnly(said);
    return { json: denial(said.text), undelivered: lostContext(said, "the prompt was blocked") };
  },
  BeforeTool: beforeTool,
  AfterTool: afterTool,
  AfterAgent({ kind, text, context }) {
    if (kind === "continue") return { json: denial(withContext(text, context)) };
    const undelivered = context.length > 0 ? [shortfall(support, "stop", "context")] : [];
    return kind === "halt" ? { json: { continue: false, stopReason: text }, undelivered } : { undelivered };
  },
};

export const render = renderWith({ support }, FORMS);

/** The input is sent whole: it takes the place of the model's, although the program's documents speak of merging. */
function beforeTool({ native, outcomes, answers, kind, text, context }: Said): Spoken {
  if (kind === "block") return { json: denial(withContext(text, context)) };
  const input = delegation.inputThatRuns(native, outcomes);
  // What a delegation's hooks say stands in the sub-agent's prompt.
  const untold = answers.some(({ event, context: items }) => event.name === "pre_tool_use" && items.length > 0);
  return {
    ...(sameJson(input, native.payload.tool_input ?? null) ? {} : specific(native, { tool_input: input })),
    undelivered: untold ? [shortfall(support, "pre_tool_use", "context")] : [],
  };
}

/** A denial takes the place of the whole result, and context beside it is dropped: so it is written into it. */
function afterTool({ native, answers, kind, text, context }: Said): Spoken {
  const replacement = rewrittenOutput(answers);
  const shown = kind === "block" ? text : replacement === undefined ? undefined : replacedText(replacement);
  if (shown !== undefined) return { json: denial(withContext(shown, context)) };
  // Of a result with an error the model sees the error's message alone.
  const error = errorOf(native.payload.tool_response);
  if (error === undefined || context.length === 0) return contextOnly({ native, context });
  return { json: denial(withContext(error, context)) };
}
