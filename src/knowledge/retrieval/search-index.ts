/**
 * Which words stand where, over all nodes. A node that changed gets a new slot and its old one is dead; dead slots are
 * skipped wherever postings are walked, so what is found depends on the nodes alone, never on the order of changes.
 */
import { continentalStemOf, stemOf } from "./stems.ts";
import { wordsOf } from "./words.ts";

/** What is kept of a node's file. One that could not be read is kept too: it is not read again until it changes. */
export interface IndexedFile {
  /** From `nodes/`, with slashes. */
  readonly path: string;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly size: number;
  readonly node?: IndexedNode;
  readonly problem?: string;
}

export interface IndexedNode {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly relatesTo: readonly string[];
  readonly dependsOn: readonly string[];
}

export interface SearchableNode extends IndexedNode {
  readonly body: string;
}

export const FIELDS = ["title", "tags", "description", "body"] as const;
export type FieldNumbers = readonly [title: number, tags: number, description: number, body: number];

/** One word as it is written somewhere, and its postings: slot and how often in each field, in one number. */
export class Word {
  readonly text: string;
  readonly stem: string;
  #postings: Uint32Array | number[] | undefined;
  /** Where they are, until somebody asks for them: most words of a base are never asked for. */
  readonly #stored: { readonly all: Uint32Array; readonly from: number; readonly to: number } | undefined;

  constructor(text: string, stem: string, stored?: { all: Uint32Array; from: number; to: number }) {
    this.text = text;
    this.stem = stem;
    this.#stored = stored;
  }

  get postings(): Uint32Array | number[] {
    this.#postings ??= this.#stored ? this.#stored.all.subarray(this.#stored.from, this.#stored.to) : [];
    return this.#postings;
  }

  add(posting: number): void {
    const { postings } = this;
    if (Array.isArray(postings)) postings.push(posting);
    else this.#postings = [...postings, posting];
  }
}

/** Bits of a posting: 21 for the slot, 2 for the title, 2 for the tags, 3 for the description, 4 for the body. */
const SLOT_SHIFT = 11;
export const MAX_SLOTS = 2 ** (32 - SLOT_SHIFT);
export const slotOf = (posting: number): number => posting >>> SLOT_SHIFT;
export const inTitle = (posting: number): number => (posting >>> 9) & 3;
export const inTags = (posting: number): number => (posting >>> 7) & 3;
export const inDescription = (posting: number): number => (posting >>> 4) & 7;
export const inBody = (posting: number): number => posting & 15;

/** Everything of an index that cannot be made from the rest. */
export interface IndexParts {
  readonly files: readonly (IndexedFile | undefined)[];
  readonly lengths: readonly FieldNumbers[];
  readonly words: readonly Word[];
}

export class SearchIndex {
  /** By slot; undefined: dead. */
  readonly files: (IndexedFile | undefined)[] = [];
  readonly lengths: FieldNumbers[] = [];
  readonly #slots = new Map<string, number>();
  readonly #words = new Map<string, Word>();
  readonly #stems = new Map<string, Word[]>();
  #continental: Map<string, Word[]> | undefined;
  readonly #sums: [number, number, number, number] = [0, 0, 0, 0];
  #nodes = 0;
  /** Grows with every change: what was made from an index is as old as this number. */
  version = 0;

  static of({ files, lengths, words }: IndexParts): SearchIndex {
    const index = new SearchIndex();
    for (const word of words) index.#know(word);
    files.forEach((file, slot) => {
      if (!file) {
        index.files[slot] = undefined;
        index.lengths[slot] = NOTHING;
      } else index.#place(file, slot, lengths[slot] ?? NOTHING);
    });
    return index;
  }

  get nodeCount(): number {
    return this.#nodes;
  }

  get deadSlots(): number {
    return this.files.length - this.#slots.size;
  }

