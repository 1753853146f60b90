import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newNode, nodeFile, type ScratchBase, scratchBase } from "./base.fixture.ts";
import { addNode, changed, held, type NewNode, type OpenBase, undone } from "./change-nodes.ts";
import { nodesHash } from "./nodes-hash.ts";
import { isIndexStale, rebuildIndex } from "./rebuild.ts";
import { readRedirects, resolveId } from "./redirects.ts";
import { type PlacedNode, readTree } from "./tree.ts";

let base: ScratchBase;
beforeEach(() => {
  base = scratchBase();
});
afterEach(() => base.remove());

const rebuild = () => rebuildIndex(base.places, base.exclusively);
const hash = () => nodesHash(base.places.nodesDir);
const changeNode = (of: OpenBase, id: string, change: (node: PlacedNode) => NewNode) =>
  held(of, (open) => changed(open, id, change));

describe("the tree of nodes", () => {
  it("A13-13 a file that cannot be read hides no other", () => {
    base.write("nodes/map-a.md", nodeFile("map-a"));
    base.write("nodes/map-b.md", "no node at all");
    base.write("nodes/deep/map-c.md", nodeFile("map-c"));
    const { nodes, problems } = readTree(base.places.nodesDir);
    expect(nodes.map(({ path }) => path)).toEqual(["deep/map-c.md", "map-a.md"]);
    expect(problems).toEqual([
      { file: join(base.places.nodesDir, "map-b.md"), message: expect.stringContaining("no front matter") },
    ]);
  });

  it("two files of one id are a problem of the second", () => {
    base.write("nodes/a/map-x.md", nodeFile("map-x"));
    base.write("nodes/b/map-x.md", nodeFile("map-x"));
    const { nodes, problems } = readTree(base.places.nodesDir);
    expect(nodes.map(({ path }) => path)).toEqual(["a/map-x.md"]);
    expect(problems[0]?.message).toBe("has the id map-x, which a/map-x.md has too");
  });

  it("a link is not followed: what it leads to could be anything", () => {
    const secret = join(base.root, "secret.md");
    writeFileSync(secret, nodeFile("map-secret"));
    symlinkSync(secret, join(base.places.nodesDir, "map-secret.md"));
    const { nodes, problems } = readTree(base.places.nodesDir);
    expect(nodes).toEqual([]);
    expect(problems[0]?.message).toContain("links are not followed");
  });

  it("a base that is not there has no nodes and no problems", () => {
    expect(readTree(join(base.root, "nowhere"))).toEqual({ nodes: [], folders: [], problems: [] });
  });
});

