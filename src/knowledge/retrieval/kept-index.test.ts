import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type ScratchBase, scratchBase, searchable } from "./base-on-disk.fixture.ts";
import { readIndexFile } from "./index-file.ts";
import { KeptIndex, searchIndexFile } from "./kept-index.ts";
import { rank } from "./ranking.ts";

/** Time for one file only. */
const HURRIED = { files: 1, ms: 0 };

let base: ScratchBase | undefined;
const open: KeptIndex[] = [];

afterEach(() => {
  for (const index of open.splice(0)) index.close();
  base?.remove();
  base = undefined;
});

const many = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    searchable(`practice-n${at}`, {
      title: `Part ${at} of the machine`,
      path: `f${at % 5}/practice-n${at}.md`,
    } as never),
  );

function indexed(...nodes: Parameters<typeof scratchBase>[0] & object): { base: ScratchBase; index: KeptIndex } {
  base = scratchBase(nodes);
  return { base, index: another(base) };
}

/** As another process would have. */
function another({ places }: ScratchBase): KeptIndex {
  const index = new KeptIndex(places);
  open.push(index);
  return index;
}

async function found(prompt: string, index: KeptIndex): Promise<string[]> {
  const fresh = await index.fresh();
  return rank(prompt, fresh.index, fresh.graph).map(({ node }) => node.id);
}

/** The system tells of a change a moment after it. */
async function eventually(expected: readonly string[], ask: () => Promise<string[]>): Promise<void> {
  await expect.poll(ask).toEqual(expected);
}

const SAVEPOINTS = searchable("practice-savepoints", { title: "Savepoints of the scheduler" });

describe("an index is updated, not rebuilt", () => {
  test("a process that comes later reads only what changed", async () => {
    const { base, index } = indexed(...many(30));
    await index.fresh();
    base.put(SAVEPOINTS);
    const later = another(base);
    const fresh = await later.fresh(HURRIED);
    expect(fresh.unread).toBe(0);
    expect(await found("savepoints of the scheduler", later)).toEqual(["practice-savepoints"]);
  });

  test.each([1, 2, 3, 4])(
    "after %i prompts in one process a new, a changed and a deleted node are seen",
    async (prompts) => {
      const { base, index } = indexed(...many(8));
      for (let at = 0; at < prompts; at++) await found("savepoints", index);
      const ask = () => found("savepoints of the scheduler", index);
      base.put(SAVEPOINTS, "deep/er/practice-savepoints.md");
      await eventually(["practice-savepoints"], ask);
      base.put(searchable("practice-savepoints", { title: "Something else" }), "deep/er/practice-savepoints.md");
      await eventually([], ask);
      base.put(SAVEPOINTS, "deep/er/practice-savepoints.md");
      await eventually(["practice-savepoints"], ask);
      rmSync(join(base.places.nodesDir, "deep"), { recursive: true });
      await eventually([], ask);
      base.put(SAVEPOINTS, "deep/er/practice-savepoints.md");
      await eventually(["practice-savepoints"], ask);
      renameSync(join(base.places.nodesDir, "deep"), join(base.places.nodesDir, "deeper"));
      await eventually(["practice-savepoints"], ask);
    },
  );

  test("a change that keeps size and modification time is seen", async () => {
    const { base, index } = indexed({ ...SAVEPOINTS, title: "Savepoints" }, ...many(20));
    expect(await found("savepoints", index)).toEqual(["practice-savepoints"]);
    const file = join(base.places.nodesDir, "practice-savepoints.md");
    const { atime, mtime } = statSync(file);
    base.put({ ...SAVEPOINTS, title: "Tombstones" });
    utimesSync(file, atime, mtime);
    expect(await found("tombstones", another(base))).toEqual(["practice-savepoints"]);
  });

  test("the whole tree taken away and put back is seen", async () => {
    const { base, index } = indexed(SAVEPOINTS, ...many(4));
    for (let at = 0; at < 3; at++) await found("savepoints", index);
    const aside = join(base.root, "aside");
    renameSync(base.places.nodesDir, aside);
    await eventually([], () => found("savepoints", index));
    renameSync(aside, base.places.nodesDir);
    await eventually(["practice-savepoints"], () => found("savepoints", index));
  });
});

