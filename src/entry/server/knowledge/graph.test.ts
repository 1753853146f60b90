import { describe, expect, it } from "vitest";
import type { PlacedNode } from "../../../knowledge/base/tree.ts";
import { findNodes } from "./find-nodes.ts";
import { around, graphOf, HEIGHT, WIDTH } from "./graph.ts";

const node = (id: string, more: Partial<PlacedNode> = {}): PlacedNode => ({
  id,
  type: "practice",
  title: id,
  description: "",
  tags: [],
  derivedFrom: [],
  relatesTo: [],
  dependsOn: [],
  confidence: "high",
  body: "",
  extra: {},
  path: `${id}.md`,
  file: `/base/${id}.md`,
  folder: "",
  ...more,
});

const ring = (count: number) =>
  Array.from({ length: count }, (_, index) => node(`n${index}`, { relatesTo: [`n${(index + 1) % count}`] }));

describe("a graph", () => {
  it("is the same for the same nodes, in whatever order they come, and lies in its frame", () => {
    const places = (nodes: readonly PlacedNode[]) =>
      Object.fromEntries(graphOf(nodes).nodes.map(({ node, x, y }) => [node.id, [x, y]]));
    const nodes = ring(30);
    expect(places(nodes)).toEqual(places(nodes.toReversed()));
    for (const [x = -1, y = -1] of Object.values(places(nodes))) {
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x).toBeLessThanOrEqual(WIDTH);
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y).toBeLessThanOrEqual(HEIGHT);
    }
  });

  it("puts no two nodes on one place, and nodes with an edge nearer than others", () => {
    const groups = ["a", "b", "c"].flatMap((name) =>
      Array.from({ length: 6 }, (_, index) => node(`${name}${index}`, { relatesTo: [`${name}0`] })),
    );
    const { nodes } = graphOf(groups);
    const distances = (isWithin: boolean) =>
      nodes.flatMap((one) =>
        nodes
          .filter((other) => other !== one && (other.node.id[0] === one.node.id[0]) === isWithin)
          .map((other) => Math.hypot(one.x - other.x, one.y - other.y)),
      );
    const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(Math.min(...distances(true), ...distances(false))).toBeGreaterThan(4);
    expect(mean(distances(true))).toBeLessThan(mean(distances(false)) / 2);
  });

  it("of too many shows those with most edges, and says how many it leaves out", () => {
    const alone = Array.from({ length: 200 }, (_, index) => node(`alone${index}`));
    const { nodes, leftOut } = graphOf([...alone, ...ring(20)]);
    expect(leftOut).toBe(100);
    expect(nodes.filter(({ node }) => node.id.startsWith("n"))).toHaveLength(20);
  });

  it("draws one edge between two that name each other, and none to what is not there or to itself", () => {
    const [one, other] = [node("a", { relatesTo: ["b", "a", "gone"] }), node("b", { dependsOn: ["a"] })];
    expect(graphOf([one, other]).edges).toHaveLength(1);
    expect(graphOf([]).nodes).toEqual([]);
    expect(graphOf([one]).nodes[0]).toMatchObject({ x: WIDTH / 2, y: HEIGHT / 2 });
  });

  it("around a node is what it names and what names it", () => {
    const nodes = [node("a", { dependsOn: ["b"] }), node("b"), node("c", { relatesTo: ["a"] }), node("d")];
    expect(around(nodes, nodes.slice(0, 1)).map(({ id }) => id)).toEqual(["a", "b", "c"]);
  });
});

describe("a search", () => {
  const nodes = [
    node("practice-deploys", { title: "Deploys wait for Friday", body: "Never on a weekend." }),
    node("map-queue", { title: "The queue", body: "It deploys itself.", tags: ["infra"] }),
    node("practice-schrift", { title: "Größe der Schrift", body: "東京のサーバー" }),
  ];
  it.each([
    ["deploys", ["practice-deploys", "map-queue"]],
    ["DEPLOYS weekend", ["practice-deploys"]],
    ["infra", ["map-queue"]],
    ["größe", ["practice-schrift"]],
    ["東京", ["practice-schrift"]],
    ["deploys schrift", []],
    ["  ", ["practice-deploys", "map-queue", "practice-schrift"]],
    [".*", ["practice-deploys", "map-queue", "practice-schrift"]],
  ])("for %j finds %j", (search, ids) => {
    expect(findNodes(nodes, search).map(({ id }) => id)).toEqual(ids);
  });
});
