import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CHAIN_START, checkLine, type Head, type JournalRecord, recordText, sealLine } from "./chain.ts";

const record = fc.dictionary(fc.string(), fc.jsonValue());

function chain(records: readonly JournalRecord[], head: Head = CHAIN_START): string[] {
  let last = head;
  return records.map((one) => {
    const line = sealLine(recordText(one), last);
    last = line.head;
    return line.text;
  });
}

/** The kind of the first line that does not follow, if any. */
function firstFault(lines: readonly string[]): string | undefined {
  let head = CHAIN_START;
  for (const line of lines) {
    const check = checkLine(line, head);
    if (check.kind !== "intact") return check.kind;
    head = check.head;
  }
  return undefined;
}

describe("a sealed line", () => {
  it("is one JSON object that ends with seq, prev and hash", () => {
    const { text } = sealLine(recordText({ tool_name: "shell", note: "ä\n€" }), CHAIN_START);
    expect(text).not.toContain("\n");
    expect(Object.entries(JSON.parse(text))).toEqual([
      ["tool_name", "shell"],
      ["note", "ä\n€"],
      ["seq", 1],
      ["prev", "0".repeat(64)],
      ["hash", expect.stringMatching(/^[0-9a-f]{64}$/)],
    ]);
  });

  it("has the hash that anybody can compute: sha256 of prev and the line without its hash", async () => {
    const { text, head } = sealLine(recordText({ a: 1 }), CHAIN_START);
    const { createHash } = await import("node:crypto");
    const without = text.replace(/,"hash":"[0-9a-f]{64}"/, "");
    expect(createHash("sha256").update("0".repeat(64)).update(without).digest("hex")).toBe(head.hash);
  });

  it("cannot be given a seal by its record", () => {
    const forged = { a: 1, seq: 99, prev: "x", hash: "y" };
    expect(sealLine(recordText(forged), CHAIN_START).text).toBe(sealLine(recordText({ a: 1 }), CHAIN_START).text);
  });

  it("of an empty record is intact", () => {
    expect(firstFault(chain([{}, {}]))).toBeUndefined();
  });
});

describe("the chain", () => {
  const lines = fc.array(record, { minLength: 3, maxLength: 8 }).map((records) => chain(records));
  const index = fc.nat({ max: 1_000_000 });

  it("is intact as it was sealed", () => {
    fc.assert(
      fc.property(lines, (all) => {
        expect(firstFault(all)).toBeUndefined();
      }),
    );
  });

  it("shows any edit of a line", () => {
    fc.assert(
      fc.property(lines, index, index, fc.string({ minLength: 1, unit: "grapheme" }), (all, which, where, insert) => {
        const line = all[which % all.length] as string;
        const at = where % line.length;
        const edited = [insert + line.slice(at + 1), insert + line.slice(at), line.slice(at + 1)].map(
          (rest) => line.slice(0, at) + rest,
        );
        for (const text of edited.filter((one) => one !== line)) {
          expect(firstFault(all.with(which % all.length, text))).toBeDefined();
        }
      }),
    );
  });

  it("shows a line that is gone, unless it is the last", () => {
    fc.assert(
      fc.property(lines, index, (all, which) => {
        const gone = which % (all.length - 1);
        expect(firstFault(all.toSpliced(gone, 1))).toBe("missing");
      }),
    );
  });

  it("shows two lines that changed places", () => {
    fc.assert(
      fc.property(lines, index, index, (all, a, b) => {
        const [first, second] = [a % all.length, b % all.length];
        fc.pre(first !== second);
        const swapped = all.with(first, all[second] as string).with(second, all[first] as string);
        expect(firstFault(swapped)).toBeDefined();
      }),
    );
  });

  it("shows a line that stands twice, and one from elsewhere", () => {
    fc.assert(
      fc.property(lines, record, index, (all, other, which) => {
        const at = which % all.length;
        expect(firstFault(all.toSpliced(at, 0, all[at] as string))).toBe("reordered");
        expect(firstFault(all.toSpliced(at, 0, JSON.stringify({ other })))).toBe("edited");
      }),
    );
  });

  it("shows a line that was sealed anew over other content", () => {
    const all = chain([{ a: 1 }, { a: 2 }, { a: 3 }]);
    const forged = chain([{ a: 1 }, { a: "other" }])[1] as string;
    expect(firstFault(all.with(1, forged))).toBe("edited");
  });

  it("tells half a line from an edited one", () => {
    const [line] = chain([{ a: 1 }]) as [string];
    expect(checkLine(line.slice(0, -5), CHAIN_START).kind).toBe("unreadable");
    expect(checkLine("", CHAIN_START).kind).toBe("unreadable");
    expect(checkLine(line.replace('"a":1', '"a":2'), CHAIN_START)).toEqual({ kind: "edited", seq: 1, by: "content" });
  });
});
