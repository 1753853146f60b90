/** A long text with its secrets taken out, piece by piece: whoever takes the pieces lets others have their turn between. */
import { redact } from "../../../core/redact.ts";

/** `longest`: no secret is longer. */
export async function* redactedPieces(chunks: AsyncIterable<string>, longest: number): AsyncGenerator<string> {
  let text = "";
  for await (const chunk of chunks) {
    text += chunk;
    if (text.length < 3 * longest) continue;
    const cut = cleanCut(text, text.length - longest, longest);
    if (cut === undefined) continue;
    yield redact(text.slice(0, cut));
    text = text.slice(cut);
  }
  if (text !== "") yield redact(text);
}

const MOST_TRIES = 32;

/** Where no secret is cut, at the end of a line if it can be; undefined: wait for more of the text. */
function cleanCut(text: string, last: number, longest: number): number | undefined {
  const lineBefore = (at: number) => {
    const line = text.lastIndexOf("\n", at - 2) + 1;
    return line > longest ? line : at - Math.ceil(longest / MOST_TRIES);
  };
  let at = lineBefore(last);
  for (let tries = 0; tries < MOST_TRIES && at > longest; tries += 1, at = lineBefore(at)) {
    if (isClean(text, at, longest)) return at;
  }
  return undefined;
}

/** Both sides by themselves come to the same as both together. */
function isClean(text: string, at: number, longest: number): boolean {
  const before = text.slice(at - longest, at);
  const after = text.slice(at, at + longest);
  return redact(before) + redact(after) === redact(before + after);
}
