/** Decisions as orders for our plugin: the fields of answer.ts, and nothing where there is nothing to say. */
import type { ToldContext } from "../../core/context.ts";
import type { AgentEvent } from "../../core/event.ts";
import { isJsonObject, type Json } from "../../core/json.ts";
import { contextText, opinionText, withContext } from "../answer-text.ts";
import { type Delivered, deliver, strongest } from "../delivery.ts";
import type { HostAnswer, Native, Outcome } from "../host.ts";
import type { PiAnswer, Question } from "./answer.ts";
import { support } from "./support.ts";

export function render(native: Native, outcomes: readonly Outcome[]): HostAnswer {
  const answers = outcomes.map((outcome) => deliver(outcome, support));
  const said: Said = { answers, ...strongest(answers), context: answers.flatMap(({ context }) => context) };
  const form = Object.hasOwn(FORMS, native.event) ? FORMS[native.event] : undefined;
  const { answer, undelivered = [] } = form?.(said) ?? { answer: {} };
  const lost = [...answers.flatMap((delivered) => delivered.undelivered), ...undelivered];
  return {
    stdout: Object.keys(answer).length > 0 ? JSON.stringify(answer) : "",
    stderr: "",
    exitCode: 0,
    ...(lost.length > 0 ? { undelivered: lost } : {}),
  };
}

interface Said extends Pick<Delivered, "kind" | "reasons" | "instructions"> {
  readonly answers: readonly Delivered[];
  readonly context: readonly ToldContext[];
}

interface Spoken {
  readonly answer: PiAnswer;
  readonly undelivered?: readonly string[];
}

const FORMS: Readonly<Record<string, (said: Said) => Spoken>> = {
  session_start: (said) => ({ answer: told(said) }),
  session_compact: (said) => ({ answer: told(said) }),
  input(said) {
    if (said.kind !== "block") return { answer: told(said) };
    const lost = said.context.length > 0 ? ["context for the model was not sent, because the prompt was blocked"] : [];
    return { answer: { block: textOf(said) }, undelivered: lost };
  },
  tool_call(said) {
    if (said.kind === "block") return { answer: { block: withContext(textOf(said), said.context) } };
    const [call] = said.answers;
    const input = call?.rewrite;
    return {
      answer: {
        ...(said.kind === "ask" && call ? { ask: questionOf(said, call.final) } : {}),
        ...(isJsonObject(input) ? { input } : {}),
        ...told(said),
      },
    };
  },
  tool_result(said) {
    if (said.kind === "block") return { answer: { block: textOf(said), ...told(said) } };
    const rewrite = said.answers[0]?.rewrite;
    return { answer: { ...(rewrite === undefined ? {} : { content: contentOf(rewrite) }), ...told(said) } };
  },
  agent_before_settle(said) {
    if (said.kind === "continue") return { answer: { continue: withContext(textOf(said), said.context) } };
    return { answer: { ...(said.kind === "halt" ? { halt: textOf(said) } : {}), ...told(said) } };
  },
  session_before_compact: (said) => ({
    answer: { ...(said.kind === "block" ? { block: textOf(said) } : {}), ...told(said) },
  }),
};

const textOf = ({ kind, reasons, instructions }: Said) => opinionText(kind, reasons, instructions);

const told = ({ context }: Said): PiAnswer => (context.length > 0 ? { context: contextText(context) } : {});

function questionOf(said: Said, call: AgentEvent): Question {
  const refusal = (instruction: string) => opinionText("block", said.reasons, [...said.instructions, instruction]);
  return {
    question: `${textOf(said)}\n\n${callText(call)}`,
    refused: refusal("The person was asked and said no. Do not try it in another way; ask them how to go on."),
    unasked: refusal(
      "This needs a person's yes, and nobody is there to be asked. Tell the person what you want to run and why, and let them run it or change the rule.",
    ),
  };
}

const MAX_INPUT_CHARACTERS = 2_000;

/** The call as it would run, which after a rewrite is not what the screen shows. A command is never cut: its end counts. */
function callText(event: AgentEvent): string {
  if (!("tool" in event)) return "";
  const { tool } = event;
  if (tool.kind === "shell") return tool.command;
  const input = JSON.stringify(tool.input);
  const more = input.length - MAX_INPUT_CHARACTERS;
  return `${tool.name} ${more > 0 ? `${input.slice(0, MAX_INPUT_CHARACTERS)} (and ${more} characters more)` : input}`;
}

/** pi's content is a list of texts and images; anything else becomes a text. */
function contentOf(rewrite: Json): readonly Json[] {
  if (Array.isArray(rewrite) && rewrite.length > 0 && rewrite.every(isPart)) return rewrite;
  return [{ type: "text", text: typeof rewrite === "string" ? rewrite : JSON.stringify(rewrite) }];
}

function isPart(part: Json): boolean {
  if (!isJsonObject(part)) return false;
  if (part.type === "text") return typeof part.text === "string";
  return part.type === "image" && typeof part.data === "string" && typeof part.mimeType === "string";
}
