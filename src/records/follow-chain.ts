/** Which lines of a journal are its records: those that follow from one another. Anybody can write any other line. */
import { type ChainBreak, checkLine, type Head, isAsSealed, readSeal } from "./chain.ts";
import { type LineGraph, lineGraph } from "./line-graph.ts";
import type { JournalLine } from "./snapshot.ts";

export interface ChainedLine {
  readonly text: string;
  readonly head: Head;
}

export interface ChainLimits {
  /** The record that is known already; a hash that is not known is looked for. */
  readonly behind: { readonly seq: number; readonly hash?: string };
  /** The head that was written down, where it is known: no line beyond it that does not follow from it is a record. */
  readonly remembered?: Head | undefined;
  /** Hears of what is no record where one could be, and of records that are not there. */
  readonly onBreak: (line: JournalLine, what: ChainBreak, head: Head) => void;
}

/** Of lines that stand before their turn, so much is kept; for the rest the journal is read again. */
const MOST_HELD_CHARACTERS = 4_000_000;

/** The records behind a known one, in order and each once, whatever stands between them. `read` begins anew each time. */
export async function* followChain(
  read: () => AsyncIterable<JournalLine>,
  { behind, remembered, onBreak }: ChainLimits,
): AsyncGenerator<ChainedLine> {
  const graph = lineGraph(behind, remembered);
  for await (const { text } of read()) graph.add(text);
  const chain = graph.chain();
  let reached: Head = { seq: behind.seq, hash: behind.hash ?? "" };
  let next = 0;
  const isKnown = (node: number | undefined) => next === 0 && node !== undefined && graph.seqOf(node) === behind.seq;
  for (let isFirst = true, before = -1; isFirst || (next > before && next < chain.length); isFirst = false) {
    before = next;
    const held = new Map<number, JournalLine>();
    let heldCharacters = 0;
    const edited = new Set<number | undefined>();
    // What is wrong further back was the business of whoever went through that.
    let isBehind = behind.seq === 0;
    const tell = (line: JournalLine, what: ChainBreak) => {
      if (what.kind === "edited") edited.add(what.seq);
      if (isFirst && isBehind) onBreak(line, what, reached);
    };
    for await (const line of read()) {
      const node = nodeOf(line.text, graph);
      isBehind ||= node !== undefined && graph.seqOf(node) >= behind.seq;
      const place = node === undefined ? undefined : placeIn(chain, node, graph);
      if (node === undefined || place === undefined || place < next || held.has(node)) {
        const what = isKnown(node) ? undefined : foreign(line.text, reached);
        if (what) tell(line, what);
      } else if (place > next && heldCharacters < MOST_HELD_CHARACTERS) {
        held.set(node, line);
        heldCharacters += line.text.length;
      } else if (place === next) {
        let turn: JournalLine | undefined = line;
        while (turn) {
          const seal = readSeal(turn.text);
          if (!seal) break;
          const what = notFollowing(turn.text, reached);
          const isToldAsEdited = seal.seq === reached.seq + 2 && edited.has(reached.seq + 1);
          if (what && !isToldAsEdited) onBreak(turn, what, reached);
          reached = { seq: seal.seq, hash: seal.hash };
          edited.clear();
          yield { text: turn.text, head: reached };
          next += 1;
          const following: number | undefined = chain[next];
          turn = following === undefined ? undefined : held.get(following);
          if (turn && following !== undefined) held.delete(following);
          heldCharacters -= turn?.text.length ?? 0;
        }
      }
    }
  }
}

function nodeOf(text: string, graph: LineGraph): number | undefined {
  const seal = readSeal(text);
  const node = seal && graph.find(seal.hash);
  return seal && node !== undefined && isAsSealed(text, seal) ? node : undefined;
}

/** By bisection: a chain is in the order of its numbers. */
function placeIn(chain: readonly number[], node: number, graph: LineGraph): number | undefined {
  const seq = graph.seqOf(node);
  let [low, high] = [0, chain.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (graph.seqOf(chain[middle] ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  return chain[low] === node ? low : undefined;
}

/** Undefined: it does follow, as far as is known. */
function notFollowing(text: string, reached: Head): ChainBreak | undefined {
  const check = checkLine(text, reached);
  if (check.kind === "missing") return check;
  return check.kind === "edited" && reached.hash !== "" ? check : undefined;
}

/** Undefined: half a line that a crash left. */
function foreign(text: string, reached: Head): ChainBreak | undefined {
  const check = checkLine(text, reached);
  if (check.kind === "unreadable") return undefined;
  if (check.kind === "intact") return { kind: "edited", seq: check.head.seq, by: "link" };
  return check;
}
