/**
 * A text as the words it is found by. Every script counts: words are folded (NFKC, letter case, diacritics), identifiers
 * and paths are kept whole and in parts, and what is written without spaces is cut up.
 */

/** A word, or one of the parts of an identifier; `whole`: the identifier itself, its separators left out. */
export interface Token {
  readonly word: string;
  readonly whole?: true;
}

const MAX_WORD = 64;

export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const [chunk] of text.normalize("NFKC").matchAll(CHUNK)) readChunk(chunk, tokens);
  return tokens;
}

export const wordsOf = (text: string): string[] => tokensOf(text).map(({ word }) => word);

/** Letters and digits, and what joins them in identifiers, paths and addresses. */
const CHUNK = /[\p{L}\p{M}\p{N}]+(?:[_./:@#+'’-]+[\p{L}\p{M}\p{N}]+)*/gu;

function readChunk(chunk: string, tokens: Token[]): void {
  if (!UNSPACED.test(chunk)) return readIdentifier(chunk, tokens);
  for (const [run] of chunk.matchAll(SCRIPT_RUN)) {
    if (HAN_OR_KANA.test(run)) readPairs(run, tokens);
    else if (UNSPACED.test(run)) readSegments(run, tokens);
    else readIdentifier(run, tokens);
  }
}

const HAN_OR_KANA = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const SCRIPT_RUN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+|[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{M}]+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;

/** Two characters at a time: found whatever stands around them, which a dictionary's cuts are not (decision 0042). */
function readPairs(run: string, tokens: Token[]): void {
  const characters = [...run];
  for (let at = 0; at + 1 < characters.length; at++) {
    const pair = `${characters[at]}${characters[at + 1]}`;
    if (!ONLY_HIRAGANA.test(pair)) tokens.push({ word: pair });
  }
  if (characters.length === 1 && /\p{Script=Han}/u.test(run)) tokens.push({ word: run });
}

/** Particles and endings: grammar, in Japanese. */
const ONLY_HIRAGANA = /^\p{Script=Hiragana}+$/u;

let segmenter: Intl.Segmenter | undefined;

function readSegments(run: string, tokens: Token[]): void {
  segmenter ??= new Intl.Segmenter("th", { granularity: "word" });
  for (const { segment, isWordLike } of segmenter.segment(run)) {
    if (isWordLike && segment.length > 1) tokens.push({ word: segment });
  }
}

/** One that has parts is found by itself, by each part, and whichever way its parts are joined. */
function readIdentifier(chunk: string, tokens: Token[]): void {
  const segments = chunk.split("/").map(partsOf);
  const parts = segments.flat();
  for (const part of parts) addWord(part, tokens);
  for (const segment of segments) if (segment.length > 1) addWhole(segment, tokens);
  if (segments.length > 1) addWhole(parts, tokens);
}

function partsOf(segment: string): string[] {
  return segment
    .replace(/['’](?:s|t|re|ve|ll|d|m)$/iu, "")
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .flatMap((part) => part.split(/(?<=\p{Ll}|\p{N})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u))
    .filter((part) => part !== "")
    .map(folded);
}

function addWord(word: string, tokens: Token[]): void {
  if (word.length < 2 || word.length > MAX_WORD || /^\d{1,2}$/.test(word)) return;
  tokens.push({ word });
}

function addWhole(parts: readonly string[], tokens: Token[]): void {
  const word = parts.join("");
  if (word.length > 2 && word.length <= MAX_WORD && !/^\d+$/.test(word)) tokens.push({ word, whole: true });
}

/** Without letter case and diacritics. A kana's voicing and the short i of Cyrillic are letters of their own. */
function folded(word: string): string {
  const lower = word.toLowerCase();
  if (ASCII.test(lower)) return lower;
  return lower
    .replace(/ß/g, "ss")
    .replace(/ς/g, "σ")
    .replace(/ё/g, "е")
    .normalize("NFD")
    .replace(/(?<!и)\p{M}+/gu, "")
    .normalize("NFC");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is the range that is meant
const ASCII = /^[\x00-\x7f]*$/;
