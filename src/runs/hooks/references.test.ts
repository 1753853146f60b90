import fc from "fast-check";
import { expect, test } from "vitest";
import { filledConfig, frozenConfig, isFrozenFrom } from "./references.ts";

const texts = fc.string({ unit: fc.constantFrom("$", "{", "}", "A", "B", ":", "-", "x", " "), maxLength: 20 });
const isWhole = (text: string) => /^\$\{[A-Za-z_]\w*(?::?-[^}]*)?\}$/.test(text);
const hasKey = (text: string) => /\{\{\s*[A-Za-z0-9_.-]+\s*\}\}|\\\{\{/.test(text);

test("RB-9 a text that is neither a reference nor has a key comes out as it went in, whatever stands in it", () => {
  fc.assert(
    fc.property(texts, (text) => {
      fc.pre(!isWhole(text) && !hasKey(text));
      expect(filledConfig(frozenConfig({ text }, {}, {}, {}), { A: "secret", B: "secret" })).toEqual({ text });
    }),
  );
});

test("RB-9 a variable's value comes out as it is, and is never taken for a reference", () => {
  fc.assert(
    fc.property(texts, texts, (before, value) => {
      fc.pre(!hasKey(`${before} {{v}}`.replace("{{v}}", "")));
      const frozen = frozenConfig(`${before} {{v}}`, { v: value }, {}, {});
      expect(filledConfig(frozen, { A: "secret", B: "secret" })).toBe(`${before} ${value}`);
    }),
  );
});

test("RB-9 a variable of the environment is a reference wherever it stands", () => {
  fc.assert(
    fc.property(texts, (before) => {
      fc.pre(!hasKey(before) && !before.endsWith("{"));
      const frozen = frozenConfig(`${before}{{v}}!`, { v: { envName: "TOKEN" } }, {}, {});
      expect(JSON.stringify(frozen)).not.toContain("s3cret");
      expect(filledConfig(frozen, { TOKEN: "s3cret" })).toBe(`${before}s3cret!`);
    }),
  );
});

test("RB-9 what is kept is known to come from what was written, whatever the variables held", () => {
  fc.assert(
    fc.property(fc.array(texts), texts, (parts, value) => {
      const written = { args: parts.map((part) => `${part}{{v}}${part}`) };
      fc.pre(parts.every((part) => !hasKey(part) && !hasKey(`{{v}}${part}`.slice(4))));
      expect(isFrozenFrom(frozenConfig(written, { v: value }, { A: "", B: "" }, {}), written)).toBe(true);
    }),
  );
});

test.each([
  ["npm test", "npm tests"],
  ["npm {{v}}", "rm npm x"],
  ["{{v}} --safe", "x --safe -f"],
  ["a {{v}} b {{v}} c", "a b c"],
  ["aa{{v}}aa", "aaa"],
  ["${HOME}", "/root"],
  [["a"], ["a", "b"]],
  [{ a: 1 }, { a: 1, b: 2 }],
  [{ a: 1 }, { b: 1 }],
  [{ a: true }, { a: "true" }],
])("RB-9 %j cannot have become %j", (written, kept) => {
  expect(isFrozenFrom(kept, written)).toBe(false);
});
