// What a question to a worker costs at least, whoever asks it: a sleeping thread woken through shared memory, and the JSON
// of an event written here and read there. Back to back, and in the pace of real calls, with the kind of work between two
// questions that a call does. It is what record 0050 holds against the target of part 5.
import { createHash, randomUUID } from "node:crypto";
import { mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { Worker } from "node:worker_threads";

const [QUESTION, ANSWER, BYTES] = [0, 1, 2];
const CALLS = 1_000;
const WARM_UP = 200;
const PACES_US = [0, 600];

const WORKER = `
const { workerData: { memory, reads } } = require("node:worker_threads");
const words = new Int32Array(memory, 0, 8);
const text = Buffer.from(memory, 64);
for (;;) {
  Atomics.wait(words, ${QUESTION}, 0);
  Atomics.store(words, ${QUESTION}, 0);
  if (reads) globalThis.last = JSON.parse(text.toString("utf8", 0, Atomics.load(words, ${BYTES})));
  Atomics.store(words, ${ANSWER}, 1);
  Atomics.notify(words, ${ANSWER});
}`;

const event = {
  name: "pre_tool_use",
  ...{ id: randomUUID(), at: new Date().toISOString(), host: "bench", session: randomUUID(), turn: randomUUID() },
  ...{ agent: "bench", parentAgent: null, cwd: "/home/mona/project", permissionMode: "default", model: "" },
  ...{ transcriptPath: null, user: "mona" },
  tool: { kind: "read", name: "lookup", input: { path: "file-1.txt" }, paths: ["file-1.txt"], id: "c1" },
};

const scratch = mkdtempSync(join(tmpdir(), "holdfast-bench-floor-"));
const file = join(scratch, "records");
const descriptor = openSync(file, "a");

function otherWork(microseconds) {
  const until = performance.now() + microseconds / 1000;
  while (performance.now() < until) {
    const line = JSON.stringify({ event, names: Array.from({ length: 20 }, (_, index) => `hook-${index}`) });
    writeSync(descriptor, createHash("sha256").update(line).digest("hex") + line);
    statSync(file);
    JSON.parse(line);
  }
}

function start(reads) {
  const memory = new SharedArrayBuffer(16 * 1024);
  const worker = new Worker(WORKER, { eval: true, workerData: { memory, reads } });
  const words = new Int32Array(memory, 0, 8);
  const text = Buffer.from(memory, 64);
  const ask = () => {
    if (reads) Atomics.store(words, BYTES, text.write(JSON.stringify({ type: "judge", id: 1, now: 0, event })));
    Atomics.store(words, ANSWER, 0);
    Atomics.store(words, QUESTION, 1);
    Atomics.notify(words, QUESTION);
    Atomics.wait(words, ANSWER, 0);
  };
  return { worker, ask };
}

const at = (sorted, share) => sorted[Math.floor(sorted.length * share)].toFixed(1).padStart(8);

console.log(
  `µs per question, ${CALLS} each\n\n${"".padEnd(52)}${["p10", "p50", "p95"].map((name) => name.padStart(8)).join("")}`,
);
try {
  for (const reads of [false, true]) {
    const { worker, ask } = start(reads);
    ask();
    for (const pace of PACES_US) {
      const times = [];
      for (let call = 0; call < WARM_UP + CALLS; call++) {
        otherWork(pace);
        const startedAt = performance.now();
        ask();
        if (call >= WARM_UP) times.push((performance.now() - startedAt) * 1000);
      }
      times.sort((a, b) => a - b);
      const name = `${reads ? "woken up, JSON written and read" : "woken up"}, ${pace} µs after the last`;
      console.log(`${name.padEnd(52)}${at(times, 0.1)}${at(times, 0.5)}${at(times, 0.95)}`);
    }
    await worker.terminate();
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