describe("the hash of all nodes", () => {
  it("N-46 of an empty tree is that of nothing", () => {
    expect(hash()).toBe("sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  });

  it("N-46 ignores times, order and generated pages, and changes with any byte or path", async () => {
    const file = base.write("nodes/map-a.md", nodeFile("map-a"));
    base.write("nodes/map-b.md", nodeFile("map-b"));
    const before = hash();
    utimesSync(file, 1, 1);
    await rebuild();
    expect(hash()).toBe(before);
    base.write("nodes/map-a.md", `${nodeFile("map-a")} `);
    const other = hash();
    expect(other).not.toBe(before);
    base.write("nodes/map-a.md", nodeFile("map-a"));
    expect(hash()).toBe(before);
    base.write("nodes/x/map-c.md", nodeFile("map-c"));
    const there = hash();
    expect(there).not.toBe(before);
  });
});

describe("what is generated", () => {
  beforeEach(() => {
    base.write(
      "nodes/build/practice-tests.md",
      nodeFile("practice-tests", { title: "Tests first", relates_to: ["map-runner"] }),
    );
    base.write(
      "nodes/build/tools/map-runner.md",
      nodeFile("map-runner", { title: "The `runner` [x](evil)", tags: ["build", "tools"] }),
    );
    base.write(
      "nodes/map-loose.md",
      nodeFile("map-loose", { relates_to: ["map-runner"], description: "a\n# b\u001b[31m <img>" }),
    );
  });

  it("N-45 is byte-identical when made again, and only what differs is written", async () => {
    const first = await rebuild();
    expect([...first.written].sort()).toEqual([
      ".holdfast/knowledge/ENTRY.md",
      ".holdfast/knowledge/GRAPH.md",
      ".holdfast/knowledge/nodes/build/index.md",
      ".holdfast/knowledge/nodes/build/tools/index.md",
      ".holdfast/knowledge/nodes/index.md",
    ]);
    const files = base.all();
    expect(await rebuild()).toMatchObject({ written: [], removed: [], nodeCount: 3 });
    expect(base.all()).toEqual(files);
  });

  it("N-45 nothing is written from a base with a node that cannot be read, and every such file is named", async () => {
    base.write("nodes/bad-1.md", "x");
    base.write("nodes/deep/bad-2.md", "y");
    await expect(rebuild()).rejects.toThrow(/bad-1\.md.*\n.*bad-2\.md/);
    expect(base.has("ENTRY.md")).toBe(false);
  });

  it("text of authors becomes no link, no heading, no markup and no code for terminals", async () => {
    await rebuild();
    const index = base.read("nodes/build/tools/index.md");
    expect(index).toContain("[The \\`runner\\` \\[x\\](evil)](map-runner.md)");
    const entry = base.read("ENTRY.md");
    expect(entry).toContain("– a # b[31m &lt;img&gt; #build".replace("[", "\\["));
    expect(entry).not.toContain("\u001b");
    expect(entry).not.toMatch(/^# b/m);
  });

  it("has the front matter and the sections of the format, in its order", async () => {
    await rebuild();
    const root = base.read("nodes/index.md");
    expect(root.startsWith("---\nokf_version: '0.1'\n---\n")).toBe(true);
    const build = base.read("nodes/build/index.md");
    expect(build.startsWith("---")).toBe(false);
    expect([...build.matchAll(/^## .*$/gm)].map(String)).toEqual([
      "## Subfolders",
      "## Conventions (how we build)",
      "## By topic",
    ]);
    expect(build).toContain("[Up](../index.md)");
    expect(base.read("ENTRY.md")).toContain(`nodes_hash: ${hash()}`);
    expect([...base.read("GRAPH.md").matchAll(/^## (.*)$/gm)].map(([, id]) => id)).toEqual([
      "map-loose",
      "map-runner",
      "practice-tests",
    ]);
  });

  it("N-33 the entry does not grow when nodes are added deep in the tree", async () => {
    await rebuild();
    const lines = () => base.read("ENTRY.md").split("\n").length;
    const before = lines();
    for (let n = 0; n < 20; n++) base.write(`nodes/build/tools/map-x${n}.md`, nodeFile(`map-x${n}`));
    await rebuild();
    expect(lines()).toBe(before);
  });

  it("leaves come by how many nodes relate to them, then by title", async () => {
    base.write("nodes/a/map-1.md", nodeFile("map-1", { title: "zeta" }));
    base.write("nodes/a/map-2.md", nodeFile("map-2", { title: "alpha" }));
    base.write("nodes/a/map-3.md", nodeFile("map-3", { title: "beta", relates_to: ["map-1"] }));
    await rebuild();
    const links = [...base.read("nodes/a/index.md").matchAll(/^- \[(\w+)\]/gm)].map(([, title]) => title);
    expect(links).toEqual(["zeta", "alpha", "beta"]);
  });

  it("a page of a folder without nodes is taken away, a person's own index is not", async () => {
    base.write("nodes/old/deep/map-gone.md", nodeFile("map-gone"));
    await rebuild();
    base.write("nodes/mine/index.md", "my own page");
    expect(base.has("nodes/old/deep/index.md")).toBe(true);
    rmSync(join(base.places.nodesDir, "old/deep/map-gone.md"));
    expect((await rebuild()).removed).toEqual([
      ".holdfast/knowledge/nodes/old/index.md",
      ".holdfast/knowledge/nodes/old/deep/index.md",
    ]);
    expect(base.has("nodes/old")).toBe(false);
    expect(base.read("nodes/mine/index.md")).toBe("my own page");
  });

  it("a folder's summary is shown, and where there is none its name, with a warning", async () => {
    base.write(
      "FOLDER_SUMMARIES.md",
      `---\nschema_version: 1\nsummaries:\n  build: How we build\n  ../../etc: out\n---\n`,
    );
    const { warnings } = await rebuild();
    expect(base.read("ENTRY.md")).toContain("- Load [Build](nodes/build/index.md) – How we build");
    expect(warnings).toEqual([
      expect.stringContaining("not inside nodes/"),
      "build/tools has no summary; its name is shown instead",
    ]);
  });

  it("N-34 is stale as soon as a node differs, and fresh after it was made again", async () => {
    expect(isIndexStale(base.places)).toBe(true);
    await rebuild();
    expect(isIndexStale(base.places)).toBe(false);
    base.write("nodes/map-new.md", nodeFile("map-new"));
    expect(isIndexStale(base.places)).toBe(true);
  });
});

describe("changes", () => {
  it("N-48 a new node is written with its pages, never over another", async () => {
    const first = await addNode(base, newNode("Small commits"), { folder: "git" });
    const second = await addNode(base, newNode("Small commits"), { folder: "git" });
    expect([first.path, second.path]).toEqual(["git/practice-small-commits.md", "git/practice-small-commits-2.md"]);
    expect(isIndexStale(base.places)).toBe(false);
  });

  it.each(["../out", "/etc", "a/../../b", "a//b", ".git", "a\\..\\b"])(
    "N-48 a folder %j outside nodes/ is refused",
    async (folder) => {
      await expect(addNode(base, newNode("x"), { folder })).rejects.toThrow("no folder inside nodes/");
      expect(readTree(base.places.nodesDir).nodes).toEqual([]);
    },
  );

  it("N-48 what is wrong with a node is found before anything is written", async () => {
    await expect(addNode(base, newNode("x", { body: " " }))).rejects.toThrow("no body");
    await expect(addNode(base, newNode("x", { relatesTo: ["map-none"] }))).rejects.toThrow(
      "map-none, which is no node",
    );
    expect(base.all()).toEqual({});
  });

  it("a changed node keeps its id, its place and keys that are not ours", async () => {
    base.write("nodes/deep/map-a.md", nodeFile("map-a", { owner: "ann" }));
    const change = await changeNode(base, "map-a", (node) => ({ ...node, title: "Other" }));
    expect(change.path).toBe("deep/map-a.md");
    expect(base.read("nodes/deep/map-a.md")).toContain("owner: ann");
    await expect(changeNode(base, "map-a", (node) => ({ ...node, type: "practice" }))).rejects.toThrow(
      "cannot become a practice",
    );
    await expect(changeNode(base, "map-b", (node) => node)).rejects.toThrow("there is no node map-b");
  });

  it("a change is taken back whole, but not when somebody changed the file since", async () => {
    const before = base.write("nodes/map-a.md", nodeFile("map-a"));
    const change = await changeNode(base, "map-a", (node) => ({ ...node, title: "Other" }));
    const takeBack = () => held(base, (open) => undone(open, change));
    await takeBack();
    expect(base.read("nodes/map-a.md")).toBe(nodeFile("map-a"));
    writeFileSync(before, `${nodeFile("map-a")}\nmore`);
    await expect(takeBack()).rejects.toThrow("changed since");
  });

  it("whoever lost its lock writes nothing over what others wrote since", async () => {
    base.write("nodes/map-a.md", nodeFile("map-a"));
    const change = await changeNode(base, "map-a", (node) => ({ ...node, title: "Other" }));
    const before = base.all();
    // As one does who takes the lock for stale: the file is gone, and the holder knows nothing of it.
    const robbed: ScratchBase["exclusively"] = (lockFile, work) =>
      base.exclusively(lockFile, (lock) => {
        rmSync(lockFile);
        return work(lock);
      });
    const slow = { ...base, exclusively: robbed };
    const LOST = "the lock on the knowledge base was lost";
    await expect(addNode(slow, newNode("Late"))).rejects.toThrow(LOST);
    await expect(changeNode(slow, "map-a", (node) => ({ ...node, title: "Late" }))).rejects.toThrow(LOST);
    await expect(held(slow, (open) => undone(open, { ...change, before: undefined }))).rejects.toThrow(LOST);
    base.write("nodes/map-b.md", nodeFile("map-b"));
    await expect(rebuildIndex(base.places, robbed)).rejects.toThrow(LOST);
    rmSync(join(base.places.nodesDir, "map-b.md"));
    expect(base.all()).toEqual(before);
  });

  it("a broken node elsewhere is told, and the change stands", async () => {
    base.write("nodes/bad.md", "x");
    expect((await addNode(base, newNode("Good"))).index).toEqual({ problem: expect.stringContaining("bad.md") });
    expect(base.has("nodes/practice-good.md")).toBe(true);
  });

  it("A13-15 processes that add at once lose no node and mix no bytes", async () => {
    const script = join(import.meta.dirname, "fixtures/add-nodes.mjs");
    await Promise.all(
      Array.from({ length: 6 }, (_, n) => exit(spawn(process.execPath, [script, base.root, String(n)]))),
    );
    const { nodes, problems } = readTree(base.places.nodesDir);
    expect(problems).toEqual([]);
    expect(nodes).toHaveLength(18);
    expect(isIndexStale(base.places)).toBe(false);
    expect(Object.keys(base.all()).filter((path) => path.includes(".tmp"))).toEqual([]);
  });

  it("a directory that cannot be written to is an error, and nothing is half there", async () => {
    mkdirSync(join(base.places.nodesDir, "locked"));
    writeFileSync(join(base.places.nodesDir, "locked", "file"), "");
    await expect(addNode(base, newNode("x"), { folder: "locked/file" })).rejects.toThrow();
    expect(readTree(base.places.nodesDir).nodes).toEqual([]);
  });
});

const exit = (child: ReturnType<typeof spawn>) =>
  new Promise<void>((done, fail) => {
    let errors = "";
    child.stderr?.on("data", (chunk) => {
      errors += chunk;
    });
    child.on("exit", (code) => (code === 0 ? done() : fail(new Error(`exit ${code}: ${errors}`))));
  });

it("nothing is written through a folder that is a link, and the link is named", async () => {
  const elsewhere = mkdtempSync(join(tmpdir(), "holdfast-elsewhere-"));
  symlinkSync(elsewhere, join(base.places.nodesDir, "build"));
  await expect(addNode(base, newNode("One"), { folder: "build" })).rejects.toThrow("is a link or a file");
  expect(readdirSync(elsewhere)).toEqual([]);
  expect(readTree(base.places.nodesDir).problems).toMatchObject([{ message: expect.stringContaining("is a link") }]);
  rmSync(elsewhere, { recursive: true });
});

describe("redirects", () => {
  const live =
    (...ids: string[]) =>
    (id: string) =>
      ids.includes(id);

  it("N-47 are followed through several steps, to live nodes only, in order", () => {
    const steps = { "map-old": ["map-b", "map-mid"], "map-mid": ["map-a", "map-dead"] };
    base.write("nodes/.redirects.json", JSON.stringify(steps));
    const redirects = readRedirects(base.places.redirectsFile);
    expect(resolveId("map-old", live("map-a", "map-b"), redirects)).toEqual(["map-a", "map-b"]);
    expect(resolveId("map-a", live("map-a"), redirects)).toEqual(["map-a"]);
  });

  it("N-47 a circle ends", () => {
    base.write("nodes/.redirects.json", JSON.stringify({ "map-a": ["map-b"], "map-b": ["map-a"] }));
    expect(resolveId("map-a", live(), readRedirects(base.places.redirectsFile))).toEqual([]);
  });

  it("N-47 a damaged file counts as empty and says so; a missing one is simply empty", () => {
    expect(readRedirects(base.places.redirectsFile)).toEqual({ targets: new Map() });
    base.write("nodes/.redirects.json", "{");
    expect(readRedirects(base.places.redirectsFile)).toMatchObject({
      targets: new Map(),
      problem: expect.stringContaining("not valid JSON"),
    });
  });
});
