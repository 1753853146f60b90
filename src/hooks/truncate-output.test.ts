import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../core/json.ts";
import { judge, machine, after as returned, toolCall } from "./hooks.fixture.ts";
import { redactOutput } from "./redact-output.ts";
import { truncateOutput } from "./truncate-output.ts";

const truncated = (response: Json, options = truncateOutput.defaults) =>
  judge(truncateOutput, returned(toolCall("other"), { id: "event-1", response } as object), options);

describe("truncated output", () => {
  it("F-39 up to 8,000 characters are left alone", () => {
    expect(truncated("x".repeat(8_000))).toEqual({ opinion: { kind: "none" } });
    expect(truncated({ a: "x".repeat(7_000), b: [1, 2, "y"] })).toEqual({ opinion: { kind: "none" } });
  });

  it("F-39 a longer one keeps its head and its tail, and says how long it was and where the whole is", () => {
    const text = `HEAD${"x".repeat(20_000)}TAIL`;
    const { rewrite, effects } = truncated(text);
    expect(rewrite).toMatch(
      /^HEADx+\n\[… \d+ of 20008 characters left out by truncate-output; the whole .*\n?x+TAIL$/s,
    );
    expect(String(rewrite).length).toBeLessThanOrEqual(8_000);
    const file = `${machine.stateDir}/outputs/event-1.txt`;
    expect(rewrite).toContain(file);
    expect(effects).toEqual([{ type: "keep-output", file, text }]);
  });

  it("F-39 the number of characters left out is true", () => {
    const rewrite = String(truncated("abc".repeat(5_000)).rewrite);
    const [marker, missing] = /\n\[… (\d+) of [^\n]*\n/.exec(rewrite) ?? [];
    expect(rewrite.length - (marker?.length ?? 0) + Number(missing)).toBe(15_000);
  });

  it("no character is split, wherever the cut falls", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 200, max: 600 }),
        fc.string({ unit: "grapheme", minLength: 400 }),
        (limit, filling) => {
          const text = `${filling}😀`.repeat(4);
          const { rewrite } = truncated(text, { "max-characters": limit });
          if (rewrite !== undefined) expect(/\p{Surrogate}/u.test(String(rewrite))).toBe(/\p{Surrogate}/u.test(text));
        },
      ),
    );
  });

  it.each([
    ["a family", "👨‍👩‍👧"],
    ["flags", "🇩🇪🇫🇷"],
    ["a flag among letters", "ab🇩🇪"],
    ["a letter with its accent", "e\u0301"],
    ["a syllable", "नि"],
    ["a thumb with its colour", "👍🏽"],
    ["a line end of two", "\r\n"],
  ])("nothing that people see as one character is split: %s", (_, unit) => {
    const text = unit.repeat(400);
    const whole = new Set([...new Intl.Segmenter().segment(text)].map(({ segment }) => segment));
    for (let limit = 200; limit < 230; limit++) {
      const [head = "", tail = ""] = String(truncated(text, { "max-characters": limit }).rewrite).split(/\n\[….*…\]\n/);
      for (const { segment } of new Intl.Segmenter().segment(`${head}`)) expect(whole).toContain(segment);
      for (const { segment } of new Intl.Segmenter().segment(`${tail}`)) expect(whole).toContain(segment);
      expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
    }
  });

  it("a character that is longer than anything people write holds up nothing, and no half of a pair is left", () => {
    const text = `a${"\u{1D165}".repeat(20_000)}`;
    const rewrite = String(truncated(text).rewrite);
    expect(rewrite.length).toBeLessThanOrEqual(8_000);
    expect(/\p{Surrogate}/u.test(rewrite)).toBe(false);
  });

  it("F-15 content keeps its shape: long texts are cut, short ones, pictures and types stay", () => {
    const picture = { type: "image", data: "A".repeat(50_000), mimeType: "image/png" };
    const response = { content: [{ type: "text", text: "x".repeat(30_000) }, picture, { type: "text", text: "end" }] };
    const { rewrite } = truncated(response);
    const { content } = rewrite as { content: { type: string; text?: string }[] };
    expect(content[0]?.text?.length).toBeLessThanOrEqual(8_000);
    expect(content.slice(1)).toEqual([picture, { type: "text", text: "end" }]);
    expect(truncated({ stdout: "x".repeat(9_000), stderr: "e", interrupted: false }).rewrite).toMatchObject({
      stderr: "e",
      interrupted: false,
    });
  });

  it("what is long without a long text is cut as its JSON", () => {
    const rows = Array.from({ length: 20_000 }, (_, id) => ({ id }));
    expect(String(truncated(rows).rewrite).length).toBeLessThanOrEqual(8_000);
    const { rewrite } = truncated({
      content: [{ type: "text", text: "ok" }],
      structuredContent: { rows },
      isError: false,
    });
    expect(rewrite).toMatchObject({ isError: false, content: [{ type: "text" }] });
    expect(JSON.stringify(rewrite).length).toBeLessThanOrEqual(12_000);
  });

  it("F-39 it runs last, after redaction, so that the file that is kept holds no secret either", () => {
    expect([redactOutput.last, truncateOutput.last]).toEqual([true, true]);
    expect(redactOutput.priority).toBeLessThan(truncateOutput.priority);
  });
});

describe("redacted output", () => {
  it("secrets in texts and under secret keys are replaced, wherever they stand", () => {
    const token = `ghp_${"a1B2".repeat(9)}`;
    const response = {
      content: [{ type: "text", text: `token ${token}` }],
      structuredContent: { password: "hunter2x" },
    };
    const { rewrite } = judge(redactOutput, returned(toolCall("mcp"), { response }));
    expect(JSON.stringify(rewrite)).not.toContain(token);
    expect(JSON.stringify(rewrite)).not.toContain("hunter2x");
    expect(judge(redactOutput, returned(toolCall("mcp"), { response: rewrite as Json }))).toEqual({
      opinion: { kind: "none" },
    });
  });

  it("an output without a secret is left alone", () => {
    expect(judge(redactOutput, returned(toolCall("shell", { command: "ls" }), { response: "a.txt" }))).toEqual({
      opinion: { kind: "none" },
    });
  });
});
