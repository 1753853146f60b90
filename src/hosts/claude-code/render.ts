/** Answers in the form Claude Code honours, and nothing besides: it acts on a stray byte (PreCompact) or context (Stop). */
import type { AgentEvent } from "../../core/event.ts";
import { type Json, type JsonObject, sameJson } from "../../core/json.ts";
import { contextText, replacedText, withContext } from "../answer-text.ts";
import { delegationCodec } from "../delegation.ts";
import { type Delivered, shortfall } from "../delivery.ts";
import { additionalContext, contextOnly, specific } from "../hook-specific-output.ts";
import { contextOfCall, type Forms, lostContext, renderWith, type Said, type Spoken } from "../render-forms.ts";
import { replaceOutput } from "./output.ts";
import { support } from "./support.ts";
import { delegating, tools } from "./tools.ts";

export const delegation = delegationCodec(delegating, tools, (payload) => payload.tool_input);

/** The one event where a denial is neither an exit code nor a permissionDecision. */
export function denial(message: string): JsonObject {
  return { hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "deny", message } } };
}

const FORMS: Forms = {
  SessionStart: contextOnly,
  SubagentStart: contextOnly,
  UserPromptSubmit: (said) =>
    said.kind === "block"
      ? { json: { decision: "block", reason: said.text }, undelivered: lostContext(said, "the prompt was blocked") }
      : contextOnly(said),
  PreToolUse: preToolUse,
  PermissionRequest({ native, kind, text }) {
    if (kind === "block") return { json: denial(text) };
    return kind === "allow" ? specific(native, { decision: { behavior: "allow" } }) : {};
  },
  PostToolUse: postToolUse,
  PostToolUseFailure: postToolUse,
  Stop(said) {
    const { kind, text, context } = said;
    if (kind === "continue") return { json: { decision: "block", reason: withContext(text, context) } };
    const undelivered = context.length > 0 ? [shortfall(support, "stop", "context")] : [];
    return kind === "halt" ? { json: { continue: false, stopReason: text }, undelivered } : { undelivered };
  },
  PreCompact(said) {
    if (said.kind === "block")
      return { stderr: said.text, undelivered: lostContext(said, "the compaction was blocked") };
    return said.context.length > 0 ? { stdout: contextText(said.context) } : {};
  },
  PostCompact({ native, context }) {
    if (context.length === 0) return {};
    if (native.payload.trigger === "manual") return { stdout: contextText(context) };
    return { undelivered: [shortfall(support, "post_compaction", "context")] };
  },
};

export const render = renderWith({ support }, FORMS);

function preToolUse({ native, outcomes, answers, kind, text, context }: Said): Spoken {
  const blocked = kind === "block";
  const input = delegation.inputThatRuns(native, outcomes);
  const rewritten = !blocked && !sameJson(input, native.payload.tool_input ?? null);
  // What a sub-agent is told in its prompt reaches nobody where the call is blocked.
  const told = blocked ? context : contextOfCall(answers);
  const decision = PERMISSIONS[kind];
  return specific(native, {
    ...(decision ? { permissionDecision: decision, permissionDecisionReason: text } : {}),
    ...(rewritten ? { updatedInput: input } : {}),
    ...additionalContext(told),
  });
}

const PERMISSIONS: { readonly [K in Delivered["kind"]]?: string } = { block: "deny", ask: "ask", allow: "allow" };

function postToolUse({ native, answers, kind, text, context }: Said): Spoken {
  const call = answers.find(({ event }) => event.name === "post_tool_use");
  const additional = additionalContext(context);
  const wanted = kind === "block" ? "block" : call?.rewrite !== undefined ? "rewrite" : undefined;
  if (!call || !wanted) return specific(native, additional);

  const replacement = wanted === "block" ? text : (call.rewrite ?? null);
  const replaced = native.event === "PostToolUse" ? replacedOutput(call.event, replacement) : undefined;
  const reason = wanted === "block" ? text : replaced === undefined ? replacedText(replacement) : undefined;
  return {
    json: {
      ...(reason === undefined ? {} : { decision: "block", reason }),
      ...specific(native, { ...(replaced === undefined ? {} : { updatedToolOutput: replaced }), ...additional }).json,
    },
    undelivered: replaced === undefined ? [shortfall(support, "post_tool_use", wanted)] : [],
  };
}

function replacedOutput(event: AgentEvent, replacement: Json): Json | undefined {
  return event.name === "post_tool_use" ? replaceOutput(event.tool, event.response, replacement) : undefined;
}
