/** Words of the index that somebody who mistyped may have meant. */
import type { SearchIndex, Word } from "./search-index.ts";

export interface Guess {
  readonly word: Word;
  readonly distance: 1 | 2;
}

/** The nearest words only: with one a letter away nobody meant one two letters away. */
export function guessesFor(text: string, index: SearchIndex): readonly Guess[] {
  const most = text.length >= 8 ? 2 : text.length >= 5 ? 1 : 0;
  if (most === 0 || !LETTERS.test(text)) return [];
  const letters = lettersOf(text);
  const { words, masks, sizes } = dictionaryOf(index);
  let found: { word: Word; distance: number }[] = [];
  let nearest: number = most;
  for (let at = 0; at < words.length; at++) {
    if (Math.abs((sizes[at] as number) - text.length) > nearest) continue;
    if (bits((masks[at] as number) ^ letters) > nearest * 2) continue;
    const word = words[at] as Word;
    const distance = editDistance(text, word.text, nearest);
    if (distance === 0 || distance > nearest || !index.isAlive(word)) continue;
    if (distance < nearest) found = [];
    nearest = distance;
    found.push({ word, distance });
  }
  return found
    .filter(({ distance }) => distance === nearest)
    .sort((a, b) => (a.word.text < b.word.text ? -1 : 1))
    .slice(0, MAX_GUESSES) as Guess[];
}

const MAX_GUESSES = 6;

/** Scripts whose words are spelled with letters; a pair of ideographs is not a word that can be mistyped by one. */
const LETTERS = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]+$/u;

interface Dictionary {
  readonly words: Word[];
  readonly masks: Uint32Array;
  readonly sizes: Uint8Array;
}

const dictionaries = new WeakMap<SearchIndex, Dictionary>();

/** Which letters each word has, in 32 bits: most words are ruled out without being read. */
function dictionaryOf(index: SearchIndex): Dictionary {
  const known = dictionaries.get(index);
  if (known && known.words.length === index.wordCount) return known;
  const words = [...index.words];
  const masks = new Uint32Array(words.length);
  const sizes = new Uint8Array(words.length);
  words.forEach(({ text }, at) => {
    masks[at] = lettersOf(text);
    sizes[at] = Math.min(text.length, 255);
  });
  const fresh = { words, masks, sizes };
  dictionaries.set(index, fresh);
  return fresh;
}

function lettersOf(text: string): number {
  let mask = 0;
  for (let at = 0; at < text.length; at++) mask |= 1 << (text.charCodeAt(at) & 31);
  return mask >>> 0;
}

function bits(mask: number): number {
  let left = mask - ((mask >>> 1) & 0x55555555);
  left = (left & 0x33333333) + ((left >>> 2) & 0x33333333);
  return (((left + (left >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/** Letters added, left out, replaced, or two neighbours swapped; more than `most` is `most + 1`. */
export function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let row = 1; row <= a.length; row++) {
    const next = [row];
    let least = row;
    for (let at = 1; at <= b.length; at++) {
      const cost = a[row - 1] === b[at - 1] ? 0 : 1;
      let distance = Math.min((last[at] as number) + 1, (next[at - 1] as number) + 1, (last[at - 1] as number) + cost);
      if (row > 1 && at > 1 && a[row - 1] === b[at - 2] && a[row - 2] === b[at - 1])
        distance = Math.min(distance, (before[at - 2] as number) + 1);
      next.push(distance);
      if (distance < least) least = distance;
    }
    if (least > most) return most + 1;
    before = last;
    last = next;
  }
  return last[b.length] as number;
}
