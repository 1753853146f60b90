import fc from "fast-check";
import { expect, it } from "vitest";
import { CHAIN_START, type Head, sealLine } from "./chain.ts";
import { followChain } from "./follow-chain.ts";

type Harm =
  | "edited"
  | "lost"
  | "unsealed behind it"
  | "forged in its place"
  | "forged behind it"
  | "forged number"
  | "none";

interface Line {
  readonly text: string;
  /** The number of the record that it truly is. */
  readonly truly?: number;
}

/** A true journal, and what somebody made of it. */
function journal(length: number, harms: ReadonlyMap<number, Harm>) {
  let head: Head = CHAIN_START;
  const heads: Head[] = [head];
  const lines: Line[] = [];
  for (let seq = 1; seq <= length; seq += 1) {
    const before = head;
    const { text, head: reached } = sealLine(JSON.stringify({ tool: "Bash", number: seq }), before);
    head = reached;
    heads.push(head);
    const forged = (follows: Head) => ({ text: sealLine('{"tool":"Forged"}', follows).text });
    const harm = harms.get(seq) ?? "none";
    if (harm === "edited") lines.push({ text: text.replace("Bash", "Read") });
    else if (harm === "forged in its place") lines.push(forged(before));
    else if (harm === "forged number") lines.push(forged({ seq, hash: "a".repeat(64) }));
    else if (harm !== "lost") lines.push({ text, truly: seq });
    if (harm === "unsealed behind it") lines.push({ text: `{"tool":"Forged","seq":${seq + 1}}` });
    if (harm === "forged behind it") lines.push(forged(head));
  }
  return { lines, head, heads };
}

const HARMS: readonly Harm[] = [
  "edited",
  "lost",
  "unsealed behind it",
  "forged in its place",
  "forged behind it",
  "forged number",
];

async function followed(lines: readonly Line[], behind: { seq: number; hash?: string }, remembered?: Head) {
  const found: { text: string; head: Head }[] = [];
  const breaks: number[] = [];
  const read = async function* () {
    for (const [index, { text }] of lines.entries()) yield { file: "audit.jsonl", lineNumber: index + 1, text };
  };
  const onBreak = ({ lineNumber }: { lineNumber: number }) => void breaks.push(lineNumber);
  for await (const line of followChain(read, { behind, remembered, onBreak })) found.push(line);
  return { found, texts: found.map(({ text }) => text), breaks };
}

const trueTexts = (lines: readonly Line[], behind = 0) =>
  lines.filter(({ truly = 0 }) => truly > behind).map(({ text }) => text);

const numberOf = (text: string) => Number(/"seq":(\d+),"prev"/.exec(text)?.[1]);

/** What the chain proves: of a record that is there and that the next one follows, or the head is, nothing takes the place. */
function expectTold(texts: readonly string[], lines: readonly Line[], last: number, behind = 0) {
  const numbers = texts.map(numberOf);
  expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
  const there = new Set(lines.flatMap(({ truly }) => truly ?? []));
  const isProven = (seq: number) => seq === last || there.has(seq + 1);
  expect(texts).toEqual(expect.arrayContaining(trueTexts(lines, behind).filter((text) => isProven(numberOf(text)))));
  const taken = new Set(numbers);
  expect(trueTexts(lines, behind).filter((text) => !taken.has(numberOf(text)))).toEqual([]);
  let certain = last;
  while (there.has(certain)) certain -= 1;
  // The head follows all of those by hash, and the one before them is known to be lost.
  const forged = texts.filter((text) => text.includes("Forged") && numberOf(text) <= last);
  expect(forged.filter((text) => numberOf(text) >= Math.min(certain, last))).toEqual([]);
}

const harmed = (length: number) =>
  fc
    .array(fc.tuple(fc.integer({ min: 1, max: length }), fc.constantFrom(...HARMS)), { maxLength: 8 })
    .map((all) => new Map(all));

