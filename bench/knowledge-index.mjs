// What it costs to make a base's pages anew, at 100, 1,000 and 10,000 nodes, in time of the processor: read the growth per
// node, not the times. `--quick` leaves the largest out; `--json` for programs.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ensureBuilt } from "../scripts/ensure.mjs";

ensureBuilt();
const { dist } = await import("./latency/dist.mjs");
const { nodeText } = await dist("knowledge/base/node.js");
const { rebuildIndex } = await dist("knowledge/base/rebuild.js");
const { knowledgePlaces } = await dist("knowledge/places.js");

const SIZES = process.argv.includes("--quick") ? [100, 1_000] : [100, 1_000, 10_000];
const alone = async (_, work) => work({ isHeld: () => true });

const rows = [];
for (const count of SIZES) {
  const root = mkdtempSync(join(tmpdir(), "holdfast-bench-index-"));
  try {
    const places = knowledgePlaces(root);
    for (let number = 0; number < count; number++) writeNode(places.nodesDir, number, count);
    const firstMs = await cpuMs(() => rebuildIndex(places, alone));
    rows.push({ count, firstMs, againMs: await cpuMs(() => rebuildIndex(places, alone)) });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function writeNode(nodesDir, number, count) {
  const id = `practice-n${number}`;
  const path = `area-${number % 40}/part-${number % 7}/${id}.md`;
  const node = {
    ...{ id, type: "practice", title: `Node ${number}`, description: `What number ${number} says, in a sentence.` },
    tags: [`topic-${number % 50}`, `layer-${number % 13}`, `team-${number % 7}`],
    ...{ derivedFrom: [`session:${number}`], dependsOn: [], confidence: "high", extra: {} },
    relatesTo: [`practice-n${(number * 7) % count}`, `practice-n${(number * 13) % count}`],
    body: "A paragraph of what was learned, as people write them. ".repeat(12),
  };
  mkdirSync(dirname(join(nodesDir, path)), { recursive: true });
  writeFileSync(
    join(nodesDir, path),
    nodeText(node, path, () => undefined),
  );
}

async function cpuMs(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return Math.round((user + system) / 1000);
}

if (process.argv.includes("--json")) console.log(JSON.stringify(rows, null, 2));
else
  for (const { count, firstMs, againMs } of rows)
    console.log(
      `${String(count).padStart(6)} nodes: ${firstMs} ms of the processor to write all pages, ${againMs} ms when nothing differs (${((againMs * 1000) / count).toFixed(0)} µs a node)`,
    );
