import { describe, expect, test } from "vitest";
import { searchable } from "./base-on-disk.fixture.ts";
import { graphOf } from "./graph.ts";
import { rank } from "./ranking.ts";
import { type SearchableNode, SearchIndex } from "./search-index.ts";

/** What the others are about, so that words have something to be rare among. */
const CROWD = ["kafka", "terraform", "sqlite", "webpack", "redis", "oauth", "nginx", "grpc", "helm", "vault"].map(
  (word) =>
    searchable(`practice-${word}`, { title: `How ${word} is used`, description: `What is agreed about ${word}.` }),
);

function indexOf(nodes: readonly SearchableNode[]): SearchIndex {
  const index = new SearchIndex();
  for (const node of nodes) index.put({ path: `${node.id}.md`, mtimeMs: 0, ctimeMs: 0, size: 0 }, node);
  return index;
}

function ids(prompt: string, nodes: readonly SearchableNode[], resolve: (id: string) => string[] = () => []): string[] {
  const index = indexOf([...nodes, ...CROWD]);
  return rank(prompt, index, graphOf(index, resolve)).map(({ node }) => node.id);
}

describe("N-39 the order of nodes", () => {
  test("a word in the title counts for more than in tags, description, and body, in this order", () => {
    const rest = "of the scheduler";
    const nodes = [
      searchable("practice-d", { title: `Thing ${rest}`, body: "About checkpointing." }),
      searchable("practice-c", { title: `Thing ${rest}`, description: "About checkpointing." }),
      searchable("practice-b", { title: `Thing ${rest}`, tags: ["checkpointing"] }),
      searchable("practice-a", { title: `Checkpointing ${rest}` }),
    ];
    expect(ids("checkpointing of the scheduler", nodes)).toEqual([
      "practice-a",
      "practice-b",
      "practice-c",
      "practice-d",
    ]);
  });

  test("two words found are better than one", () => {
    const nodes = [
      searchable("practice-one", { title: "Savepoints" }),
      searchable("practice-two", { title: "Savepoints of the scheduler" }),
    ];
    expect(ids("savepoints of the scheduler", nodes)[0]).toBe("practice-two");
  });

  test("equals are ordered by how many nodes relate to them, then by id", () => {
    const same = { title: "Savepoints of the scheduler", description: "When they are taken." };
    const nodes = [
      searchable("practice-b", same),
      searchable("practice-a", same),
      searchable("practice-z", same),
      searchable("practice-x", { title: "Unlike", relatesTo: ["practice-z"] }),
    ];
    expect(ids("savepoints of the scheduler", nodes)).toEqual(["practice-z", "practice-a", "practice-b"]);
  });

  test("a node that has some of the words is found where a neighbour has the others", () => {
    const nodes = [
      searchable("practice-a", { title: "Savepoints of the scheduler", relatesTo: ["practice-b"] }),
      searchable("practice-b", { title: "Where the ledger lies", description: "Postings and balances of accounts." }),
      searchable("practice-c", { title: "Who reads the ledger", description: "Postings seen by auditors." }),
    ];
    const found = ids("savepoints of the scheduler and the balances", nodes);
    expect(found).toEqual(["practice-a", "practice-b"]);
  });

  test("a link to an id that was redirected leads to what it stands for now", () => {
    const nodes = [
      searchable("practice-a", { title: "Savepoints of the scheduler", relatesTo: ["practice-old"] }),
      searchable("practice-b", { title: "Where the ledger lies", description: "Postings and balances of accounts." }),
    ];
    const prompt = "savepoints of the scheduler and the balances";
    expect(ids(prompt, nodes)).toEqual(["practice-a"]);
    expect(ids(prompt, nodes, (id) => (id === "practice-old" ? ["practice-b"] : []))).toContain("practice-b");
  });

  test("of two files with one id the first is told", () => {
    const index = indexOf([searchable("practice-a", { title: "Savepoints of the scheduler" }), ...CROWD]);
    index.put(
      { path: "b/practice-a.md", mtimeMs: 0, ctimeMs: 0, size: 0 },
      searchable("practice-a", { title: "Savepoints" }),
    );
    const found = rank(
      "savepoints",
      index,
      graphOf(index, () => []),
    );
    expect(found.map(({ file }) => file.path)).toEqual(["b/practice-a.md"]);
  });
});

describe("A13-13 what the predecessor could not find, or should not have", () => {
  test("a prompt in another script finds its node", () => {
    const nodes = [searchable("practice-zh", { title: "数据库迁移方案", description: "新旧两个库同时写入。" })];
    expect(ids("怎么做数据库迁移？", nodes)).toEqual(["practice-zh"]);
  });

  test("another form of a word finds its node", () => {
    const nodes = [searchable("practice-a", { title: "Rotation of signing keys" })];
    expect(ids("rotate the key for signatures", nodes)).toEqual(["practice-a"]);
  });

  test("a mistyped word finds its node", () => {
    const nodes = [searchable("practice-a", { title: "Checkpointing of streams" })];
    expect(ids("chekpointing of straems", nodes)).toEqual(["practice-a"]);
  });

  test("a rare word says more than one that many nodes have", () => {
    const nodes = [
      searchable("practice-rare", { title: "Tombstones in queues" }),
      ...["a", "b", "c", "d", "e", "f"].map((name) =>
        searchable(`practice-${name}`, { title: `Queues, part ${name}` }),
      ),
    ];
    expect(ids("tombstones in queues", nodes)[0]).toBe("practice-rare");
  });

  test("one shared word of the body is no reason to tell a node", () => {
    const nodes = [
      searchable("practice-a", { title: "Retention of backups", body: "They are kept for a winter season." }),
    ];
    expect(ids("write a poem about the sea in winter and the ships that sail away", nodes)).toEqual([]);
  });

  test("N-40 a prompt without a word that says anything finds nothing", () => {
    const nodes = [searchable("practice-go", { title: "What to do next", description: "How to go on." })];
    for (const prompt of ["", "   ", "yes", "please go on", "?!", "1 2 3"])
      expect(ids(prompt, nodes), prompt).toEqual([]);
  });
});

test("what is found depends on the nodes, not on the order in which they changed", () => {
  const nodes = [
    searchable("practice-a", { title: "Savepoints of the scheduler", body: "Taken hourly." }),
    searchable("practice-b", { title: "Scheduler", description: "Runs hourly savepoints." }),
    ...CROWD,
  ];
  const plain = indexOf(nodes);
  const worn = indexOf([...nodes].reverse());
  for (const round of [1, 2, 3]) {
    for (const node of nodes) {
      const changed = { ...node, title: `Another title ${round}`, body: "schedulers savepoint" };
      worn.put({ path: `${node.id}.md`, mtimeMs: 0, ctimeMs: 0, size: 0 }, changed);
    }
    worn.put(
      { path: `gone-${round}.md`, mtimeMs: 0, ctimeMs: 0, size: 0 },
      searchable("practice-gone", { title: "Savepoints" }),
    );
    worn.remove(`gone-${round}.md`);
  }
  for (const node of nodes) worn.put({ path: `${node.id}.md`, mtimeMs: 0, ctimeMs: 0, size: 0 }, node);
  const answers = [plain, worn, worn.compacted()].map((index) =>
    rank(
      "hourly savepoint of schedulers",
      index,
      graphOf(index, () => []),
    ).map(({ node, score }) => [node.id, score]),
  );
  expect(answers[0]?.length).toBeGreaterThan(1);
  expect(answers[1]).toEqual(answers[0]);
  expect(answers[2]).toEqual(answers[0]);
});
