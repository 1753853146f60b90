/** The labelled set, asked of the predecessor's scoring and of ours in one run. */
import { afterAll, describe, expect, test } from "vitest";
import { graphOf } from "../../src/knowledge/retrieval/graph.ts";
import { rank } from "../../src/knowledge/retrieval/ranking.ts";
import { SearchIndex } from "../../src/knowledge/retrieval/search-index.ts";
import { byKind, type Measured, measure, type Ranking } from "./retrieval-set/measure.ts";
import { predecessorRanking } from "./retrieval-set/predecessor.ts";
import { KINDS, type LabelledPrompt, labelledNodes, labelledPrompts } from "./retrieval-set/set.ts";

const nodes = labelledNodes();
const { tuning, heldOut } = labelledPrompts();
const ids = new Set(nodes.map(({ id }) => id));

const index = new SearchIndex();
for (const { path, ...node } of nodes) index.put({ path, mtimeMs: 0, ctimeMs: 0, size: 0 }, node);
const graph = graphOf(index, () => []);
const ours: Ranking = (prompt) => rank(prompt, index, graph).map(({ node }) => node);
const predecessors: Ranking = predecessorRanking(nodes);

const HALVES: readonly (readonly [string, readonly LabelledPrompt[]])[] = [
  ["tuning", tuning],
  ["held out", heldOut],
];
const MEASURES = ["precision", "recallAt5", "refusals"] as const;

describe("the labelled set", () => {
  test("has at least 300 nodes and 150 prompts of every kind, and all it names exists", () => {
    expect(nodes.length).toBeGreaterThanOrEqual(300);
    expect(ids.size).toBe(nodes.length);
    expect(tuning.length + heldOut.length).toBeGreaterThanOrEqual(150);
    for (const [, half] of HALVES) for (const kind of KINDS) expect(half.some((item) => item.kind === kind)).toBe(true);
    const named = [...tuning, ...heldOut].flatMap(({ relevant }) => relevant);
    expect([...named, ...nodes.flatMap(({ relatesTo }) => relatesTo)].filter((id) => !ids.has(id))).toEqual([]);
  });

  test("no prompt is in both halves", () => {
    const all = [...tuning, ...heldOut].map(({ prompt }) => prompt);
    expect(new Set(all).size).toBe(all.length);
  });
});

describe.each(HALVES)("A13-13 X-18 N-39 retrieval, the half for %s", (_name, prompts) => {
  const old = measure(prompts, predecessors);
  const now = measure(prompts, ours);

  test.each(MEASURES)("%s is better than the predecessor's", (name) => {
    expect(now[name]).toBeGreaterThan(old[name]);
  });

  test("is not only better but good: these are floors, well below what was measured", () => {
    expect(now.precision).toBeGreaterThan(0.75);
    expect(now.recallAt5).toBeGreaterThan(0.85);
    expect(now.refusals).toBeGreaterThan(0.8);
    expect(now.first).toBeGreaterThan(0.85);
  });

  test("prompts in scripts that the predecessor cannot read are answered", () => {
    const others = prompts.filter(({ kind, prompt }) => kind === "script" && /^[^\p{Script=Latin}]+$/u.test(prompt));
    expect(others.length).toBeGreaterThan(5);
    expect(measure(others, predecessors).recallAt5).toBe(0);
    expect(measure(others, ours).recallAt5).toBeGreaterThan(0.9);
  });
});

afterAll(() => {
  const row = (name: string, { precision, recallAt5, refusals, first }: Measured) =>
    `${name.padEnd(34)}${[precision, recallAt5, first, refusals].map((share) => share.toFixed(3).padStart(10)).join("")}`;
  const lines = [
    "",
    " ".repeat(34) + ["precision", "recall@5", "first", "refusals"].map((name) => name.padStart(10)).join(""),
  ];
  for (const [name, prompts] of HALVES) {
    lines.push(
      row(`${name}: predecessor`, measure(prompts, predecessors)),
      row(`${name}: ours`, measure(prompts, ours)),
    );
    const [old, now] = [byKind(prompts, predecessors), byKind(prompts, ours)];
    for (const kind of KINDS) {
      lines.push(
        row(`  ${kind}: predecessor`, old.get(kind) as Measured),
        row(`  ${kind}: ours`, now.get(kind) as Measured),
      );
    }
  }
  console.log(lines.join("\n"));
});