it("whatever lines are forged, changed or lost, all true records are found, in order and once", async () => {
  await fc.assert(
    fc.asyncProperty(harmed(40), fc.boolean(), async (harms, isHashKnown) => {
      const { lines, head, heads } = journal(40, harms);
      const { texts, breaks } = await followed(lines, CHAIN_START, head);
      expectTold(texts, lines, 40);
      const isCutOff = (seq: number): boolean => seq > 40 || (harms.get(seq) === "lost" && isCutOff(seq + 1));
      const isSeen = ([seq, harm]: [number, Harm]) => !isCutOff(seq) && !(seq === 40 && harm === "forged behind it");
      expect(breaks.length > 0).toBe([...harms].some(isSeen));
      const middle = heads[20] as Head;
      const behind = isHashKnown ? middle : { seq: 20 };
      expectTold((await followed(lines, behind, head)).texts, lines, 40, 20);
    }),
    { numRuns: 150 },
  );
});

it("round after round, while more is written, nothing is doubled, lost or stays behind", async () => {
  await fc.assert(
    fc.asyncProperty(
      harmed(60),
      fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.boolean()), { minLength: 1, maxLength: 6 }),
      async (harms, stops) => {
        const { lines, head, heads } = journal(60, harms);
        const texts: string[] = [];
        let behind: { seq: number; hash?: string } = CHAIN_START;
        const rounds = [...stops].sort(([one], [other]) => one - other);
        for (const [upTo, isNewProcess] of [...rounds, [Number.POSITIVE_INFINITY, false] as const]) {
          const index = lines.findIndex(({ truly = 0 }) => truly > upTo);
          const there = index === -1 ? lines : lines.slice(0, index);
          const reached = index === -1 ? head : (heads[(lines[index]?.truly ?? 1) - 1] as Head);
          const round = await followed(there, behind, reached);
          texts.push(...round.texts);
          const last = round.found.at(-1)?.head ?? behind;
          behind = isNewProcess ? { seq: last.seq } : last;
        }
        // What was sealed behind the last record before the next was written is a record like any other by then.
        const numbers = texts.map(numberOf);
        expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
        expect(trueTexts(lines).filter((text) => !numbers.includes(numberOf(text)))).toEqual([]);
      },
    ),
    { numRuns: 150 },
  );
});

it("a copy of a record is named, and the record found once", async () => {
  const { lines, head } = journal(9, new Map());
  const copied = [...lines.slice(0, 7), lines[4] as Line, ...lines.slice(7)];
  expect(await followed(copied, CHAIN_START, head)).toMatchObject({ texts: trueTexts(lines), breaks: [8] });
});

it("two gaps in few lines hold up no record behind them", async () => {
  const { lines, head } = journal(
    1_400,
    new Map([
      [100, "lost"],
      [102, "edited"],
      [300, "lost"],
    ]),
  );
  const { texts, breaks } = await followed(lines, CHAIN_START, head);
  expect(texts).toHaveLength(1_397);
  expect(breaks).toEqual([100, 101, 299]);
});

it("a forged number in the place of a record displaces none of those behind it", async () => {
  const { lines, head } = journal(1_200, new Map([[101, "forged number"]]));
  const { texts } = await followed(lines, CHAIN_START, head);
  expect(texts).toEqual(trueTexts(lines));
  expect(texts).toHaveLength(1_199);
});

it("a line sealed behind the head hides none of those that a writer goes on with from its own head", async () => {
  const { lines, heads } = journal(53, new Map([[50, "forged behind it"]]));
  const { texts } = await followed(lines, heads[50] as Head, heads[50]);
  expect(texts).toEqual(trueTexts(lines, 50));
});

it("lines that stand in another order are handed on in their own", async () => {
  const { lines, head } = journal(9, new Map());
  const moved = [8, 0, 2, 1, 3, 6, 5, 4, 7].map((index) => lines[index] as Line);
  expect((await followed(moved, CHAIN_START, head)).texts).toEqual(trueTexts(lines));
});
