/** Text of others on a person's terminal: what would move the cursor, hide text or turn its direction is spelled out. */
export function visible(text: string): string {
  return text.replace(UNSEEN, spelledOut);
}

/** As above, for a line of ours: the colours that we put in stay where colours are wanted. */
export function visibleLine(text: string, coloured: boolean): string {
  return text.replace(OURS_OR_UNSEEN, (part) => (part.length > 2 ? (coloured ? part : "") : spelledOut(part)));
}

/** The same for JSON, which stays the same value. */
export function visibleJson(text: string): string {
  return text.replace(/[\u007f-\u009f\p{Cf}]/gu, (char) =>
    [...Array(char.length).keys()].map((at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  );
}

/** Control and format characters, but not those that join letters in some scripts. */
const UNSEEN = /(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}]/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with ESC
const OURS_OR_UNSEEN = /\u001b\[(?:1|2|22|31|32|33|35|36|39)m|(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}]/gu;

const spelledOut = (char: string) => `\\u{${char.codePointAt(0)?.toString(16)}}`;
