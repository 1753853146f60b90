import { reminder } from "./reminder.ts";

/** Context below other text, or the text alone. */
export const withContext = (text: string, context: readonly string[]): string =>
  context.length > 0 ? `${text}\n\n${reminder(context)}` : text;

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
