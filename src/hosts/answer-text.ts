/** The words in which decisions reach a model or a person, the same on every host. */
import { labelContext, type ToldContext } from "../core/context.ts";
import type { Reason } from "../core/decision.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Json } from "../core/json.ts";
import type { Opinion } from "../core/verdict.ts";

/** An opinion with its reasons: the first as its hook wrote it, the others short, then what to do about it. */
export function opinionText(
  kind: Opinion["kind"],
  reasons: readonly Reason[],
  instructions: readonly string[] = [],
): string {
  const [leading = NO_REASON, ...others] = distinct(reasons.map(({ text }) => text.trim()));
  return [`${LEADS[kind]} ${leading}`, ...others.map((text) => `Also: ${shorten(text)}`), ...instructions].join("\n");
}

/** Starts every text that tells of a block (K-5): scripts and people may look for it. */
export const BLOCK_PREFIX = "Blocked by holdfast:";

/** Starts the text by which a hook keeps a turn going. */
export const CONTINUE_PREFIX = "Continued by holdfast:";

const LEADS: Readonly<Record<Opinion["kind"], string>> = {
  none: "Holdfast:",
  allow: "Allowed by holdfast:",
  ask: "Confirmation asked for by holdfast:",
  block: BLOCK_PREFIX,
  continue: CONTINUE_PREFIX,
  halt: "Halted by holdfast:",
  reinvoke: "Holdfast asks for another attempt:",
};

const NO_REASON = "a hook gave no reason";

export const contextText = (items: readonly ToldContext[]): string => labelContext(items);

/** Context below other text, or the text alone. */
export function withContext(text: string, items: readonly ToldContext[]): string {
  return items.length > 0 ? `${text}\n\n${contextText(items)}` : text;
}

/** For hosts that cannot change a call: what the model is to call instead, to the letter. */
export function insteadText(final: AgentEvent): string {
  if (!("tool" in final)) return "";
  if (final.tool.kind === "shell") return `Run exactly this instead:\n${final.tool.command}`;
  return `Call ${final.tool.name} with exactly this input instead:\n${JSON.stringify(final.tool.input)}`;
}

/** For output that cannot be taken away: the one that counts, to stand beside it. */
export function replacedText(replacement: Json): string {
  const text = typeof replacement === "string" ? replacement : JSON.stringify(replacement);
  return `Holdfast replaces the output of this call. Go by this one only:\n${text}`;
}

/** Our own failure: as a block where the event guards, otherwise as a warning. */
export function failureText(message: string, blocks: boolean): string {
  return `${blocks ? BLOCK_PREFIX : "holdfast:"} ${message.trim() || "it failed and could not say why"}`;
}

const SHORT_CHARACTERS = 200;

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ");
  const characters = [...line];
  return characters.length <= SHORT_CHARACTERS ? line : `${characters.slice(0, SHORT_CHARACTERS - 1).join("")}…`;
}

const distinct = (texts: readonly string[]) => [...new Set(texts.filter((text) => text !== ""))];
