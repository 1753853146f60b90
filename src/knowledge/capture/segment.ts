/** What one side said, as it stands in a session's log. */

export type Speaker = "user" | "agent";

export interface Segment {
  readonly speaker: Speaker;
  readonly text: string;
}

const TAGS = { user: "[USER]: ", agent: "[AGENT]: " } as const satisfies Record<Speaker, string>;

/** Lines that would be ours, had nobody said them: a backslash before each keeps them what they are. */
const LIKE_OURS = /^(\\*)(?=\[(?:USER|AGENT)\b|## (?:Transcript|Proposal)\b)/gm;
const KEPT_APART = /^\\(?=\\*(?:\[(?:USER|AGENT)\b|## (?:Transcript|Proposal)\b))/gm;

export const segmentText = ({ speaker, text }: Segment): string =>
  `${TAGS[speaker]}${text.replace(LIKE_OURS, "\\$1").trimEnd()}`;

/** The first line of a segment begins one; the rest goes on with it. */
export function segmentStart(line: string): Segment | undefined {
  for (const speaker of ["user", "agent"] as const) {
    const tag = TAGS[speaker];
    if (line.startsWith(tag)) return { speaker, text: line.slice(tag.length) };
    // An editor may have cut the blank at the end of the line.
    if (line === tag.trimEnd()) return { speaker, text: "" };
  }
  return undefined;
}

/** As it was said. */
export const saidText = (lines: readonly string[]): string => lines.join("\n").trimEnd().replace(KEPT_APART, "");
