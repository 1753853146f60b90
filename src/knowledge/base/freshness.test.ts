import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nodeFile, type ScratchBase, scratchBase } from "./base.fixture.ts";
import { freshness, referencedPaths } from "./freshness.ts";
import { commitAll, git } from "./git.fixture.ts";

let base: ScratchBase;
beforeEach(() => {
  base = scratchBase();
});
afterEach(() => base.remove());

const source = (path: string, text: string) => {
  mkdirSync(join(base.root, path, ".."), { recursive: true });
  writeFileSync(join(base.root, path), text);
};

describe("freshness", () => {
  it("N-36 names nodes whose files changed after them, and no others", async () => {
    git(base.root, "init", "-q");
    source("src/a.ts", "1");
    source("src/b.ts", "1");
    base.write("nodes/map-a.md", nodeFile("map-a", {}, "It is in `src/a.ts:12`."));
    base.write("nodes/map-b.md", nodeFile("map-b", { derived_from: ["src/b.ts"] }));
    commitAll(base.root, "first");
    expect(await freshness(base.places)).toEqual({ aged: [] });
    source("src/a.ts", "2");
    commitAll(base.root, "second");
    expect((await freshness(base.places)).aged).toEqual([
      { id: "map-a", file: ".holdfast/knowledge/nodes/map-a.md", changed: ["src/a.ts"] },
    ]);
    base.write("nodes/map-a.md", nodeFile("map-a", {}, "It is in `src/a.ts`, as ever."));
    expect((await freshness(base.places)).aged).toEqual([]);
    commitAll(base.root, "third");
    expect((await freshness(base.places)).aged).toEqual([]);
  });

  it("N-36 outside git it says why it knows nothing, and finds nothing", async () => {
    base.write("nodes/map-a.md", nodeFile("map-a", {}, "`src/a.ts`"));
    expect(await freshness(base.places)).toEqual({
      aged: [],
      problem: expect.stringContaining("not a git repository"),
    });
  });

  it("A9 a list of files longer than 1 MiB is read to its end", async () => {
    git(base.root, "init", "-q");
    source("zz/last.ts", "1");
    base.write("nodes/map-a.md", nodeFile("map-a", {}, "`zz/last.ts`"));
    // Entries of the index without files: git lists them all the same.
    const blob = git(base.root, "hash-object", "-w", "zz/last.ts").trim();
    const names = Array.from({ length: 12_000 }, (_, n) => `a/${"x".repeat(100)}${n}.ts`);
    writeFileSync(join(base.root, "list"), names.map((name) => `100644 ${blob}\t${name}\n`).join(""));
    git(base.root, "add", "zz", ".holdfast");
    execIndex("list");
    git(base.root, "commit", "-q", "-m", "first");
    source("zz/last.ts", "2");
    git(base.root, "commit", "-q", "-m", "second", "zz/last.ts");
    expect((await freshness(base.places)).aged.map(({ id }) => id)).toEqual(["map-a"]);
  });

  it("only what looks like a file of the project counts as one", () => {
    const body =
      "[a](src/a.ts#L3) `npm run build` `just-a-word` [b](https://example.com/x/y) `.holdfast/knowledge/ENTRY.md` `./src/c.ts`";
    expect(referencedPaths({ body, derivedFrom: ["session:x/y", "docs/d.md"] })).toEqual([
      "docs/d.md",
      "src/a.ts",
      "src/c.ts",
    ]);
  });
});

const execIndex = (file: string) => git(base.root, "-c", `alias.fill=!git update-index --index-info < ${file}`, "fill");
