/** Answers in the form Gemini CLI honours: one JSON object at exit 0, which it heeds whatever else happens. */
import type { ToldContext } from "../../core/context.ts";
import { type JsonObject, sameJson } from "../../core/json.ts";
import { contextText, opinionText, replacedText, withContext } from "../answer-text.ts";
import { delegationCodec } from "../delegation.ts";
import { type Delivered, deliver, shortfall, strongest } from "../delivery.ts";
import type { HostAnswer, Native, Outcome } from "../host.ts";
import { errorOf } from "./parse.ts";
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

/** Blocks, hides or goes on: each event has one thing that can be denied. */
export const denial = (reason: string): JsonObject => ({ decision: "deny", reason });

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
  readonly json?: JsonObject;
  readonly undelivered?: readonly string[];
}

const FORMS: Readonly<Record<string, (said: Said) => Spoken>> = {
  SessionStart: ({ native, context }) => additional(native, context),
  BeforeAgent({ native, kind, text, context }) {
    if (kind !== "block") return additional(native, context);
    const lost = context.length > 0 ? ["context for the model was not sent, because the prompt was blocked"] : [];
    return { json: denial(text), undelivered: lost };
  },
  BeforeTool: beforeTool,
  AfterTool: afterTool,
  AfterAgent({ kind, text, context }) {
    if (kind === "continue") return { json: denial(withContext(text, context)) };
    const undelivered = context.length > 0 ? [shortfall(support, "stop", "context")] : [];
    return kind === "halt" ? { json: { continue: false, stopReason: text }, undelivered } : { undelivered };
  },
};

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
  const replacement = answers.find(({ event }) => event.name === "post_tool_use")?.rewrite;
  const shown = kind === "block" ? text : replacement === undefined ? undefined : replacedText(replacement);
  if (shown !== undefined) return { json: denial(withContext(shown, context)) };
  // Of a result with an error the model sees the error's message alone.
  const error = errorOf(native.payload.tool_response);
  if (error === undefined || context.length === 0) return additional(native, context);
  return { json: denial(withContext(error, context)) };
}

/** Nothing to say, nothing printed. */
function additional(native: Native, context: readonly ToldContext[]): Spoken {
  return context.length > 0 ? specific(native, { additionalContext: contextText(context) }) : {};
}

const specific = ({ event }: Native, fields: JsonObject): Spoken => ({
  json: { hookSpecificOutput: { hookEventName: event, ...fields } },
});
