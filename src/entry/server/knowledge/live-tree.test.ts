import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newNode, type ScratchBase, scratchBase } from "../../../knowledge/base/base.fixture.ts";
import { addNode } from "../../../knowledge/base/change-nodes.ts";
import { liveTree } from "./live-tree.ts";

let base: ScratchBase;
beforeEach(() => {
  base = scratchBase();
});
afterEach(() => base.remove());

const ids = (tree: ReturnType<ReturnType<typeof liveTree>>) => tree.nodes.map(({ id }) => id);

describe("a tree that is looked at again and again", () => {
  it("has what was written just now, before the system could tell", async () => {
    await addNode(base, newNode("First"));
    const tree = liveTree(base.places.nodesDir);
    expect(ids(tree())).toEqual(["practice-first"]);
    await addNode(base, newNode("Second"), { folder: "deep/er" });
    expect(ids(tree())).toEqual(["practice-second", "practice-first"]);
    rmSync(join(base.places.nodesDir, "practice-first.md"));
    expect(ids(tree())).toEqual(["practice-second"]);
  });

  it("is the same one while nothing happens, and reads again what could not be read", async () => {
    await addNode(base, newNode("First"));
    const tree = liveTree(base.places.nodesDir);
    expect(tree()).toBe(tree());
    writeFileSync(join(base.places.nodesDir, "practice-bad.md"), "no node");
    expect(tree().problems).toHaveLength(1);
    rmSync(join(base.places.nodesDir, "practice-bad.md"));
    expect(tree().problems).toEqual([]);
  });
});
