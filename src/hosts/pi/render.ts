/** Decisions as orders for our plugin: the fields of answer.ts, and nothing where there is nothing to say. */
import type { AgentEvent } from "../../core/event.ts";
import { isJsonObject, type Json } from "../../core/json.ts";
import { contextText, opinionText, withContext } from "../answer-text.ts";
import { type Forms, lostContext, renderWith, type Said } from "../render-forms.ts";
import type { PiAnswer, Question } from "./answer.ts";
import { support } from "./support.ts";

const FORMS: Forms<PiAnswer> = {
  session_start: (said) => ({ json: told(said) }),
  session_compact: (said) => ({ json: told(said) }),
  input(said) {
    if (said.kind !== "block") return { json: told(said) };
    return { json: { block: said.text }, undelivered: lostContext(said, "the prompt was blocked") };
  },
  tool_call(said) {
    if (said.kind === "block") return { json: { block: withContext(said.text, said.context) } };
    const [call] = said.answers;
    const input = call?.rewrite;
    return {
      json: {
        ...(said.kind === "ask" && call ? { ask: questionOf(said, call.final) } : {}),
        ...(isJsonObject(input) ? { input } : {}),
        ...told(said),
      },
    };
  },
  tool_result(said) {
    if (said.kind === "block") return { json: { block: said.text, ...told(said) } };
    const rewrite = said.answers[0]?.rewrite;
    return { json: { ...(rewrite === undefined ? {} : { content: contentOf(rewrite) }), ...told(said) } };
  },
  agent_before_settle(said) {
    if (said.kind === "continue") return { json: { continue: withContext(said.text, said.context) } };
    return { json: { ...(said.kind === "halt" ? { halt: said.text } : {}), ...told(said) } };
  },
  session_before_compact: (said) => ({
    json: { ...(said.kind === "block" ? { block: said.text } : {}), ...told(said) },
  }),
};

export const render = renderWith({ support }, FORMS);

const told = ({ context }: Said): PiAnswer => (context.length > 0 ? { context: contextText(context) } : {});

function questionOf(said: Said, call: AgentEvent): Question {
  const refusal = (...more: string[]) => opinionText("block", said.reasons, [...said.instructions, ...more]);
  const offers = said.outcomes.flatMap(({ offer }) => offer ?? []);
  return {
    question: `${said.text}\n\n${callText(call)}`,
    refused: refusal("The person was asked and said no. Do not try it in another way; ask them how to go on."),
    unasked: refusal(
      ...offers,
      "This needs a person's yes, and nobody is there to be asked. Tell the person what you want to run and why, and let them decide.",
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
