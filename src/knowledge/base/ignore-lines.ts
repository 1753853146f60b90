/** Folders of what people said, from the knowledge folder down. */
export const PRIVATE_FOLDERS = ["_sessions", "_logs", "_proposals", ".state"] as const;

/** What of a base is a person's own and stays out of git. Anchored: a folder of nodes may have any of these names. */
const LINES = [...PRIVATE_FOLDERS.map((name) => `/${name}/`), ".*.tmp"];
/** As earlier releases, or the predecessor, wrote them: they also hid folders of nodes. */
const UNANCHORED = [...PRIVATE_FOLDERS.map((name) => `${name}/`), "hooks/"];

export const areLinesPresent = (text: string | undefined): boolean => withIgnoreLines(text) === text;

/** Lines of people stay where they are. */
export function withIgnoreLines(text: string | undefined): string {
  const own = (text ?? "").split(/\r?\n/).filter((line) => !UNANCHORED.includes(line.trim()));
  while (own.length > 0 && own.at(-1) === "") own.pop();
  const missing = LINES.filter((line) => !own.some((other) => other.trim() === line));
  return `${[...own, ...missing].join("\n")}\n`;
}
