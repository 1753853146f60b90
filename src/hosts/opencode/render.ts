/**
 * Answers as plugin.ts obeys them. Exit 2 and a text: throw it, which stops what was about to happen. Exit 0 and JSON:
 *   args        the fields of the call as it is to run
 *   output      takes the place of all the tool returned
 *   context     for the model, beside what it is told anyway
 *   permission  "once": answered for the person; "reject": refused, with `message`
 *   prompt      to be asked next, because the turn is not over
 */
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
  const json = spoken?.json ?? {};
  return {
    stdout: Object.keys(json).length > 0 ? JSON.stringify(json) : "",
    stderr: spoken?.thrown ?? "",
    exitCode: spoken?.thrown ? 2 : 0,
    ...(undelivered.length > 0 ? { undelivered } : {}),
  };
}

/** The one event where nothing waits that could be thrown at. */
export const refusal = (message: string): JsonObject => ({ permission: "reject", message });

interface Said {
  readonly native: Native;
  readonly outcomes: readonly Outcome[];
  readonly answers: readonly Delivered[];
  readonly kind: Delivered["kind"];
  /** The opinion in words. */
  readonly text: string;
  readonly context: readonly ToldContext[];
}

/** Either a text to throw or an answer. */
interface Spoken {
  readonly json?: JsonObject;
  readonly thrown?: string;
  readonly undelivered?: readonly string[];
}

const FORMS: Readonly<Record<string, (said: Said) => Spoken>> = {
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
    const call = said.answers.find(({ event }) => event.name === "post_tool_use");
    const hidden = said.kind === "block" ? said.text : undefined;
    const output = hidden ?? (call?.rewrite === undefined ? undefined : asText(call.rewrite));
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

function told({ context }: Said): { readonly json: JsonObject } {
  return { json: context.length > 0 ? { context: contextText(context) } : {} };
}

function stopped(because: string) {
  return (said: Said): Spoken => {
    if (said.kind !== "block") return told(said);
    const lost = said.context.length > 0 ? [`context for the model was not sent, because ${because}`] : [];
    return { thrown: said.text, undelivered: lost };
  };
}

function beforeTool({ native, outcomes, answers, kind, text, context }: Said): Spoken {
  if (kind === "block") return { thrown: withContext(text, context) };
  const args = delegation.inputThatRuns(native, outcomes);
  const rewritten = !sameJson(args, native.payload.tool_input ?? null);
  // What a delegation's hooks say is for the sub-agent and stands in its prompt.
  const besides = answers.filter(({ event }) => event.name !== "pre_delegation").flatMap((answer) => answer.context);
  return {
    json: {
      ...(rewritten ? { args } : {}),
      ...(besides.length > 0 ? { context: contextText(besides) } : {}),
    },
  };
}

const asText = (value: Json) => (typeof value === "string" ? value : JSON.stringify(value));
