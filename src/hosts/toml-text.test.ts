import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type OwnTable, readToml, withoutTables, withTables } from "./toml-text.ts";

const TABLES: readonly OwnTable[] = [
  { path: ["servers", "ours"], fields: { command: "/opt/a b", args: ["x", 'quote " and \\'] } },
  { path: ["state", "/p ä/hooks.json:stop:0:0"], fields: { hash: "sha256:1" } },
];
const WITHOUT = TABLES.map(({ path, fields }) => ({ path, fields: Object.keys(fields) }));

/** What people have in such a file, in all its forms. */
const statement = fc.constantFrom(
  "a = 1",
  "# [servers.ours]",
  'text = """\n[servers.ours]\ncommand = "no"\n"""',
  "raw = '''\n[state]\n'''",
  "list = [\n  [1, 2], # ]\n  [\n3],\n]",
  'quoted = "[servers.ours] # \\" "',
  "",
  "   ",
  "big = 9223372036854775807",
  "day = 1979-05-27",
);
const tables = fc.constantFrom(
  "[theirs]",
  "[ servers . other ]",
  "[[many]]",
  "[state.'a.b']",
  "\t[indented]",
  "[x] # note",
);
const body = fc.uniqueArray(statement, { maxLength: 4 });
const texts = fc
  .tuple(body, fc.uniqueArray(tables, { maxLength: 4 }), fc.constantFrom("", "\n", "\n\n"), fc.boolean(), fc.boolean())
  .chain(([head, headers, end, crlf, mark]) =>
    fc.tuple(...headers.map(() => body)).map((bodies) => {
      const parts = [...head, ...headers.flatMap((header, index) => [header, ...(bodies[index] ?? [])])];
      const text = parts.join("\n") + end;
      return (mark ? "\uFEFF" : "") + (crlf ? text.replaceAll("\n", "\r\n") : text);
    }),
  );

describe("tables of ours in a person's TOML", () => {
  it("removing what was added gives back every byte, whatever the file looks like", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(withoutTables(withTables(text, TABLES), WITHOUT)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it("adding twice changes no byte, and all that was there is there", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const added = withTables(text, TABLES);
        expect(withTables(added, TABLES)).toBe(added);
        expect(added.startsWith(text)).toBe(true);
        expect(readToml(added)).toMatchObject(readToml(text));
      }),
    );
  });

  it("a file that was made for us is gone after removing, an empty one of a person stays", () => {
    expect(withTables(undefined, TABLES).startsWith("[servers.ours]\ncommand = ")).toBe(true);
    expect(withoutTables(withTables(undefined, TABLES), WITHOUT)).toBeUndefined();
    expect(withoutTables(withTables("", TABLES), WITHOUT)).toBe("");
  });

  it("a value of ours is changed in its place, and what a person wrote into the table stays", () => {
    const text = `[servers.ours] # mine\nenabled = true\ncommand = "/old" # where\nargs = [\n  "y",\n]\n\n[z]\n`;
    const changed = withTables(text, TABLES.slice(0, 1));
    expect(readToml(changed)).toMatchObject({
      servers: { ours: { enabled: true, command: "/opt/a b", args: ["x", 'quote " and \\'] } },
      z: {},
    });
    expect(withoutTables(changed, WITHOUT)).toBe("[servers.ours] # mine\nenabled = true\n\n[z]\n");
  });

  it("what stands between and behind ours stays", () => {
    const text = withTables("a = 1\n", TABLES);
    const later = (gap: string) => `${text.replace("\n[state", "\n# a note\n[state")}${gap}[new]\nb = 2\n`;
    for (const gap of ["", "\n"]) {
      expect(withoutTables(later(gap), WITHOUT)).toBe("a = 1\n\n# a note\n[new]\nb = 2\n");
    }
  });

  it.each(["servers = { other = { command = 'x' } }", "servers.ours = 1", "[servers]\nours.command = 'x'", "a = ["])(
    "%s is refused, not broken",
    (text) => {
      expect(() => withTables(text, TABLES)).toThrow();
    },
  );
});
