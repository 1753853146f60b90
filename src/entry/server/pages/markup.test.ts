import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plainText } from "./markup.fixture.ts";
import { html, visible } from "./markup.ts";
import { highlightedCommand } from "./shell-highlight.ts";

describe("X-8 text in markup", () => {
  it("opens no tag and ends no attribute, whatever it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(String(html`${text}`)).not.toMatch(/[<>"']/);
        expect(String(visible(text)).replace(/<mark class="unseen">|<\/mark>/g, "")).not.toMatch(/[<>"']/);
      }),
    );
  });

  it("shows what it says: nothing is lost, and nothing that cannot be seen stays unseen", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const shown = plainText(visible(text));
        expect(shown).toBe(plainText(html`${text}`));
        expect(shown).not.toMatch(/(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      }),
    );
  });

  it.each([
    ["\u202e", "⟨U+202E⟩"],
    ["\u2066", "⟨U+2066⟩"],
    ["\u200d", "⟨U+200D⟩"],
    ["\u001b[31m", "⟨U+001B⟩[31m"],
    ["\r", "⟨U+000D⟩"],
    ["\u{e0041}", "⟨U+E0041⟩"],
    ["\ud800", "⟨U+D800⟩"],
    ["a\r\nb\tc", "a\nb\tc"],
    ["é 文字 😀", "é 文字 😀"],
  ])("%j is shown as %s", (text, shown) => {
    expect(plainText(visible(text))).toBe(shown);
  });

  it("what is nothing shows nothing, zero shows", () => {
    expect(String(html`${null}${undefined}${false}${[]}${0}`)).toBe("0");
  });
});

describe("a highlighted command", () => {
  it("is the command, character for character", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."ab -|&;<>()$'\"`\\{}#\n=/~😀\u202e") }), (command) => {
        expect(plainText(highlightedCommand(command))).toBe(plainText(visible(command)));
      }),
    );
  });

  it("marks every program, after each operator and behind sudo", () => {
    const marked = String(highlightedCommand("FOO=1 sudo rm -rf x && echo 'a b' | sh -c \"$CMD\" > out; # rm\nls"));
    const programs = [...marked.matchAll(/sh-program">([^<]*)</g)].map(([, name]) => name);
    expect(programs).toEqual(["sudo", "rm", "echo", "sh", "ls"]);
    expect(marked).toContain('<span class="sh-comment"># rm</span>');
    expect(marked).toContain('<span class="sh-redirect">&gt;</span>');
  });
});
