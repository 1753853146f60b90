import { describe, expect, it } from "vitest";
import { readsOf } from "./content.ts";
import { keptText } from "./said-text.ts";

const kept = (text: string) => keptText(text, { secrets: "keep" });

/** The quickest of three: a busy machine slows one of them, not all. */
function msOf(work: () => unknown): number {
  const times = [1, 2, 3].map(() => {
    const startedAt = performance.now();
    work();
    return performance.now() - startedAt;
  });
  return Math.min(...times);
}

const LENGTH = 60_000;
const filled = (part: string) => part.repeat(Math.ceil(LENGTH / part.length)).slice(0, LENGTH);

describe("what was said", () => {
  it.each([
    ["before <system-reminder>hidden</system-reminder>\nafter", "before after"],
    ['<hook_context name="x"\n>hidden\nlines</hook_context>said', "said"],
    ["<turn_aborted>never closed", "<turn_aborted>never closed"],
    ["<turn_aborted>a</hook_context>b</turn_aborted>c", "c"],
    ["<turn_aborted never ended", "<turn_aborted never ended"],
    ["<turn_abortedly>mine</turn_abortedly>", "<turn_abortedly>mine</turn_abortedly>"],
    ["<system-reminder><turn_aborted></system-reminder>x</turn_aborted>", "x</turn_aborted>"],
    ["<command-name>/plan</command-name>\n<command-args>the work</command-args> now", "/plan the work now"],
    ["<command-name>/plan</command-name>  now", "/plannow"],
    ["<command-name>/plan</command-name><command-args>open", "/plan<command-args>open"],
    ["<user_query>\nasked</user_query>", "asked"],
  ])("is kept of %j as %j", (text, expected) => {
    expect(kept(text)).toBe(expected);
  });

  it.each(["<turn_aborted>", "<turn_aborted ", "<command-name>a</command-name><command-args>", "<private "])(
    "is read in one pass though %j stands in it thousands of times and is never closed",
    (tag) => {
      const harmless = filled("<turn_aborted>x</turn_aborted> said ");
      expect(msOf(() => kept(filled(tag)))).toBeLessThan(50 * msOf(() => kept(harmless)));
    },
  );
});

describe("files that a command reads", () => {
  const paths = (command: string) => readsOf("bash", { command }, "call").map(({ path }) => path);

  it.each([
    ["cat nodes/a.md 'b c.md' > out", ["nodes/a.md", "c.md"]],
    ["sed -n 1p a.md:3 b.mdx c.md.bak", ["a.md", "c.md"]],
    ["ls .md x.markdown", []],
  ])("are found in %j", (command, expected) => {
    expect(paths(command)).toEqual(expected);
  });

  it("are looked for in one pass though a word is a whole file in base64", () => {
    const words = filled("QUJDREVG ");
    expect(msOf(() => paths(filled("QUJDREVG")))).toBeLessThan(50 * msOf(() => paths(words)));
  });
});
