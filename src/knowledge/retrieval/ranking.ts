/**
 * Which nodes a prompt is about, and how much of it they answer. BM25F over title, tags, description and body, as a share
 * of what the prompt says: a node that answers little of it is not found, however rare the one word they share.
 */
import { byCodePoint } from "../base/author-text.ts";
import type { Graph } from "./graph.ts";
import { type PromptTerm, termsOf } from "./prompt-terms.ts";
import {
  type FieldNumbers,
  type IndexedFile,
  type IndexedNode,
  inBody,
  inDescription,
  inTags,
  inTitle,
  type SearchIndex,
  slotOf,
} from "./search-index.ts";

export interface Found {
  readonly file: IndexedFile;
  readonly node: IndexedNode;
  /** Of 1: the share of the prompt that the node answers, lifted by its neighbours. */
  readonly score: number;
}

export interface Tuning {
  readonly fields: FieldNumbers;
  /** How much a field's length counts against it. */
  readonly lengthShare: FieldNumbers;
  readonly saturation: number;
  /** What a word that no node has counts in what the prompt says. */
  readonly unknown: number;
  /** Prompts that say less or more than this are taken for saying this much. */
  readonly leastSaid: number;
  readonly mostSaid: number;
  /** What a node has to answer of the prompt: by one word of it, and by several. */
  readonly leastByOneWord: number;
  readonly leastByMoreWords: number;
  /** What it has to have of words altogether, however short the prompt. */
  readonly leastEvidence: number;
  /** What the others have to reach of the best one's score. */
  readonly shareOfBest: number;
  /** What a node that has words of the prompt takes over of its best neighbour's score. */
  readonly lift: number;
  /** The same for one that answers at least this part of the prompt, which the neighbour leaves open. */
  readonly liftOfRest: number;
  readonly leastRest: number;
}

export const TUNING: Tuning = {
  fields: [4, 3, 2, 1.2],
  lengthShare: [0.3, 0.3, 0.4, 0.6],
  saturation: 1.5,
  unknown: 0.5,
  leastSaid: 1.2,
  mostSaid: 4,
  leastByOneWord: 0.35,
  leastByMoreWords: 0.2,
  leastEvidence: 0.65,
  shareOfBest: 0.65,
  lift: 0.2,
  liftOfRest: 0.4,
  leastRest: 0.1,
};

/** For people who search: whatever has one of the words, best first. A prompt is no search: it is told only what it is about. */
export const SEARCH: Tuning = { ...TUNING, leastByOneWord: 0, leastByMoreWords: 0, leastEvidence: 0, shareOfBest: 0 };

export function rank(prompt: string, index: SearchIndex, graph: Graph, tuning: Tuning = TUNING): Found[] {
  const terms = termsOf(prompt, index);
  const weighed = weigh(terms, index, tuning);
  const { evidence, said, wordsHad } = weighed;
  const own = new Map<number, number>();
  for (const [slot, amount] of evidence) own.set(slot, amount / said);
  const accepted = [...own].filter(([slot, score]) => {
    const least = (wordsHad.get(slot) ?? 0) > 1 ? tuning.leastByMoreWords : tuning.leastByOneWord;
    return (evidence.get(slot) ?? 0) >= tuning.leastEvidence && score >= least;
  });
  if (accepted.length === 0) return [];
  const scores = lifted(accepted, own, graph, weighed, tuning);
  const best = Math.max(...scores.values());
  const found: (Found & { readonly slot: number })[] = [];
  for (const [slot, score] of scores) {
    const file = index.files[slot];
    if (file?.node && score >= best * tuning.shareOfBest) found.push({ file, node: file.node, score, slot });
  }
  found.sort(
    (a, b) =>
      b.score - a.score ||
      graph.inDegree(b.slot) - graph.inDegree(a.slot) ||
      byCodePoint(a.node.id, b.node.id) ||
      byCodePoint(a.file.path, b.file.path),
  );
  const told = new Set<string>();
  return found.filter(({ node }) => !told.has(node.id) && told.add(node.id));
}

/**
 * Of two nodes that have words of the prompt and are linked, each is likelier meant: the best neighbour lifts a node, and
 * more so where it answers a part of the prompt that the neighbour leaves open.
 */
