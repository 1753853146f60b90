import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { approvalOf } from "./approval.fixture.ts";
import { cardOf, shortened, shown, visible } from "./card.ts";

const view = { link: null, nameOf: (id: string) => `Name of ${id}` };

describe("a card", () => {
  it("X-8 shows the arguments whole", () => {
    const input = { command: "x".repeat(10_000), nested: { list: [1, null, true] } };
    const { approval } = approvalOf({ call: { input } });
    expect(JSON.parse(cardOf(approval, view).call.text)).toEqual(input);
  });

  it("X-8 what is cut says so, how much is missing and where it is, and stays within its limit", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 3_000 }),
        fc.integer({ min: 300, max: 1_000 }),
        (text, max) => {
          const cut = shown({ text, sha256: "0123456789abcdef0123" }, max, null);
          expect(cut.text.length).toBeLessThanOrEqual(max);
          expect(cut.isCut).toBe(text.length > max);
          if (cut.isCut) expect(cut.text).toMatch(/CUT: \d+ of \d+ characters shown, sha256 0123456789abcdef/);
          else expect(cut.text).toBe(text);
          expect(/\p{Surrogate}/u.test(cut.text)).toBe(false);
        },
      ),
    );
  });

  it("X-8 no character that hides or turns text around is left in any text of it", () => {
    const trick = "a\u202eb\u200bc\u0007d\u2028e\u{e0041}\ufefff\rg";
    const { approval } = approvalOf({
      rule: trick,
      reason: trick,
      call: { tool: trick, agent: trick, cwd: trick, input: { [trick]: trick }, effects: [trick] },
    });
    expect(JSON.stringify(cardOf(approval, { ...view, nameOf: () => trick }))).not.toMatch(
      /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u,
    );
    expect(visible("a\u202eb")).toBe("a\\u202eb");
  });

  it("a line break in a name cannot make a line of its own", () => {
    const { approval } = approvalOf({ rule: "a\nUntil: 2099", call: { tool: "x\nApproved by everybody" } });
    const { title, facts } = cardOf(approval, view);
    expect([title, ...facts.map(({ value }) => value)].some((text) => text.includes("\n"))).toBe(false);
  });

  it("only a pending one can be decided", () => {
    const { approval } = approvalOf();
    for (const status of ["approved", "denied", "expired", "withdrawn", "used"] as const)
      expect(cardOf({ ...approval, status }, view).isOpen).toBe(false);
    expect(cardOf(approval, view).isOpen).toBe(true);
  });

  it("a text nobody decides by shows that it was shortened", () => {
    expect([shortened("abc", 3), shortened("abcd", 3), shortened("a😀bc", 3)]).toEqual(["abc", "ab…", "a…"]);
  });
});
