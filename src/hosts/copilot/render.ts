/** Answers in the form Copilot honours. On every event but PreToolUse it is the flat one, whichever dialect asked. */
import type { ToldContext } from "../../core/context.ts";
import { isJsonObject, type Json, type JsonObject, sameJson } from "../../core/json.ts";
import { contextText, replacedText, withContext } from "../answer-text.ts";
import { delegationCodec } from "../delegation.ts";
import { type Delivered, shortfall } from "../delivery.ts";
import {
  contextOfCall,
  type Forms,
  lostContext,
  renderWith,
  rewrittenOutput,
  type Said,
  type Spoken,
} from "../render-forms.ts";
import { inputOf, isFreeform, registeredName } from "./dialect.ts";
import { support } from "./support.ts";
import { delegating, FREEFORM, tools } from "./tools.ts";

export const delegation = delegationCodec(delegating, tools, inputOf);

/** The block of an event that has one, without the help of an exit code: that would drop the reason. */
export function denial(native: string, text: string): JsonObject | undefined {
  const name = registeredName(native);
  return Object.hasOwn(DENIALS, name) ? DENIALS[name]?.(native, text) : undefined;
}

const DENIALS: Readonly<Record<string, (native: string, text: string) => JsonObject>> = {
  preToolUse: (native, text) => ruling(native, { permissionDecision: "deny", permissionDecisionReason: text }),
  userPromptSubmitted: (_, reason) => ({ decision: "block", reason }),
  permissionRequest: (_, message) => ({ behavior: "deny", message }),
};

/** For PreToolUse as Claude Code has it: there the flat form is nowhere promised. */
function ruling(native: string, fields: JsonObject): JsonObject {
  if (native !== "PreToolUse" || Object.keys(fields).length === 0) return fields;
  const { modifiedArgs, ...rest } = fields;
  const updated = modifiedArgs === undefined ? {} : { updatedInput: modifiedArgs };
  return { hookSpecificOutput: { hookEventName: native, ...rest, ...updated } };
}

const FORMS: Forms = {
  sessionStart: ({ context }) => ({ json: additional(context) }),
  subagentStart: ({ context }) => ({ json: additional(context) }),
  userPromptSubmitted(said) {
    if (said.kind !== "block") return { json: additional(said.context) };
    return { json: denial(said.native.event, said.text), undelivered: lostContext(said, "the prompt was blocked") };
  },
  preToolUse,
  permissionRequest({ native, kind, text }) {
    if (kind === "block") return { json: denial(native.event, text) };
    return kind === "allow" ? { json: { behavior: "allow" } } : {};
  },
  postToolUse({ native, answers, kind, text, context }) {
    // With a block Copilot drops everything else that is said.
    if (kind === "block") return { json: { decision: "block", reason: withContext(text, context) } };
    const rewrite = rewrittenOutput(answers);
    const modified = rewrite === undefined ? {} : { modifiedResult: resultWith(native.payload, rewrite) };
    return { json: { ...modified, ...additional(context) } };
  },
  postToolUseFailure({ answers, kind, text, context }) {
    const rewrite = rewrittenOutput(answers);
    const wanted = kind === "block" ? "block" : rewrite === undefined ? undefined : "rewrite";
    if (!wanted) return { json: additional(context) };
    const beside = wanted === "block" ? text : replacedText(rewrite ?? null);
    return {
      json: { additionalContext: withContext(beside, context) },
      undelivered: [shortfall(support, "post_tool_use", wanted)],
    };
  },
  agentStop({ kind, text, context }) {
    if (kind === "continue") return { json: { decision: "block", reason: withContext(text, context) } };
    return { undelivered: context.length > 0 ? [shortfall(support, "stop", "context")] : [] };
  },
};

export const render = renderWith({ support, spell: registeredName }, FORMS);

function preToolUse({ native, outcomes, answers, kind, text, context }: Said): Spoken {
  const blocked = kind === "block";
  const input = delegation.inputThatRuns(native, outcomes);
  const rewritten = !blocked && !sameJson(input, inputOf(native.payload) ?? null);
  // What a sub-agent is told in its prompt reaches nobody where the call is blocked.
  const told = blocked ? context : contextOfCall(answers);
  const unheard = kind === "allow" && !liftsQuestion(answers);
  const decision = unheard ? undefined : PERMISSIONS[kind];
  const json = ruling(native.event, {
    ...(decision ? { permissionDecision: decision, permissionDecisionReason: text } : {}),
    // The whole of it: what is left out is not taken from the call.
    ...(rewritten ? { modifiedArgs: isFreeform(native.payload) ? (input[FREEFORM] ?? null) : input } : {}),
    ...additional(told),
  });
  return { json, undelivered: unheard ? [shortfall(support, "pre_tool_use", "allow")] : [] };
}

const PERMISSIONS: { readonly [K in Delivered["kind"]]?: string } = { block: "deny", ask: "ask", allow: "allow" };

const liftsQuestion = (answers: readonly Delivered[]) =>
  answers.some(({ event }) => event.name === "pre_tool_use" && event.tool.kind === "shell");

const additional = (context: readonly ToldContext[]): JsonObject =>
  context.length > 0 ? { additionalContext: contextText(context) } : {};

function resultWith({ toolResult, tool_result }: JsonObject, rewrite: Json): JsonObject {
  const result = toolResult ?? tool_result;
  const { resultType, result_type } = isJsonObject(result) ? result : {};
  return {
    resultType: resultType ?? result_type ?? "success",
    textResultForLlm: typeof rewrite === "string" ? rewrite : JSON.stringify(rewrite),
  };
}
