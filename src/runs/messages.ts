/** What people say to a run while it works: the next attempt is told, after what it would be told anyway. */
import { HoldfastError } from "../core/errors.ts";
import type { RunPorts } from "./ports.ts";
import type { Run } from "./run.ts";
import { updateRun } from "./update.ts";

/** As many as an agent could make anything of. */
const MOST = 20;

export function addMessage(ports: Pick<RunPorts, "store" | "now">, id: string, text: string): Promise<Run> {
  if (text.trim() === "") throw new HoldfastError("HF1036", "the message is empty");
  return updateRun(ports, id, (run) => {
    if (run.isArchived) throw new HoldfastError("HF1023", `run ${id} is archived; unarchive it first`);
    const waiting = run.messages ?? [];
    if (waiting.length >= MOST) throw new HoldfastError("HF1036", `${MOST} messages wait already for its next attempt`);
    const at = ports.now().toISOString();
    return {
      next: { ...run, messages: [...waiting, { text, at }] },
      change: { events: [{ type: "run.message_added", source: "cli", data: { text } }] },
    };
  });
}

export const withMessages = ({ messages = [] }: Pick<Run, "messages">, prompt: string): string =>
  withTexts(
    messages.map(({ text }) => text.trim()),
    prompt,
  );

/**
 * Of a prompt that hooks made of one that had them: those that are not in it. Where they left the heading, what they made
 * of the messages under it stands: they may have taken a secret out.
 */
export const withMissing = ({ messages = [] }: Pick<Run, "messages">, prompt: string): string =>
  hasLines(prompt, HEADING)
    ? prompt
    : withTexts(
        messages.map(({ text }) => text.trim()).filter((text) => !hasLines(prompt, text)),
        prompt,
      );

const HEADING = "You were told meanwhile:";

/** Whole ones: a short message is part of many a word. */
const hasLines = (prompt: string, text: string): boolean => `\n${prompt}\n`.includes(`\n${text}\n`);

const withTexts = (texts: readonly string[], prompt: string): string =>
  texts.length === 0 ? prompt : [prompt, "", HEADING, "", ...texts].join("\n");
