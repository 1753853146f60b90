import { CHAIN_START, type Head, isAsSealed, readSeal, type Seal } from "./chain.ts";
import { MAX_LINE_BYTES } from "./decode-line.ts";
import { endsWith, linesFromEnd } from "./lines-from-end.ts";

export interface FoundHead {
  readonly head: Head;
  /** The file ends without a newline: in the middle of a line, or right behind one. */
  readonly isTorn: boolean;
  /** The file does not go on from the remembered head. */
  readonly isBroken: boolean;
}

// What lies further back is the business of verify, not of an append.
export const TAIL_LIMIT_BYTES = MAX_LINE_BYTES;

/**
 * The head that the next line has to follow. The file's own last line counts only if it provably goes on from the
 * remembered head; otherwise lines were cut off or forged, and going on from the remembered head keeps the proof of that
 * in the file for verify to find.
 */
export function findHead(
  descriptor: number,
  sizeBytes: number,
  remembered: Head | undefined,
  olderHead: () => Head | undefined,
): FoundHead {
  // The usual case, at the cost of one short read.
  if (remembered && endsWith(descriptor, sizeBytes, sealEnd(remembered))) {
    return { head: remembered, isTorn: false, isBroken: false };
  }
  const isTorn = sizeBytes > 0 && !endsWith(descriptor, sizeBytes, "\n");
  if (!remembered) {
    return { head: lastIntactHead(descriptor, sizeBytes) ?? olderHead() ?? CHAIN_START, isTorn, isBroken: false };
  }
  const proven = headGoingOnFrom(remembered, descriptor, sizeBytes);
  if (proven) return { head: proven, isTorn, isBroken: false };
  // Right after a rotation the last line is in a segment.
  const isElsewhere = sizeBytes === 0 && isSameHead(olderHead(), remembered);
  return { head: remembered, isTorn, isBroken: !isElsewhere };
}

/** What a file ends with whose last line is the head. */
export const sealEnd = ({ hash }: Head) => `","hash":"${hash}"}\n`;

export function lastIntactHead(descriptor: number, sizeBytes: number): Head | undefined {
  for (const text of linesFromEnd(descriptor, sizeBytes, TAIL_LIMIT_BYTES)) {
    const seal = readSeal(text);
    if (seal && isAsSealed(text, seal)) return { seq: seal.seq, hash: seal.hash };
  }
  return undefined;
}

/** The file's last line if it is the remembered one, or follows it line by line: a crash came before the head file. */
function headGoingOnFrom(remembered: Head, descriptor: number, sizeBytes: number): Head | undefined {
  let newest: Head | undefined;
  let later: Seal | undefined;
  for (const text of linesFromEnd(descriptor, sizeBytes, TAIL_LIMIT_BYTES)) {
    const seal = readSeal(text);
    if (!seal) continue;
    if (!later && isSameHead(seal, remembered)) return remembered;
    if (!isAsSealed(text, seal)) continue;
    if (later && !follows(later, seal)) return undefined;
    newest ??= { seq: seal.seq, hash: seal.hash };
    if (follows(seal, remembered)) return newest;
    if (seal.seq <= remembered.seq) return undefined;
    later = seal;
  }
  return undefined;
}

function follows(later: Seal, earlier: Head): boolean {
  return later.seq === earlier.seq + 1 && later.prev === earlier.hash;
}

function isSameHead(a: Head | undefined, b: Head): boolean {
  return a?.seq === b.seq && a.hash === b.hash;
}
