/** Answers in the one form Cursor documents today: a flat JSON object at exit 0, and an empty one for nothing to say. */
import type { ToldContext } from "../../core/context.ts";
import { isJsonObject, type Json, type JsonObject, sameJson } from "../../core/json.ts";
import { contextText, insteadText, opinionText, replacedText, withContext } from "../answer-text.ts";
import { delegationCodec } from "../delegation.ts";
import { shortfall } from "../delivery.ts";
import { type Forms, renderWith, rewrittenOutput, type Said, type Spoken } from "../render-forms.ts";
import { inputOf } from "./parse.ts";
import { support } from "./support.ts";
import { delegating, tools } from "./tools.ts";

export const delegation = delegationCodec(delegating, tools, inputOf);

/** Where Cursor is told to fail closed, it takes no output for a failure. */
export const SILENCE = "{}";

const FORMS: Forms = {
  sessionStart: ({ context }) => additional(context),
  beforeSubmitPrompt: ({ kind, text }) => (kind === "block" ? { json: { continue: false, user_message: text } } : {}),
  preToolUse,
  beforeMCPExecution: (said) => unchangeable(said, "Cursor cannot change the call of an MCP tool"),
  beforeShellExecution: (said) => unchangeable(said, CHANGED_EARLIER),
  beforeReadFile: (said) => unchangeable(said, CHANGED_EARLIER),
  postToolUse,
  postToolUseFailure({ answers, kind, context }) {
    const wanted = kind === "block" ? "block" : rewrittenOutput(answers) === undefined ? undefined : "rewrite";
    return {
      undelivered: [
        ...(wanted ? [shortfall(support, "post_tool_use", wanted)] : []),
        ...(context.length > 0 ? [shortfall(support, "post_tool_use", "context")] : []),
      ],
    };
  },
  stop({ kind, text, context }) {
    if (kind === "continue") return { json: { followup_message: withContext(text, context) } };
    return { undelivered: context.length > 0 ? [shortfall(support, "stop", "context")] : [] };
  },
};

export const render = renderWith({ support, silence: SILENCE }, FORMS);

function preToolUse({ native, outcomes, answers, kind, text, context }: Said): Spoken {
  if (kind === "block") return { json: denial(withContext(text, context)) };
  const input = delegation.inputThatRuns(native, outcomes);
  const rewritten = !sameJson(input, inputOf(native.payload));
  const told = answers.some((answer) => answer.event.name === "pre_tool_use" && answer.context.length > 0);
  return {
    // Without a permission: an allow would answer for the person.
    ...(rewritten ? { json: { updated_input: input } } : {}),
    undelivered: told ? [shortfall(support, "pre_tool_use", "context")] : [],
  };
}

const CHANGED_EARLIER = "Cursor changes a call on preToolUse only";

/** Permission is all that Cursor asks for here. */
function unchangeable({ answers, kind, text, context }: Said, because: string): Spoken {
  if (kind === "block") return { json: denial(withContext(text, context)) };
  const [call] = answers;
  if (call?.rewrite !== undefined) {
    const how = `this call must be made differently, and ${because}`;
    const advice = opinionText("block", [{ hook: "holdfast", text: how }], [insteadText(call.final)]);
    return {
      json: denial(withContext(advice, context)),
      undelivered: [shortfall(support, "pre_tool_use", "rewrite")],
    };
  }
  return { undelivered: context.length > 0 ? [shortfall(support, "pre_tool_use", "context")] : [] };
}

/** Documented for the person and the agent apart; by reports the model reads the person's. */
const denial = (message: string): JsonObject => ({
  permission: "deny",
  user_message: message,
  agent_message: message,
});

function postToolUse({ answers, kind, text, context }: Said): Spoken {
  const rewrite = rewrittenOutput(answers);
  const wanted = kind === "block" ? "block" : rewrite === undefined ? undefined : "rewrite";
  if (!wanted) return additional(context);
  const replacement = wanted === "block" ? text : (rewrite ?? null);
  const [call] = answers;
  if (call?.event.name === "post_tool_use" && call.event.tool.kind === "mcp") {
    return { json: { updated_mcp_tool_output: mcpOutput(replacement), ...additional(context).json } };
  }
  const beside = wanted === "block" ? text : replacedText(replacement);
  return {
    json: { additional_context: withContext(beside, context) },
    undelivered: [shortfall(support, "post_tool_use", wanted)],
  };
}

/** An MCP result, which is what is documented to be replaced. */
function mcpOutput(replacement: Json): JsonObject {
  if (isJsonObject(replacement) && Array.isArray(replacement.content)) return replacement;
  const text = typeof replacement === "string" ? replacement : JSON.stringify(replacement);
  return { content: [{ type: "text", text }] };
}

const additional = (context: readonly ToldContext[]): Spoken =>
  context.length > 0 ? { json: { additional_context: contextText(context) } } : {};
