/** What people and models wrote, put into lines of ours: it stays text and becomes no link, heading or terminal code. */

/** One line, in which nothing is Markdown or HTML. */
export function escaped(text: string): string {
  return text
    .replace(UNSEEN, "")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[\\`[\]<>]/g, (char) => (char === "<" ? "&lt;" : char === ">" ? "&gt;" : `\\${char}`));
}

/** Controls, and what turns the direction of text or hides it; letters of some scripts need the joiners. */
const UNSEEN = /(?![\t\n\r\u200c\u200d])[\p{Cc}\p{Cf}]/gu;

/** A path as the target of a Markdown link. */
export const linkTarget = (path: string): string =>
  path
    .split("/")
    .map((part) => encodeURIComponent(part).replace(/[()]/g, (char) => (char === "(" ? "%28" : "%29")))
    .join("/");

/** Order by code points: the same on every machine, whatever its language. */
export const byCodePoint = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** How to get from a file to another, both from the same folder down. */
export function relativeLink(from: string, to: string): string {
  const here = from.split("/").slice(0, -1);
  const there = to.split("/");
  let shared = 0;
  while (shared < here.length && shared < there.length - 1 && here[shared] === there[shared]) shared++;
  return linkTarget([...here.slice(shared).map(() => ".."), ...there.slice(shared)].join("/"));
}
