import { describe, expect, it } from "vitest";
import { nodeFile } from "./base.fixture.ts";
import { type Node, nodeText, parseNode } from "./node.ts";
import { freeId, slugOf } from "./node-id.ts";

const parsed = (text: string): Node => {
  const node = parseNode(text);
  if (typeof node === "string") throw new Error(node);
  return node;
};

describe("a node's file", () => {
  it("says the same after it was written and read", () => {
    const node = parsed(
      nodeFile("map-api", { title: "API: the 'edge'", tags: ["a", "b"], owner: "ann" }, "One.\n\n## Two\n\n- three"),
    );
    const text = nodeText(node, "map-api.md", () => undefined);
    expect(parsed(text)).toEqual(node);
    expect(nodeText(parsed(text), "map-api.md", () => undefined)).toBe(text);
    expect(node.extra).toEqual({ owner: "ann" });
  });

  it("of the predecessor is read, its keys behind kk_", () => {
    const text = [
      "---",
      "type: practice",
      "title: Small commits",
      "description: Why",
      "tags: [git]",
      "kk_schema_version: 3",
      "kk_id: practice-small-commits",
      "kk_derived_from: [s1]",
      "kk_relates_to: []",
      "kk_confidence: medium",
      "---",
      "Prose.",
      "<!-- kk:related:start -->",
      "- Related: x",
      "<!-- kk:related:end -->",
    ].join("\r\n");
    expect(parsed(text)).toMatchObject({
      id: "practice-small-commits",
      derivedFrom: ["s1"],
      dependsOn: [],
      confidence: "medium",
      body: "Prose.",
    });
  });

  it("gets its generated sections anew on each write, and the prose around them stays", () => {
    const node = {
      ...parsed(nodeFile("map-a")),
      relatesTo: ["map-b"],
      derivedFrom: ["https://example.com/x", "docs/a.md"],
    };
    const link = () => ({ title: "B [1]", path: "other/map-b.md" });
    const once = nodeText(node, "here/map-a.md", link);
    expect(once).toContain("- Related: [B \\[1\\]](../other/map-b.md)");
    expect(once).toContain("1. <https://example.com/x>\n2. docs/a.md");
    expect(nodeText(parsed(once), "here/map-a.md", link)).toBe(once);
    expect(parsed(once).body).toBe("Text.");
  });

  it.each([
    ["no front matter", "just text", "no front matter"],
    ["front matter that never ends", "---\nid: x\n", "no front matter"],
    ["bad YAML", "---\n{\n---\n", "not valid YAML"],
    ["a missing title", nodeFile("map-a", { title: undefined }), 'title missing field "title"'],
    ["a blank title", nodeFile("map-a", { title: " " }), "title must not be blank"],
    ["an unknown type", nodeFile("map-a", { type: "thing" }), "type must be one of practice, map"],
    ["tags that are no list", nodeFile("map-a", { tags: "x" }), "tags must be a list"],
    ["an id that is a path", nodeFile("map-a", { id: "../../x" }), "id must be lower-case words"],
    [
      "aliases that swell",
      `---\na: &a [x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b]\n---\n`,
      "not valid YAML",
    ],
  ])("with %s is a problem that says so", (_, text, problem) => {
    expect(parseNode(text)).toContain(problem);
  });

  it("N-57 of an older schema is refused with what to do", () => {
    expect(parseNode(nodeFile("map-a", { schema_version: 2 }))).toMatch(/schema_version 2.*holdfast knowledge add/);
  });

  it("an unclosed fence in the prose hides nothing that follows it", () => {
    const body = "Before.\n<!-- holdfast:related:start -->\nAfter.";
    expect(parsed(nodeFile("map-a", {}, body)).body).toBe("Before.\nAfter.");
  });
});

describe("names of nodes", () => {
  it("a slug of an ASCII title is what the predecessor made of it", () => {
    expect(["Use `pnpm`, not npm!", "  A  B ", "!!!", "x--y"].map(slugOf)).toEqual([
      "use-pnpm-not-npm",
      "a-b",
      "untitled",
      "x-y",
    ]);
  });

  it("A13-13 a title in another script keeps its letters", () => {
    expect(["テスト 実行", "Привет, мир", "Cafe\u0301"].map(slugOf)).toEqual(["テスト-実行", "привет-мир", "café"]);
  });

  it("N-48 a name that is taken gets -2 to -4, and then is an error", () => {
    const taken = new Set<string>();
    const take = () => {
      const id = freeId("map-x", (candidate) => taken.has(candidate));
      taken.add(id);
      return id;
    };
    expect([take(), take(), take(), take()]).toEqual(["map-x", "map-x-2", "map-x-3", "map-x-4"]);
    expect(take).toThrow("map-x and map-x-2 to map-x-4 are all taken");
  });
});
