/** What a prompt asks for: its words, each with all that may stand for it in the base, and how much it says. */
import { CONTINENTAL_WORDS, STOP_WORDS, WEAK_WORDS } from "./common-words.ts";
import type { SearchIndex, Word } from "./search-index.ts";
import { guessesFor } from "./spelling.ts";
import { continentalStemOf, stemOf } from "./stems.ts";
import { synonymsOf } from "./synonyms.ts";
import { tokensOf } from "./words.ts";

export interface PromptTerm {
  readonly text: string;
  /** Of 1: words of grammar are none at all, everyday requests little. */
  readonly strength: number;
  /** Empty: no node has it, in any form. */
  readonly forms: readonly Form[];
}

/** A word of the base that stands for a word of the prompt. `likeness`: 1 for the word itself in any of its forms. */
export interface Form {
  readonly word: Word;
  readonly likeness: number;
}

/** What people paste is often long; what they ask stands in front of it, or after it. */
const HEAD = 6_000;
const TAIL = 2_000;
const MAX_TERMS = 80;
/** Looking for what was mistyped reads the whole vocabulary. */
const MAX_GUESSED = 12;

const LIKENESS = { otherForm: 0.95, continental: 0.85, synonym: 0.6, oneLetter: 0.75, twoLetters: 0.6 };
const WEAK = 0.2;

export function termsOf(prompt: string, index: SearchIndex): PromptTerm[] {
  const text = prompt.length > HEAD + TAIL ? `${prompt.slice(0, HEAD)}\n${prompt.slice(-TAIL)}` : prompt;
  const tokens = tokensOf(text);
  const isContinental = tokens.filter(({ word }) => CONTINENTAL_WORDS.has(word)).length >= 2;
  const terms = new Map<string, PromptTerm>();
  let guessed = 0;
  for (const { word, whole } of tokens) {
    if (STOP_WORDS.has(word)) continue;
    const stem = stemOf(word);
    if (terms.has(stem)) continue;
    const strength = WEAK_WORDS.has(word) ? WEAK : 1;
    let forms = formsOf(word, stem, isContinental, index);
    // An identifier that no node has is its parts, which are terms of their own.
    if (whole && forms.length === 0) continue;
    if (forms.length === 0 && strength === 1 && guessed < MAX_GUESSED) {
      guessed++;
      forms = guessesFor(word, index).map(({ word: meant, distance }) => ({
        word: meant,
        likeness: distance === 1 ? LIKENESS.oneLetter : LIKENESS.twoLetters,
      }));
    }
    terms.set(stem, { text: word, strength, forms });
    if (terms.size >= MAX_TERMS) break;
  }
  return [...terms.values()];
}

function formsOf(text: string, stem: string, isContinental: boolean, index: SearchIndex): Form[] {
  const forms = new Map<Word, number>();
  const add = (words: readonly Word[], likeness: number) => {
    for (const word of words) if (!forms.has(word) && index.isAlive(word)) forms.set(word, likeness);
  };
  const exact = index.word(text);
  if (exact) add([exact], 1);
  add(index.wordsWithStem(stem), LIKENESS.otherForm);
  if (isContinental) {
    const other = continentalStemOf(text);
    if (other) add(index.wordsWithContinentalStem(other), LIKENESS.continental);
  }
  for (const synonym of synonymsOf(stem)) add(index.wordsWithStem(synonym), LIKENESS.synonym);
  return [...forms].map(([word, likeness]) => ({ word, likeness }));
}
