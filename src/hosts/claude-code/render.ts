/** Answers in the form Claude Code honours, and nothing besides: it acts on a stray byte (PreCompact) or context (Stop). */
import type { ToldContext } from "../../core/context.ts";
import type { AgentEvent } from "../../core/event.ts";
import { type Json, type JsonObject, sameJson } from "../../core/json.ts";
import { contextText, opinionText, replacedText, withContext } from "../answer-text.ts";
import { delegationCodec } from "../delegation.ts";
import { type Delivered, deliver, shortfall, strongest } from "../delivery.ts";
import type { HostAnswer, Native, Outcome } from "../host.ts";
import { replaceOutput } from "./output.ts";
import { support } from "./support.ts";
import { delegating, tools } from "./tools.ts";

export const delegation = delegationCodec(delegating, tools, (payload) => payload.tool_input);

export function render(native: Native, outcomes: readonly Outcome[]): HostAnswer {
  const answers = outcomes.map((outcome) => deliver(outcome, support));
  const { kind, reasons, instructions } = strongest(answers);
  const form = Object.hasOwn(FORMS, native.event) ? FORMS[native.event] : undefined;
  const spoken = form?.({
    native,
    outcomes,
    answers,
    kind,
    text: kind === "none" ? "" : opinionText(kind, reasons, instructions),
    context: answers.flatMap(({ context }) => context),
  });
  const undelivered = [...answers.flatMap((answer) => answer.undelivered), ...(spoken?.undelivered ?? [])];
  return {
    stdout: spoken?.json ? JSON.stringify(spoken.json) : (spoken?.stdout ?? ""),
    stderr: spoken?.stderr ?? "",
    exitCode: spoken?.stderr ? 2 : 0,
    ...(undelivered.length > 0 ? { undelivered } : {}),
  };
}

/** The one event where a denial is neither an exit code nor a permissionDecision. */
export function denial(message: string): JsonObject {
  return { hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "deny", message } } };
}

interface Said {
  readonly native: Native;
  readonly outcomes: readonly Outcome[];
  readonly answers: readonly Delivered[];
  readonly kind: Delivered["kind"];
  /** The opinion in words. */
  readonly text: string;
  readonly context: readonly ToldContext[];
}

/** Stderr means exit 2: the two only ever come together. */
interface Spoken {
  readonly json?: JsonObject | undefined;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly undelivered?: readonly string[];
}

const FORMS: Readonly<Record<string, (said: Said) => Spoken>> = {
  SessionStart: contextOnly,
  SubagentStart: contextOnly,
  UserPromptSubmit: (said) =>
    said.kind === "block"
      ? { json: { decision: "block", reason: said.text }, undelivered: lost(said, "the prompt was blocked") }
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
    if (said.kind === "block") return { stderr: said.text, undelivered: lost(said, "the compaction was blocked") };
    return said.context.length > 0 ? { stdout: contextText(said.context) } : {};
  },
  PostCompact({ native, context }) {
    if (context.length === 0) return {};
    if (native.payload.trigger === "manual") return { stdout: contextText(context) };
    return { undelivered: [shortfall(support, "post_compaction", "context")] };
  },
};

function contextOnly({ native, context }: Said): Spoken {
  return context.length > 0 ? specific(native, { additionalContext: contextText(context) }) : {};
}

function preToolUse({ native, outcomes, answers, kind, text, context }: Said): Spoken {
  const blocked = kind === "block";
  const input = delegation.inputThatRuns(native, outcomes);
  const rewritten = !blocked && !sameJson(input, native.payload.tool_input ?? null);
  // What a delegation's hooks say is for the sub-agent and stands in its prompt, unless nobody will read that.
  const told = blocked
    ? context
    : answers.filter(({ event }) => event.name !== "pre_delegation").flatMap((a) => a.context);
  const decision = PERMISSIONS[kind];
  return specific(native, {
    ...(decision ? { permissionDecision: decision, permissionDecisionReason: text } : {}),
    ...(rewritten ? { updatedInput: input } : {}),
    ...(told.length > 0 ? { additionalContext: contextText(told) } : {}),
  });
}

const PERMISSIONS: { readonly [K in Delivered["kind"]]?: string } = { block: "deny", ask: "ask", allow: "allow" };

function postToolUse({ native, answers, kind, text, context }: Said): Spoken {
  const call = answers.find(({ event }) => event.name === "post_tool_use");
  const additional: JsonObject = context.length > 0 ? { additionalContext: contextText(context) } : {};
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

/** Empty: nothing to say, so nothing is printed. */
function specific({ event }: Native, fields: JsonObject): { readonly json?: JsonObject } {
  if (Object.keys(fields).length === 0) return {};
  return { json: { hookSpecificOutput: { hookEventName: event, ...fields } } };
}

const lost = ({ context }: Said, because: string) =>
  context.length > 0 ? [`context for the model was not sent, because ${because}`] : [];
