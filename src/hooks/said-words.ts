/** What the name of a tool or a field says. */

/** `readTextFile`, `read-text-file`, `READ_textFile`: read, text, file. */
export const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/([a-z])([A-Z0-9])/g, "$1_$2")
    .replace(/([A-Z]{2,})([a-z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);

export const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

export const saysAny = (said: readonly string[], known: ReadonlySet<string>) => said.some((word) => known.has(word));
