/** What of an approval can be searched for: words, the same for every store. */
import type { Approval } from "../approvals/approval.ts";
import type { Json } from "../core/json.ts";

/** A word is letters and digits; a sign of a script that writes no spaces is a word by itself. Lower case, each once. */
export function wordsOf(text: string): readonly string[] {
  const words = text.normalize("NFC").toLowerCase().match(WORD) ?? [];
  return [...new Set(words.map((word) => word.slice(0, MAX_WORD_CHARACTERS)))];
}

const SIGN = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}";
const WORD = new RegExp(`[${SIGN}]|(?:(?![${SIGN}])[\\p{L}\\p{N}\\p{M}])+`, "gu");

/** PostgreSQL refuses lexemes of 2 KiB. */
const MAX_WORD_CHARACTERS = 64;
/** And more than a megabyte of them. Beyond, only the search misses what the page shows. */
const MAX_WORDS = 5_000;

export function searchableWords({ id, call, rule, reason, votes, delegations }: Approval): readonly string[] {
  // Deeds are the effects once more, as data.
  const { input, effects, deeds: _, ...about } = call;
  const said = votes.flatMap((vote) => [vote.by, vote.reason]);
  const handed = delegations.map(({ to }) => to);
  const texts = [id, rule, reason, ...said, ...handed, ...Object.values(about), ...effects, ...textsIn(input)];
  return wordsOf(texts.filter((text) => text !== null).join("\n")).slice(0, MAX_WORDS);
}

/** What a vote or a delegation adds to them, if it came last. */
export function wordsSaidLast({ votes, delegations }: Approval): readonly string[] {
  const texts = [votes.at(-1)?.by, votes.at(-1)?.reason, delegations.at(-1)?.to];
  return wordsOf(texts.filter((text) => text !== undefined).join("\n"));
}

function textsIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (value !== null && typeof value === "object")
    return Object.entries(value).flatMap(([key, inner]) => [key, ...textsIn(inner)]);
  return value === null ? [] : [String(value)];
}
