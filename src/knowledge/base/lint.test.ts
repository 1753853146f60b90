import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { blockState, withBlock, withoutBlock } from "./agents-block.ts";
import { nodeFile, type ScratchBase, scratchBase } from "./base.fixture.ts";
import { areLinesPresent, withIgnoreLines } from "./ignore-lines.ts";
import { LINT_RULES, type LintRule, lintBase } from "./lint.ts";
import { pruneLogs } from "./prune.ts";
import { rebuildIndex } from "./rebuild.ts";

let base: ScratchBase;
beforeEach(async () => {
  base = scratchBase();
  base.write("nodes/git/practice-a.md", nodeFile("practice-a", { tags: ["git"], relates_to: ["map-b"] }));
  base.write("nodes/map-b.md", nodeFile("map-b", { tags: ["build"] }));
  writeFileSync(join(base.root, "AGENTS.md"), withBlock(undefined));
  await rebuildIndex(base.places, base.exclusively);
});
afterEach(() => base.remove());

const rules = () => [...new Set(lintBase(base.places).entries.map(({ rule }) => rule))];

const FIXTURES: Record<LintRule, () => void> = {
  "unreadable-node": () => base.write("nodes/map-x.md", "nothing"),
  conformance: () => base.write("nodes/git/index.md", "---\na: 1\n---\n"),
  "dangling-edge": () => base.write("nodes/map-b.md", nodeFile("map-b", { depends_on: ["map-none"] })),
  "slug-id-mismatch": () => base.write("nodes/map-other.md", nodeFile("map-x", { relates_to: ["map-b"] })),
  "missing-folder-index": () => rmSync(join(base.places.nodesDir, "git/index.md")),
  "redirected-edge": () => {
    base.write("nodes/.redirects.json", '{"map-old":["map-b"]}');
    base.write("nodes/git/practice-a.md", nodeFile("practice-a", { tags: ["git"], relates_to: ["map-b", "map-old"] }));
  },
  "tag-near-duplicate": () => base.write("nodes/map-b.md", nodeFile("map-b", { tags: ["build", "Builds"] })),
  "tag-whitespace": () => base.write("nodes/map-b.md", nodeFile("map-b", { tags: ["two words"] })),
  "empty-summary": () => base.write("nodes/map-b.md", nodeFile("map-b", { description: "" })),
  orphan: () => base.write("nodes/map-alone.md", nodeFile("map-alone")),
  "agents-block": () => writeFileSync(join(base.root, "AGENTS.md"), "hello"),
  "damaged-redirects": () => base.write("nodes/.redirects.json", "["),
};

describe("lint", () => {
  it("N-44 finds nothing in a clean base", () => {
    expect(lintBase(base.places)).toEqual({ entries: [], errors: 0, findings: 0 });
  });

  it.each(Object.keys(LINT_RULES) as LintRule[])("N-44 %s is found where it is, and nothing else", (rule) => {
    FIXTURES[rule]();
    expect(rules()).toEqual([rule]);
    const { errors, findings, entries } = lintBase(base.places);
    expect({ errors: errors > 0, findings: findings > 0 }).toEqual({
      errors: LINT_RULES[rule] === "error",
      findings: LINT_RULES[rule] === "finding",
    });
    for (const { action, file } of entries) expect([action, file].every((text) => text !== "")).toBe(true);
  });

  it("N-44 an id that names another type, or is no slug, is a mismatch", () => {
    base.write("nodes/practice-z.md", nodeFile("practice-z", { type: "map", relates_to: ["map-b"] }));
    expect(rules()).toEqual(["slug-id-mismatch"]);
  });
});

describe("the block in AGENTS.md", () => {
  it("N-8 is put in once, and replaced in its place; what stands around it stays", () => {
    const first = withBlock("# Mine\n\ntext");
    expect(first.startsWith("# Mine\n\ntext\n\n<!-- >>> holdfast:knowledge >>> -->")).toBe(true);
    expect(withBlock(first)).toBe(first);
    const old = first.replace("Read `", "Do read `");
    expect(blockState(old)).toBe("outdated");
    expect(withBlock(`${old}\nbelow\n`)).toBe(`${first}\nbelow\n`);
    expect(withoutBlock(first)).toBe("# Mine\n\ntext\n");
  });

  it("N-8 half a block is an error, and the file stays as it is", () => {
    const text = `${withBlock(undefined)}<!-- >>> holdfast:knowledge >>> -->\n`;
    expect(blockState(text)).toBe("damaged");
    expect(() => withBlock(text)).toThrow("a beginning or an end too many");
    expect(withoutBlock(text)).toBe(text);
  });
});

describe("the lines in .gitignore", () => {
  it("N-7 are anchored and there once, lines of people stay, unanchored ones go", () => {
    const text = withIgnoreLines("mine\n_logs/\nhooks/\n");
    expect(text).toBe("mine\n/_sessions/\n/_logs/\n/_proposals/\n/.state/\n.*.tmp\n");
    expect(withIgnoreLines(text)).toBe(text);
    expect(areLinesPresent(text)).toBe(true);
    expect(areLinesPresent(undefined)).toBe(false);
  });
});

describe("prune", () => {
  it("N-58 deletes traces older than they are kept for, and nothing else", () => {
    const day = 24 * 60 * 60 * 1000;
    for (const path of [
      "_logs/proposal/x.jsonl",
      "_logs/hook-errors-2026-01-01.log",
      "_logs/notes.md",
      "_sessions/s.md",
      "nodes/.map-b.md.1.a.tmp",
    ])
      base.write(path, "12345");
    expect(pruneLogs(base.places, 30, Date.now()).deleted).toEqual([]);
    const pruned = pruneLogs(base.places, 30, Date.now() + 31 * day);
    expect(pruned).toEqual({
      deleted: [
        ".holdfast/knowledge/_logs/hook-errors-2026-01-01.log",
        ".holdfast/knowledge/_logs/proposal/x.jsonl",
        ".holdfast/knowledge/nodes/.map-b.md.1.a.tmp",
      ],
      bytes: 15,
    });
    expect(["_logs/notes.md", "_sessions/s.md", "nodes/map-b.md"].every(base.has)).toBe(true);
  });
});
