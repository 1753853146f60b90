/** The sealed lines of a journal by what each follows, and which of them are most likely what was written. */
import { CHAIN_START, type Head, isAsSealed, readSeal } from "./chain.ts";

export interface LineGraph {
  add(text: string): void;
  find(hash: string): number | undefined;
  seqOf(node: number): number;
  /** Behind the known record, oldest first. */
  chain(): readonly number[];
}

const NONE = -1;

/** Of a journal, only what stands behind the known record, or the remembered head if that is older, is kept. */
export function lineGraph(
  known: { readonly seq: number; readonly hash?: string },
  remembered: Head | undefined,
): LineGraph {
  const floor = Math.min(known.seq, remembered?.seq ?? known.seq);
  const nodes = new Map<string, number>();
  const seqs: number[] = [];
  const prevs: string[] = [];
  const insert = (seq: number, hash: string, prev: string): number => {
    nodes.set(packed(hash), seqs.length);
    prevs.push(prev);
    return seqs.push(seq) - 1;
  };
  const put = ({ seq, hash }: Head) => nodes.get(packed(hash)) ?? insert(seq, hash, "");
  const knownHash = known.hash ?? (known.seq === 0 ? CHAIN_START.hash : undefined);
  if (knownHash !== undefined) put({ seq: known.seq, hash: knownHash });
  const top = remembered && put(remembered);

  return {
    add(text) {
      const seal = readSeal(text);
      if (!seal || seal.seq < floor || !isAsSealed(text, seal)) return;
      const there = nodes.get(packed(seal.hash));
      if (there === undefined) insert(seal.seq, seal.hash, packed(seal.prev));
      else if (seqs[there] === seal.seq) prevs[there] ||= packed(seal.prev);
    },
    find: (hash) => nodes.get(packed(hash)),
    seqOf: (node) => seqs[node] ?? 0,
    chain,
  };

  /**
   * Whatever a line follows by its hash was there when it was written: so a line brings all of those. Where what it follows
   * is not found, records are lost, and the most lines that have lower numbers are taken. Of what the head itself follows
   * it is certain that the record before is lost, whatever else has that number.
   */
  function chain(): readonly number[] {
    const seqOf = (node: number) => seqs[node] ?? 0;
    const order = [...seqs.keys()].sort((left, right) => seqOf(left) - seqOf(right) || left - right);
    const parents = new Int32Array(seqs.length).fill(NONE);
    const below = new Int32Array(seqs.length).fill(NONE);
    const scores = new Float64Array(seqs.length);
    const isBehindTop = new Uint8Array(seqs.length);
    /** The best of `order` up to each place. */
    const best = new Int32Array(order.length).fill(NONE);
    const bestUpTo = (seq: number, filled: number): number => {
      let [low, high] = [0, filled];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (seqOf(order[middle] ?? 0) <= seq) low = middle + 1;
        else high = middle;
      }
      return low === 0 ? NONE : (best[low - 1] ?? NONE);
    };
    const better = (one: number, other: number) =>
      other === NONE || (scores[one] ?? 0) > (scores[other] ?? 0) ? one : other;
    let last = NONE;
    for (const [place, node] of order.entries()) {
      const prev = prevs[node] ?? "";
      const parent = nodes.get(prev);
      const isLinked = parent !== undefined && seqOf(parent) === seqOf(node) - 1;
      if (isLinked) parents[node] = parent;
      else below[node] = bestUpTo(seqOf(node) - 1, place);
      const under = (isLinked ? parent : below[node]) ?? NONE;
      scores[node] = 1 + (under === NONE ? 0 : (scores[under] ?? 0));
      isBehindTop[node] = node === top || (isLinked && isBehindTop[parent]) ? 1 : 0;
      best[place] = better(node, place === 0 ? NONE : (best[place - 1] ?? NONE));
      if (top === undefined || isBehindTop[node]) last = better(node, last);
    }
    const chosen: number[] = [];
    let isOfHead = true;
    for (let node = last; node !== NONE; ) {
      if (seqOf(node) > known.seq) chosen.push(node);
      const parent = parents[node] ?? NONE;
      const isCertain = isOfHead && prevs[node] !== "";
      isOfHead &&= parent !== NONE;
      if (parent !== NONE) node = parent;
      else node = isCertain ? bestUpTo(seqOf(node) - 2, order.length) : (below[node] ?? NONE);
    }
    return chosen.reverse().filter((node) => prevs[node] !== "");
  }
}

/** A third as long, and no part of the line's text, which would be kept with it. */
const packed = (hash: string) => Buffer.from(hash, "hex").toString("latin1");
