import { spawn, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { newNode, type ScratchBase, scratchBase } from "../../src/knowledge/base/base.fixture.ts";
import { addNode } from "../../src/knowledge/base/change-nodes.ts";
import { pruneLogs } from "../../src/knowledge/base/prune.ts";
import { isIndexStale } from "../../src/knowledge/base/rebuild.ts";
import { readTree } from "../../src/knowledge/base/tree.ts";

const WRITER = join(import.meta.dirname, "../../src/knowledge/base/fixtures/add-nodes.mjs");
const KILLS = 25;

let base: ScratchBase;
beforeEach(async () => {
  base = scratchBase();
});
afterEach(() => base.remove());

/** How long a whole run takes here; kills are spread over it. */
async function run(number: number, killAfterMs?: number): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [WRITER, base.root, String(number)], { stdio: "ignore" });
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  await new Promise((done) => child.once("exit", done));
  clearTimeout(timer);
  return performance.now() - startedAt;
}

it("A13-15 killed at any moment, a writer leaves whole nodes, and the next one goes on", {
  timeout: 240_000,
}, async () => {
  const wholeMs = await run(0);
  for (let kill = 1; kill <= KILLS; kill++) {
    await run(kill, wholeMs * (0.3 + (0.8 * kill) / KILLS));
    const { problems } = readTree(base.places.nodesDir);
    expect(problems, `after kill ${kill}`).toEqual([]);
  }
  const { id } = await addNode(base, newNode("After all of them"));
  const { nodes } = readTree(base.places.nodesDir);
  expect(nodes.map((node) => node.id)).toContain(id);
  expect(isIndexStale(base.places)).toBe(false);
});

it("what a killed writer of the index left is deleted by prune", async () => {
  const dist = (path: string) => pathToFileURL(join(import.meta.dirname, "../../dist/knowledge/retrieval", path)).href;
  const index = join(base.places.stateDir, "index.bin");
  const script = `
    const { writeIndexFile } = await import(${JSON.stringify(dist("index-file.js"))});
    const { SearchIndex } = await import(${JSON.stringify(dist("search-index.js"))});
    writeIndexFile(${JSON.stringify(index)}, SearchIndex.of({ files: [], lengths: [], words: [] }));`;
  const dying = ["--import", join(import.meta.dirname, "kill-at-write.mjs"), "--input-type=module", "-e", script];
  let leftBehind = 0;
  for (let write = 1; write <= 8; write++) {
    spawnSync(process.execPath, dying, { env: { ...process.env, KILL_AT: String(write) } });
    const left = readdirSync(base.places.dir, { recursive: true, encoding: "utf8" }).filter((n) => n.endsWith(".tmp"));
    leftBehind += left.length;
    const { deleted } = pruneLogs(base.places, 30, Date.now() + 24 * 60 * 60 * 1000);
    expect(deleted).toEqual(left.map((name) => `.holdfast/knowledge/${name}`));
  }
  expect(leftBehind).toBeGreaterThan(0);
});
