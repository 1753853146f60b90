import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { frontMatterText, splitFrontMatter } from "./front-matter.ts";
import { readPlainYaml } from "./plain-yaml.ts";

/** Undefined where the whole parser refuses it. */
const whole = (yaml: string): unknown => {
  try {
    return parse(yaml, { schema: "core", prettyErrors: false });
  } catch {
    return undefined;
  }
};

const pieces = [
  ...[
    "a",
    "B",
    "é",
    "数",
    "0",
    "12",
    "1e3",
    " ",
    "  ",
    "\t",
    ":",
    ": ",
    " #",
    "#",
    "-",
    "- ",
    "'",
    '"',
    "\\",
    ",",
    ", ",
  ],
  ...[
    "[",
    "]",
    "{",
    "}",
    "&",
    "*",
    "!",
    "|",
    ">",
    "%",
    "@",
    "`",
    "~",
    "true",
    "null",
    "No",
    ".",
    "?",
    "\u00a0",
    "\u2028",
    "\u0085",
    "\ufeff",
    "\n",
    "\r",
  ],
];
const text = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join(""));

describe("the small part of YAML", () => {
  it("says what the whole parser says, or leaves it to it", () => {
    const line = fc.oneof(
      fc.tuple(fc.constantFrom("title", "tags", "id", "kk_id"), text).map(([key, value]) => `${key}: ${value}`),
      fc
        .tuple(fc.constantFrom("title", "tags"), fc.array(text, { maxLength: 3 }))
        .map(([key, items]) => `${key}:\n${items.map((item) => `  - ${item}`).join("\n")}`),
      fc
        .tuple(fc.constantFrom("title", "tags"), fc.array(text, { maxLength: 3 }))
        .map(([key, items]) => `${key}: [${items.join(", ")}]`),
      text,
    );
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), (lines) => {
        const yaml = `${lines.join("\n")}\n`;
        const plain = readPlainYaml(yaml);
        if (plain !== undefined) expect(plain, yaml).toEqual(whole(yaml));
      }),
      { numRuns: 5_000 },
    );
  });

  it("whatever is written by us is read as it was, by either", () => {
    fc.assert(
      fc.property(
        fc.record({
          title: fc.oneof(text, fc.string({ unit: "grapheme" })),
          tags: fc.array(text),
          schema_version: fc.nat(9),
        }),
        (data) => {
          const yaml = splitFrontMatter(frontMatterText(data))?.yaml ?? "";
          expect(whole(yaml)).toEqual(data);
          const plain = readPlainYaml(yaml);
          if (plain !== undefined) expect(plain).toEqual(data);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("is what most nodes are written in", () => {
    const data = {
      type: "map",
      title: "Where it's kept, and why",
      tags: ["a-b", "c"],
      schema_version: 3,
      id: "map-x",
      derived_from: ["session:4f1", "docs/a.md"],
      relates_to: [],
      confidence: "high",
    };
    const yaml = splitFrontMatter(frontMatterText(data))?.yaml ?? "";
    expect(readPlainYaml(yaml)).toEqual(data);
  });
});
