/** What every installer keeps to: add twice is add once, remove gives back the bytes from before, and the rest is left alone. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Json, JsonObject } from "../core/json.ts";
import type { FileEdit, InstallTarget } from "./host.ts";

export function targetOf(changes: Partial<InstallTarget> = {}): InstallTarget {
  return {
    projectDir: "/project",
    homeDir: "/home/user",
    env: {},
    level: "project",
    program: "/opt/holdfast/bin/holdfast",
    plugin: "/opt/holdfast/dist/plugin.cjs",
    listFiles: () => [],
    readFile: () => undefined,
    ...changes,
  };
}

/**
 * `events`: those the host is asked to call us for, so that generated files have some of them already. `base`: what
 * every file of this kind has.
 */
export function describeSettingsEdit(edit: FileEdit, events: readonly string[], base: JsonObject = {}): void {
  const texts = settingsTexts(events, base);
  it("adding twice changes no byte", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const added = edit.add(text);
        expect(edit.add(added)).toBe(added);
      }),
      { numRuns: 100 },
    );
  });

  it("removing what was added gives back every byte, whatever the formatting", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(edit.remove(edit.add(text))).toBe(text);
      }),
      { numRuns: 300 },
    );
  });

  it("what a person wrote is in the result, in the same order", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const before = JSON.parse(text.replace(/^\uFEFF/, ""));
        const after = JSON.parse(edit.add(text).replace(/^\uFEFF/, ""));
        const { hooks: theirs = {}, ...rest } = before;
        const { hooks, ...restAfter } = after;
        expect(JSON.stringify(restAfter)).toBe(JSON.stringify(rest));
        for (const [event, entries] of Object.entries<Json[]>(theirs)) {
          expect(hooks[event].slice(0, entries.length)).toEqual(entries);
        }
        for (const event of events) expect(hooks[event]).toHaveLength((theirs[event]?.length ?? 0) + 1);
      }),
      { numRuns: 100 },
    );
  });
}

const key = fc.constantFrom("permissions", "env", "model", "a b", "", 'ä"\\', "{", "//", "__proto__x");
const value: fc.Arbitrary<Json> = fc.letrec<{ tree: Json }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<Json>(null, true, 0, -1.5e9, "", "text", 'quote " { [ , // /* */', "new\nline"),
    fc.array(tie("tree"), { maxLength: 3 }),
    fc.dictionary(key, tie("tree"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).tree;

/** Settings with hooks of other people: for events of ours and others, also empty. */
function settingsTexts(events: readonly string[], base: JsonObject): fc.Arbitrary<string> {
  const event = fc.constantFrom(...events, "SomebodyElses");
  const group = fc.oneof(
    value,
    fc.constant<Json>({ matcher: "Bash", hooks: [{ type: "command", command: "their hook" }] }),
    fc.constant<Json>({ command: "theirs hook --host claude-code" }),
  );
  const hooks = fc.dictionary(event, fc.array(group, { maxLength: 2 }), { maxKeys: 4, noNullPrototype: true });
  const settings = fc
    .tuple(fc.dictionary(key, value, { maxKeys: 3, noNullPrototype: true }), fc.option(hooks), fc.boolean())
    .map(([rest, own, first]): Json => {
      if (own === null) return { ...base, ...rest };
      return first ? { hooks: own, ...base, ...rest } : { ...rest, ...base, hooks: own };
    });
  return fc
    .tuple(settings, printers, fc.constantFrom("\n", "\r\n"), fc.boolean(), fc.constantFrom("", "\n", "\n\n"))
    .map(([tree, print, eol, marked, end]) => (marked ? "\uFEFF" : "") + (print(tree) + end).replaceAll("\n", eol));
}

const printers: fc.Arbitrary<(tree: Json) => string> = fc.oneof(
  fc.constantFrom("", "  ", "    ", "\t").map((indent) => (tree: Json) => JSON.stringify(tree, null, indent)),
  fc
    .array(fc.constantFrom("", "", " ", "\n", "\n  ", "\t", "\n\n    "), { minLength: 5, maxLength: 40 })
    .map((blanks) => (tree: Json) => {
      let used = 0;
      return scattered(tree, () => blanks[used++ % blanks.length] ?? "");
    }),
);

/** JSON with white space wherever JSON allows it. */
function scattered(tree: Json, blank: () => string): string {
  const around = (text: string) => blank() + text + blank();
  if (Array.isArray(tree)) {
    return tree.length === 0 ? `[${blank()}]` : `[${tree.map((item) => around(scattered(item, blank))).join(",")}]`;
  }
  if (typeof tree !== "object" || tree === null) return JSON.stringify(tree);
  const fields = Object.entries(tree).map(
    ([name, item]) => `${around(JSON.stringify(name))}:${around(scattered(item, blank))}`,
  );
  return fields.length === 0 ? `{${blank()}}` : `{${fields.join(",")}}`;
}
