import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { watchMemory } from "./module-memory.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const MB = 2 ** 20;
const TAKEN_MB = 300;

/** Another thread of this process, which takes memory when told to, as a hook in a worker does. */
async function withTaker(use: (take: () => Promise<void>) => Promise<void>): Promise<void> {
  const code = `const { parentPort } = require("node:worker_threads");
    const kept = [];
    parentPort.on("message", (mb) => { kept.push(Buffer.alloc(mb * ${MB}, 1)); parentPort.postMessage("taken"); });`;
  const worker = new Worker(code, { eval: true });
  const take = async () => {
    worker.postMessage(TAKEN_MB);
    await once(worker, "message");
  };
  try {
    await once(worker, "online");
    await use(take);
  } finally {
    await worker.terminate();
  }
}

it("what another thread takes is seen", async () => {
  await withTaker(async (take) => {
    const watch = watchMemory();
    await take();
    expect(watch.grownMb()).toBeGreaterThan(TAKEN_MB * 0.8);
    watch.stop();
  });
});

it("what our own thread gives back, and the system keeps for us, is nobody's growth", async () => {
  // Pieces so small that the system takes none of them back while a neighbour of theirs is in use.
  const pieces = Array.from({ length: TAKEN_MB * 16 }, () => Buffer.alloc(MB / 16, 1));
  const { external } = process.memoryUsage();
  const watch = watchMemory();
  const kept = pieces.filter((_, index) => index % 8 === 0);
  pieces.length = 0;
  while (external - process.memoryUsage().external < TAKEN_MB * 0.8 * MB) {
    collect();
    await sleep(5);
  }
  expect(watch.grownMb()).toBeLessThan(TAKEN_MB * 0.2);
  expect(kept.length).toBeGreaterThan(0);
  watch.stop();
});

it("what was taken while two were asked is shared by both, also once the first has answered", async () => {
  await withTaker(async (take) => {
    const [first, second] = [watchMemory(), watchMemory()];
    await take();
    const shared = second.grownMb();
    first.stop();
    const alone = second.grownMb();
    second.stop();
    expect(shared).toBeGreaterThan(TAKEN_MB * 0.4);
    expect(alone).toBeLessThan(TAKEN_MB * 0.6);
  });
});

it("what a hook took that is over, and gave back, is no allowance for the next", async () => {
  await withTaker(async (take) => {
    const over = watchMemory();
    await take();
    over.grownMb();
    over.stop();
  });
  await withTaker(async (take) => {
    const next = watchMemory();
    await take();
    expect(next.grownMb()).toBeGreaterThan(TAKEN_MB * 0.8);
    next.stop();
  });
});
