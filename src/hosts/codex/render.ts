/** Answers in the form Codex honours, and nothing besides: one field too many, or one missing, and it runs the call. */
import type { ToldContext } from "../../core/context.ts";
import { type Json, type JsonObject, sameJson } from "../../core/json.ts";
import { contextText, opinionText, withContext } from "../answer-text.ts";
import { delegationCodec } from "../delegation.ts";
import { type Delivered, deliver, shortfall, strongest } from "../delivery.ts";
import type { HostAnswer, Native, Outcome } from "../host.ts";
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
    stdout: spoken?.json ? JSON.stringify(spoken.json) : "",
    stderr: "",
    exitCode: 0,
    ...(undelivered.length > 0 ? { undelivered } : {}),
  };
}

/** Ends the turn: the only way to stop a compaction, or to end a turn whatever other hooks say. */
export const endedTurn = (stopReason: string): JsonObject => ({ continue: false, stopReason });

interface Said {
  readonly native: Native;
  readonly outcomes: readonly Outcome[];
  readonly answers: readonly Delivered[];
  readonly kind: Delivered["kind"];
  /** The opinion in words. */
  readonly text: string;
  readonly context: readonly ToldContext[];
}

interface Spoken {
  readonly json?: JsonObject | undefined;
  readonly undelivered?: readonly string[];
}

const FORMS: Readonly<Record<string, (said: Said) => Spoken>> = {
  SessionStart: contextOnly,
  SubagentStart: contextOnly,
  UserPromptSubmit(said) {
    if (said.kind !== "block") return contextOnly(said);
    const lost = said.context.length > 0 ? ["context for the model was not sent, because the prompt was blocked"] : [];
    return { json: { decision: "block", reason: said.text }, undelivered: lost };
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

function contextOnly({ native, context }: Pick<Said, "native" | "context">): Spoken {
  return context.length > 0 ? specific(native, { additionalContext: contextText(context) }) : {};
}

function preToolUse({ native, outcomes, answers, kind, text, context }: Said): Spoken {
  const blocked = kind === "block";
  const input = delegation.inputThatRuns(native, outcomes);
  const rewritten = !blocked && !sameJson(input, native.payload.tool_input ?? null);
  // What a delegation's hooks say is for the sub-agent and stands in its prompt, unless nobody will read that.
  const told = blocked
    ? context
    : answers.filter(({ event }) => event.name !== "pre_delegation").flatMap((answer) => answer.context);
  return specific(native, {
    ...(blocked ? { permissionDecision: "deny", permissionDecisionReason: text } : {}),
    ...(rewritten ? { permissionDecision: "allow", updatedInput: input } : {}),
    ...(told.length > 0 ? { additionalContext: contextText(told) } : {}),
  });
}

/** The reason of a block stands in the place of the output, whatever the tool. */
function postToolUse({ native, answers, kind, text, context }: Said): Spoken {
  const rewrite = answers.find(({ event }) => event.name === "post_tool_use")?.rewrite;
  const reason = kind === "block" ? text : rewrite === undefined ? undefined : shownAs(rewrite);
  const additional = contextOnly({ native, context }).json;
  return { json: reason === undefined ? additional : { decision: "block", reason, ...additional } };
}

/** Without a text Codex shows the output that was to be replaced. */
function shownAs(output: Json): string {
  const text = typeof output === "string" ? output : JSON.stringify(output);
  return text.trim() === "" ? "(no output)" : text;
}

/** Empty: nothing to say, so nothing is printed. */
function specific({ event }: Native, fields: JsonObject): { readonly json?: JsonObject } {
  if (Object.keys(fields).length === 0) return {};
  return { json: { hookSpecificOutput: { hookEventName: event, ...fields } } };
}