  get parts(): IndexParts {
    return { files: this.files, lengths: this.lengths, words: [...this.#words.values()] };
  }

  get words(): Iterable<Word> {
    return this.#words.values();
  }

  get wordCount(): number {
    return this.#words.size;
  }

  fileAt(path: string): IndexedFile | undefined {
    const slot = this.#slots.get(path);
    return slot === undefined ? undefined : this.files[slot];
  }

  get paths(): Iterable<string> {
    return this.#slots.keys();
  }

  /** The same nodes, without what is dead. */
  compacted(): SearchIndex {
    const slots = new Map<number, number>();
    const files: IndexedFile[] = [];
    const lengths: FieldNumbers[] = [];
    this.files.forEach((file, slot) => {
      if (!file) return;
      slots.set(slot, files.length);
      files.push(file);
      lengths.push(this.lengths[slot] ?? NOTHING);
    });
    const words: Word[] = [];
    for (const word of this.#words.values()) {
      const kept = new Word(word.text, word.stem);
      for (const posting of word.postings) {
        const slot = slots.get(slotOf(posting));
        if (slot !== undefined) kept.add(slot * 2 ** SLOT_SHIFT + (posting & (2 ** SLOT_SHIFT - 1)));
      }
      if (kept.postings.length > 0) words.push(kept);
    }
    return SearchIndex.of({ files, lengths, words });
  }

  /** The mean length of each field, over the nodes that are there. */
  get meanLengths(): FieldNumbers {
    const [title, tags, description, body] = this.#sums;
    const count = Math.max(this.#nodes, 1);
    return [title / count, tags / count, description / count, body / count];
  }

  put(file: Omit<IndexedFile, "node">, node: SearchableNode | undefined): void {
    this.remove(file.path);
    const slot = this.files.length;
    if (slot >= MAX_SLOTS) throw new Error(`an index of knowledge holds at most ${MAX_SLOTS} nodes`);
    if (!node) return this.#place(file, slot, NOTHING);
    const { body, ...kept } = node;
    const fields = [node.title, node.tags.join(" "), node.description, body].map(wordsOf);
    const counts = new Map<string, [number, number, number, number]>();
    fields.forEach((words, field) => {
      for (const word of words) {
        const count = counts.get(word) ?? [0, 0, 0, 0];
        count[field] = (count[field] ?? 0) + 1;
        counts.set(word, count);
      }
    });
    for (const [word, count] of counts) this.#post(word, slot, count);
    const [title = 0, tags = 0, description = 0, text = 0] = fields.map(({ length }) => length);
    this.#place({ ...file, node: kept }, slot, [title, tags, description, text]);
  }

  remove(path: string): void {
    const slot = this.#slots.get(path);
    if (slot === undefined) return;
    if (this.files[slot]?.node) this.#count(this.lengths[slot] ?? NOTHING, -1);
    this.files[slot] = undefined;
    this.#slots.delete(path);
    this.version++;
  }

  /** The word as it is written, if a node has it. */
  word(text: string): Word | undefined {
    return this.#words.get(text);
  }

  wordsWithStem(stem: string): readonly Word[] {
    return this.#stems.get(stem) ?? [];
  }

  wordsWithContinentalStem(stem: string): readonly Word[] {
    this.#continental ??= this.#byContinentalStem();
    return this.#continental.get(stem) ?? [];
  }

  isAlive(word: Word): boolean {
    for (const posting of word.postings) if (this.files[slotOf(posting)]) return true;
    return false;
  }

  #post(text: string, slot: number, [title, tags, description, body]: FieldNumbers): void {
    const word = this.#words.get(text) ?? this.#know(new Word(text, stemOf(text)));
    word.add(
      slot * 2 ** SLOT_SHIFT +
        (Math.min(title, 3) << 9) +
        (Math.min(tags, 3) << 7) +
        (Math.min(description, 7) << 4) +
        Math.min(body, 15),
    );
  }

  #know(word: Word): Word {
    this.#words.set(word.text, word);
    const kin = this.#stems.get(word.stem);
    if (kin) kin.push(word);
    else this.#stems.set(word.stem, [word]);
    this.#continental = undefined;
    return word;
  }

  #place(file: IndexedFile, slot: number, lengths: FieldNumbers): void {
    this.files[slot] = file;
    this.lengths[slot] = lengths;
    this.#slots.set(file.path, slot);
    if (file.node) this.#count(lengths, 1);
    this.version++;
  }

  #count(lengths: FieldNumbers, sign: 1 | -1): void {
    lengths.forEach((length, field) => {
      this.#sums[field as 0] += sign * length;
    });
    this.#nodes += sign;
  }

  #byContinentalStem(): Map<string, Word[]> {
    const stems = new Map<string, Word[]>();
    for (const word of this.#words.values()) {
      const stem = continentalStemOf(word.text);
      if (stem === undefined) continue;
      const kin = stems.get(stem);
      if (kin) kin.push(word);
      else stems.set(stem, [word]);
    }
    return stems;
  }
}

const NOTHING: FieldNumbers = [0, 0, 0, 0];
