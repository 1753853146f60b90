/** What hooks tell the model, where it stands among other text. */

export function contextBlock(context: readonly string[]): string {
  return `<holdfast-context source="hooks, not the user">\n${context.join("\n")}\n</holdfast-context>`;
}

/** Context below other text, or the text alone. */
export const withContext = (text: string, context: readonly string[]): string =>
  context.length > 0 ? `${text}\n\n${contextBlock(context)}` : text;

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
