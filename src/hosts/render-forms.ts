/** What every render does alike: decisions go through the support table, then into the form of their native event. */
import type { ToldContext } from "../core/context.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { opinionText } from "./answer-text.ts";
import { type Delivered, deliver, strongest } from "./delivery.ts";
import type { Codec, Native, Outcome, Support } from "./host.ts";

/** All that is to be said to one payload. */
export interface Said extends Pick<Delivered, "kind" | "reasons" | "instructions"> {
  readonly native: Native;
  readonly outcomes: readonly Outcome[];
  readonly answers: readonly Delivered[];
  /** The opinion in words; empty where there is none. */
  readonly text: string;
  readonly context: readonly ToldContext[];
}

/** Stderr means exit 2: the two only ever come together. An empty `json` says nothing. */
export interface Spoken<A extends object = JsonObject> {
  readonly json?: A | undefined;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly undelivered?: readonly string[];
}

export interface Speaker {
  readonly support: Support;
  /** As in Host. */
  readonly silence?: string;
  /** Brings a native event's name into the spelling of the forms, where a host has several. */
  readonly spell?: (name: string) => string;
}

/** By native event; on one that is not here, nothing is said. */
export type Forms<A extends object = JsonObject> = Readonly<Record<string, (said: Said) => Spoken<A>>>;

export function renderWith<A extends object = JsonObject>(
  { support, silence = "", spell = (name) => name }: Speaker,
  forms: Forms<A>,
): Codec["render"] {
  return (native, outcomes) => {
    const answers = outcomes.map((outcome) => deliver(outcome, support));
    const { kind, reasons, instructions } = strongest(answers);
    const name = spell(native.event);
    const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
    const { json, stdout, stderr, undelivered }: Spoken<A> =
      form?.({
        kind,
        reasons,
        instructions,
        native,
        outcomes,
        answers,
        text: kind === "none" ? "" : opinionText(kind, reasons, instructions),
        context: answers.flatMap(({ context }) => context),
      }) ?? {};
    const lost: string[] = [];
    for (const answer of answers) lost.push(...answer.undelivered);
    if (undelivered) lost.push(...undelivered);
    const answer = {
      stdout: json && Object.keys(json).length > 0 ? JSON.stringify(json) : (stdout ?? silence),
      stderr: stderr ?? "",
      exitCode: stderr ? 2 : 0,
    };
    return lost.length > 0 ? { ...answer, undelivered: lost } : answer;
  };
}

/** Context that goes down with what was blocked. */
export const lostContext = ({ context }: Pick<Said, "context">, because: string): readonly string[] =>
  context.length > 0 ? [`context for the model was not sent, because ${because}`] : [];

/** What a delegation's hooks say is for the sub-agent and stands in its prompt: the context besides. */
export const contextOfCall = (answers: readonly Delivered[]): readonly ToldContext[] =>
  answers.filter(({ event }) => event.name !== "pre_delegation").flatMap(({ context }) => context);

/** What takes the place of a tool's output. */
export const rewrittenOutput = (answers: readonly Delivered[]): Json | undefined =>
  answers.find(({ event }) => event.name === "post_tool_use")?.rewrite;
