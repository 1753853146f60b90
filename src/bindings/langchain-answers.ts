/** What a call comes to, as LangChain's messages: the tool's own where hooks left it, otherwise what they made of it. */
import { isJsonObject, type Json, type JsonObject, sameJson } from "../core/json.ts";
import { ToolFailure, type ToolOutcome } from "../embed/tool-call.ts";
import { messageOf } from "./hook-context.ts";
import type { Run } from "./langchain-checked-tool.ts";
import { asJson, rebuilt } from "./rebuilt-output.ts";

/** A message of a tool, or a Command, which has an update in place of a content. */
export interface Answer {
  readonly content?: unknown;
  readonly artifact?: unknown;
  readonly status?: string;
  readonly update?: unknown;
}

type Called = (what: Run, run: (input: JsonObject) => Promise<Json>) => Promise<ToolOutcome>;

export class Answers {
  readonly #ToolMessage: new (
    fields: object,
  ) => object;
  readonly #call: { readonly name: string; readonly tool_call_id: string };

  constructor(ToolMessage: new (fields: object) => object, name: string, id: string) {
    this.#ToolMessage = ToolMessage;
    this.#call = { name, tool_call_id: id };
  }

  of(outcome: ToolOutcome, answered: Answer | undefined): object {
    if (outcome.status === "blocked") return this.#message(outcome.reason, "error");
    const { output, failed } = outcome;
    if (answered && sameJson(outputOf(answered), output)) return answered;
    if (failed) return this.#message(textOf(output), "error");
    const content = rebuilt(answered?.content, output);
    return this.#message(isContent(content) ? content : textOf(output), "success", answered?.artifact);
  }

  /** A run that hooks had not looked at. A failure stays one: there is middleware that tries again. */
  async ofOther(called: Called, other: Run, run: (input: JsonObject) => Promise<unknown>): Promise<unknown> {
    let returned: unknown;
    let thrown: unknown;
    const outcome = await called(other, async (final) => {
      returned = await run(final).catch((error) => {
        thrown = error;
        throw error;
      });
      return outputOrFailure(asAnswer(returned));
    });
    if (outcome.status === "blocked" || thrown === undefined) return this.of(outcome, asAnswer(returned));
    throw outcome.output === messageOf(thrown) ? thrown : new Error(textOf(outcome.output));
  }

  #message(content: unknown, status: "success" | "error", artifact?: unknown): object {
    return new this.#ToolMessage({ ...this.#call, content, status, ...(artifact === undefined ? {} : { artifact }) });
  }
}

/** What hooks see of an answer: the content of a message, or the update of a Command. */
export function outputOrFailure(answer: Answer): Json {
  if (answer.status === "error") throw new ToolFailure(asJson(answer.content));
  return outputOf(answer);
}

const outputOf = ({ content, update }: Answer): Json => asJson(content === undefined ? update : content);

/** A tool that is run by itself returns what it likes. */
const asAnswer = (returned: unknown): Answer =>
  typeof returned === "object" && returned !== null && ("content" in returned || "update" in returned)
    ? returned
    : { content: returned };

/** A text, or blocks: what a message can be made of. */
const isContent = (value: unknown): boolean =>
  typeof value === "string" ||
  (Array.isArray(value) && value.every((block) => isJsonObject(block) && typeof block.type === "string"));

const textOf = (output: Json): string => (typeof output === "string" ? output : JSON.stringify(output));