function lifted(
  accepted: readonly (readonly [number, number])[],
  own: ReadonlyMap<number, number>,
  graph: Graph,
  { hits, said }: Weighed,
  { lift, liftOfRest, leastRest }: Tuning,
): Map<number, number> {
  const scores = new Map(accepted);
  for (const [slot, score] of accepted) {
    for (const neighbour of graph.neighbours(slot)) {
      const alone = own.get(neighbour);
      if (alone === undefined) continue;
      const raised = alone + score * (restAnswered(neighbour, slot, hits) >= leastRest * said ? liftOfRest : lift);
      if (raised > (scores.get(neighbour) ?? 0)) scores.set(neighbour, raised);
    }
  }
  return scores;
}

/** The weight of what a node has of the prompt and its neighbour lacks. */
function restAnswered(slot: number, neighbour: number, hits: Weighed["hits"]): number {
  let rest = 0;
  for (const { weight, bySlot } of hits)
    rest += weight * Math.max(0, (bySlot.get(slot) ?? 0) - (bySlot.get(neighbour) ?? 0));
  return rest;
}

interface Weighed {
  /** By slot: the weight of the prompt's words that the node has, each as far as it has it. */
  readonly evidence: ReadonlyMap<number, number>;
  /** By slot: how many of them, everyday requests not counted. */
  readonly wordsHad: ReadonlyMap<number, number>;
  /** For each of them that the base has: its weight, and how strongly each node has it. */
  readonly hits: readonly { readonly weight: number; readonly bySlot: ReadonlyMap<number, number> }[];
  /** The weight of all the prompt's words. */
  readonly said: number;
}

function weigh(terms: readonly PromptTerm[], index: SearchIndex, tuning: Tuning): Weighed {
  const evidence = new Map<number, number>();
  const wordsHad = new Map<number, number>();
  const all: { weight: number; bySlot: Map<number, number> }[] = [];
  const means = index.meanLengths;
  let said = 0;
  for (const term of terms) {
    const hits = hitsOf(term, index, means, tuning);
    if (hits.size === 0) {
      said += term.strength * tuning.unknown;
      continue;
    }
    const weight = term.strength * rarity(hits.size, index.nodeCount);
    said += weight;
    all.push({ weight, bySlot: hits });
    for (const [slot, strength] of hits) {
      evidence.set(slot, (evidence.get(slot) ?? 0) + weight * strength);
      if (term.strength === 1) wordsHad.set(slot, (wordsHad.get(slot) ?? 0) + 1);
    }
  }
  return { evidence, wordsHad, hits: all, said: Math.min(Math.max(said, tuning.leastSaid), tuning.mostSaid) };
}

/** In a base of ten nodes a word that three have is still a rare one: it is weighed as in a base of so many more. */
const UNSEEN_NODES = 200;

/** 1 for a word that a single node has, near 0 for one that all nodes of a large base have. */
function rarity(having: number, nodes: number): number {
  const all = nodes + UNSEEN_NODES;
  return Math.log(1 + (all - having + 0.5) / (having + 0.5)) / Math.log(1 + (all - 0.5) / 1.5);
}

/** The nodes that have a term, and how strongly, of 1. */
function hitsOf(term: PromptTerm, index: SearchIndex, means: FieldNumbers, tuning: Tuning): Map<number, number> {
  const frequencies = new Map<number, number>();
  const likenesses = new Map<number, number>();
  for (const { word, likeness } of term.forms) {
    for (const posting of word.postings) {
      const slot = slotOf(posting);
      if (!index.files[slot]) continue;
      const frequency = likeness * frequencyOf(posting, index.lengths[slot] as FieldNumbers, means, tuning);
      frequencies.set(slot, (frequencies.get(slot) ?? 0) + frequency);
      if (likeness > (likenesses.get(slot) ?? 0)) likenesses.set(slot, likeness);
    }
  }
  for (const [slot, frequency] of frequencies)
    frequencies.set(slot, ((likenesses.get(slot) ?? 0) * frequency) / (tuning.saturation + frequency));
  return frequencies;
}

function frequencyOf(posting: number, lengths: FieldNumbers, means: FieldNumbers, tuning: Tuning): number {
  const counts = [inTitle(posting), inTags(posting), inDescription(posting), inBody(posting)];
  let frequency = 0;
  for (let field = 0; field < 4; field++) {
    const count = counts[field] as number;
    if (count === 0) continue;
    const share = tuning.lengthShare[field] as number;
    const length = (lengths[field] as number) / Math.max(means[field] as number, 1);
    frequency += ((tuning.fields[field] as number) * count) / (1 - share + share * length);
  }
  return frequency;
}
