/** What was said in a session since proposals were last made of it, as the model reads it. */
import { segmentText } from "../capture/segment.ts";
import { newSegmentsOf, type SessionLog } from "../capture/session-log.ts";

export interface NewWords {
  readonly text: string;
  readonly characters: number;
  /** How many did not fit. */
  readonly leftOut: number;
}

/** A session of any length in the memory of a short one. Its end says what held: most of what is kept is from there. */
export async function newWordsOf(log: SessionLog, maxCharacters: number): Promise<NewWords> {
  const headMax = Math.floor(maxCharacters / 4);
  const tailMax = maxCharacters - headMax;
  let head = "";
  let tail = "";
  let characters = 0;
  for await (const segment of newSegmentsOf(log)) {
    const said = `${characters === 0 ? "" : "\n\n"}${segmentText(segment)}`;
    characters += said.length;
    const room = headMax - head.length;
    head += said.slice(0, room);
    tail += said.slice(room);
    if (tail.length > 2 * tailMax) tail = tail.slice(-tailMax);
  }
  tail = tail.slice(-tailMax);
  const leftOut = characters - head.length - tail.length;
  const gap = leftOut > 0 ? `\n[… ${leftOut} characters of the record are left out here …]\n` : "";
  return { text: `${head}${gap}${tail}`, characters, leftOut };
}
