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
  const weighed = weigh(termsOf(prompt, index), index, tuning);
  try {
    return ranked(weighed, index, graph, tuning);
  } finally {
    giveBack(weighed.evidence, weighed.touched);
    for (const { strengths, having } of weighed.hits) giveBack(strengths, having);
  }
}

function ranked(weighed: Weighed, index: SearchIndex, graph: Graph, tuning: Tuning): Found[] {
  const accepted = acceptedSlots(weighed, tuning);
  if (accepted.length === 0) return [];
  const scores = lifted(accepted, graph, weighed, tuning);
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

/** What the prompt's words come to. Arrays are by slot: a large base is gone through in every prompt. */
interface Weighed {
  /** The slots that have any of the words. */
  readonly touched: readonly number[];
  /** The weight of the prompt's words that the node has, each as far as it has it. */
  readonly evidence: Float64Array;
  /** How many of them, everyday requests not counted. */
  readonly wordsHad: Uint8Array;
  /** For each of them that the base has: its weight, and how strongly each node has it. */
  readonly hits: readonly (Hits & { readonly weight: number })[];
  /** The weight of all the prompt's words. */
  readonly said: number;
}

function acceptedSlots({ touched, evidence, wordsHad, said }: Weighed, tuning: Tuning): number[] {
  return touched.filter((slot) => {
    const amount = evidence[slot] as number;
    const least = (wordsHad[slot] as number) > 1 ? tuning.leastByMoreWords : tuning.leastByOneWord;
    return amount >= tuning.leastEvidence && amount / said >= least;
  });
}

/**
 * Of two nodes that have words of the prompt and are linked, each is likelier meant: the best neighbour lifts a node, and
 * more so where it answers a part of the prompt that the neighbour leaves open.
 */
function lifted(
  accepted: readonly number[],
  graph: Graph,
  { evidence, hits, said }: Weighed,
  { lift, liftOfRest, leastRest }: Tuning,
): Map<number, number> {
  const own = (slot: number) => (evidence[slot] as number) / said;
  const scores = new Map(accepted.map((slot) => [slot, own(slot)]));
  for (const slot of accepted) {
    for (const neighbour of graph.neighbours(slot)) {
      if (evidence[neighbour] === 0) continue;
      const share = restAnswered(neighbour, slot, hits) >= leastRest * said ? liftOfRest : lift;
      const raised = own(neighbour) + own(slot) * share;
      if (raised > (scores.get(neighbour) ?? 0)) scores.set(neighbour, raised);
    }
  }
  return scores;
}

/** The weight of what a node has of the prompt and its neighbour lacks. */
function restAnswered(slot: number, neighbour: number, hits: Weighed["hits"]): number {
  let rest = 0;
  for (const { weight, strengths } of hits)
    rest += weight * Math.max(0, (strengths[slot] as number) - (strengths[neighbour] as number));
  return rest;
}

function weigh(terms: readonly PromptTerm[], index: SearchIndex, tuning: Tuning): Weighed {
  const slots = index.files.length;
  const evidence = blank(slots);
  const wordsHad = new Uint8Array(slots);
  const touched: number[] = [];
  const hits: (Hits & { weight: number })[] = [];
  const weights = fieldWeights(index, tuning);
  let said = 0;
  for (const term of terms) {
    const { having, strengths } = hitsOf(term, index, weights, tuning);
    if (having.length === 0) {
      giveBack(strengths, having);
      said += term.strength * tuning.unknown;
      continue;
    }
    const weight = term.strength * rarity(having.length, index.nodeCount);
    said += weight;
    hits.push({ weight, strengths, having });
    for (const slot of having) {
      if (evidence[slot] === 0) touched.push(slot);
      evidence[slot] = (evidence[slot] as number) + weight * (strengths[slot] as number);
      if (term.strength === 1) wordsHad[slot] = (wordsHad[slot] as number) + 1;
    }
  }
  return { touched, evidence, wordsHad, hits, said: Math.min(Math.max(said, tuning.leastSaid), tuning.mostSaid) };
}

/** In a base of ten nodes a word that three have is still a rare one: it is weighed as in a base of so many more. */
const UNSEEN_NODES = 200;

/** 1 for a word that a single node has, near 0 for one that all nodes of a large base have. */
function rarity(having: number, nodes: number): number {
  const all = nodes + UNSEEN_NODES;
  return Math.log(1 + (all - having + 0.5) / (having + 0.5)) / Math.log(1 + (all - 0.5) / 1.5);
}

interface Hits {
  readonly having: readonly number[];
  /** Of 1. */
  readonly strengths: Float64Array;
}

/** The nodes that have a term, and how strongly. */
function hitsOf(term: PromptTerm, index: SearchIndex, weights: Float64Array, tuning: Tuning): Hits {
  const strengths = blank(index.files.length);
  const likenesses = blank(index.files.length);
  const having: number[] = [];
  for (const { word, likeness } of term.forms) {
    const { postings } = word;
    for (let at = 0; at < postings.length; at++) {
      const posting = postings[at] as number;
      const slot = slotOf(posting);
      const place = 4 * slot;
      const frequency =
        inTitle(posting) * (weights[place] as number) +
        inTags(posting) * (weights[place + 1] as number) +
        inDescription(posting) * (weights[place + 2] as number) +
        inBody(posting) * (weights[place + 3] as number);
      // Of a node that is gone.
      if (frequency === 0) continue;
      if (strengths[slot] === 0) having.push(slot);
      strengths[slot] = (strengths[slot] as number) + likeness * frequency;
      if (likeness > (likenesses[slot] as number)) likenesses[slot] = likeness;
    }
  }
  for (const slot of having) {
    const frequency = strengths[slot] as number;
    strengths[slot] = ((likenesses[slot] as number) * frequency) / (tuning.saturation + frequency);
  }
  giveBack(likenesses, having);
  return { having, strengths };
}

/** Arrays by slot are as large as the base, and few of their places are written: they are used again, prompt after prompt. */
const spare: Float64Array[] = [];
const MOST_SPARE = 64;

function blank(slots: number): Float64Array {
  const array = spare.pop();
  return array && array.length >= slots ? array : new Float64Array(slots);
}

/** `written`: all places that may hold something. */
function giveBack(array: Float64Array, written: readonly number[]): void {
  for (const slot of written) array[slot] = 0;
  if (spare.length < MOST_SPARE) spare.push(array);
}

interface FieldWeights {
  readonly version: number;
  readonly tuning: Tuning;
  /** Four to a slot: what one occurrence counts in its title, tags, description and body; nothing where a node is gone. */
  readonly bySlot: Float64Array;
}

const weightsOf = new WeakMap<SearchIndex, FieldWeights>();

/** A word counts for more in a short field than in a long one. The same for every prompt until a node changes. */
function fieldWeights(index: SearchIndex, tuning: Tuning): Float64Array {
  const known = weightsOf.get(index);
  if (known?.version === index.version && known.tuning === tuning) return known.bySlot;
  const { files, lengths, meanLengths } = index;
  const bySlot = new Float64Array(4 * files.length);
  for (let slot = 0; slot < files.length; slot++) {
    if (!files[slot]) continue;
    for (let field = 0; field < 4; field++) {
      const share = tuning.lengthShare[field] as number;
      const length = ((lengths[slot]?.[field] ?? 0) as number) / Math.max(meanLengths[field] as number, 1);
      bySlot[4 * slot + field] = (tuning.fields[field] as number) / (1 - share + share * length);
    }
  }
  weightsOf.set(index, { version: index.version, tuning, bySlot });
  return bySlot;
}
