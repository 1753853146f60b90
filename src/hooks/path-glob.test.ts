import fc from "fast-check";
import { expect, it } from "vitest";
import { pathMatcher, wildcardMatches } from "./path-glob.ts";

/** Few letters, so that they often match; what means something in a regular expression among them. */
const letter = fc.constantFrom("a", "b", ".", "+", "(", "|", "\\", "$", "[", "^", "-", "\n", "😀");
const text = fc.array(letter, { maxLength: 6 }).map((letters) => letters.join(""));
const glob = fc.array(fc.oneof(letter, fc.constantFrom("*", "?")), { maxLength: 6 }).map((parts) => parts.join(""));

it("a name is held against many globs as against each of them", () => {
  fc.assert(
    fc.property(fc.array(glob, { maxLength: 5 }), text, (globs, name) => {
      const matches = pathMatcher(globs, "/project");
      expect(matches(`/project/src/${name}`)).toBe(globs.some((one) => wildcardMatches(one, name)));
    }),
    { numRuns: 2_000 },
  );
});

it("a path is held against many globs as against each of them, whatever they begin with", () => {
  const part = fc.constantFrom("a", "ab", "*", "**", "a*", "?");
  const pathGlob = fc
    .tuple(fc.constantFrom("/", "/project/", ""), fc.array(part, { minLength: 2, maxLength: 4 }))
    .map(([start, parts]) => `${start}${parts.join("/")}`);
  const path = fc.array(fc.constantFrom("a", "ab", "project", "b"), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.array(pathGlob, { maxLength: 4 }), path, (globs, parts) => {
      const whole = `/${parts.join("/")}`;
      const each = globs.some((one) => pathMatcher([one], "/project")(whole));
      expect(pathMatcher(globs, "/project")(whole)).toBe(each);
    }),
    { numRuns: 2_000 },
  );
});

it("many stars in one glob take no longer than the text is long", () => {
  const matches = pathMatcher([`${"*a".repeat(30)}b`, "*x"], "/project");
  const startedMs = performance.now();
  expect(matches(`/project/${"a".repeat(5_000)}`)).toBe(false);
  expect(performance.now() - startedMs).toBeLessThan(2_000);
});