describe("the index's file", () => {
  test.each([
    ["cut off", (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ["empty", () => Buffer.alloc(0)],
    [
      "of another version",
      (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 4), Buffer.from([99]), bytes.subarray(5)]),
    ],
    ["changed in one bit", (bytes: Buffer) => bytes.fill((bytes.at(-9) ?? 0) ^ 1, bytes.length - 9, bytes.length - 8)],
    ["not an index", () => Buffer.from("not an index at all, but long enough to hold a header of one")],
  ])("is made anew where it is %s", async (_how, damage) => {
    const { base, index } = indexed(SAVEPOINTS, ...many(30));
    await index.fresh();
    const file = searchIndexFile(base.places);
    writeFileSync(file, damage(readFileSync(file)));
    expect(readIndexFile(file)).toBeUndefined();
    expect(await found("savepoints of the scheduler", another(base))).toEqual(["practice-savepoints"]);
    expect(readIndexFile(file)?.nodeCount).toBe(31);
  });

  test("gives the same answers with the same scores as the nodes themselves", async () => {
    const { base, index } = indexed(SAVEPOINTS, ...many(30));
    const fromNodes = await index.fresh();
    const fromFile = await another(base).fresh();
    const prompt = "savepoints and parts of the machine";
    const told = ({ index, graph }: typeof fromNodes) =>
      rank(prompt, index, graph).map(({ node, score }) => [node, score]);
    expect(told(fromNodes).length).toBeGreaterThan(0);
    expect(told(fromFile)).toEqual(told(fromNodes));
  });

  test("that cannot be written is told once, and prompts are answered all the same", async () => {
    const { base, index } = indexed(SAVEPOINTS, ...many(30));
    // A file where the folder should be: refused to everybody, root too.
    writeFileSync(base.places.stateDir, "");
    const fresh = await index.fresh();
    expect(fresh.notKept).toMatch(/EEXIST|ENOTDIR/);
    expect(rank("savepoints", fresh.index, fresh.graph)).toHaveLength(1);
    base.put(searchable("practice-more"));
    expect((await index.fresh()).notKept).toBeUndefined();
  });
});

describe("N-40 one bad file never silences the rest", () => {
  test.each([
    ["no front matter", (file: string) => writeFileSync(file, "just text")],
    ["broken YAML", (file: string) => writeFileSync(file, "---\ntitle: [\n---\n")],
    ["a schema of another time", (file: string) => writeFileSync(file, "---\nschema_version: 2\n---\n")],
    ["bytes that are no text", (file: string) => writeFileSync(file, Buffer.from([0xff, 0xfe, 0x00]))],
    ["nothing", (file: string) => writeFileSync(file, "")],
    ["a folder in its place", (file: string) => mkdirSync(file)],
    ["a link that leads nowhere", (file: string) => symlinkSync("nowhere", file)],
  ])("a node with %s", async (_what, spoil) => {
    const { base, index } = indexed(SAVEPOINTS, ...many(3));
    spoil(join(base.places.nodesDir, "practice-bad.md"));
    expect(await found("savepoints of the scheduler", index)).toEqual(["practice-savepoints"]);
  });

  test("it is told once, until it changes", async () => {
    const { base, index } = indexed(SAVEPOINTS);
    const bad = join(base.places.nodesDir, "practice-bad.md");
    writeFileSync(bad, "just text");
    expect((await index.fresh()).problems).toMatchObject([{ path: "practice-bad.md" }]);
    expect((await index.fresh()).problems).toEqual([]);
    writeFileSync(bad, "just another text");
    expect((await another(base).fresh()).problems).toMatchObject([{ path: "practice-bad.md" }]);
  });

  test.skipIf(process.getuid?.() === 0)("a file that may not be read", async () => {
    const { base, index } = indexed(SAVEPOINTS, searchable("practice-closed"));
    chmodSync(join(base.places.nodesDir, "practice-closed.md"), 0o000);
    expect(await found("savepoints", index)).toEqual(["practice-savepoints"]);
  });
});

test("a base too large for one prompt is read over several, and answers with what it has", async () => {
  const { base, index } = indexed(SAVEPOINTS, ...many(60));
  const first = await index.fresh(HURRIED);
  expect(first.unread).toBe(60);
  await index.fresh(HURRIED);
  await index.afterAnswer();
  const fresh = await index.fresh(HURRIED);
  expect(fresh.unread).toBe(0);
  expect(fresh.index.nodeCount).toBe(61);
  expect(readIndexFile(searchIndexFile(base.places))?.nodeCount).toBe(61);
});

test("two who ask at once are both answered, and each file is read once", async () => {
  const { index } = indexed(SAVEPOINTS, ...many(20));
  const answers = await Promise.all([
    found("savepoints", index),
    found("savepoints", index),
    found("savepoints", index),
  ]);
  expect(answers).toEqual([["practice-savepoints"], ["practice-savepoints"], ["practice-savepoints"]]);
});
