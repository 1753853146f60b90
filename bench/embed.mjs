// What Holdfast adds to a tool call of an agent that embeds it: loops of 1,000 scripted calls, each in a process of its own
// as an agent's is, taking turns, so that whatever else the machine does hits them all alike. Read the differences, not the
// times.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureBuilt, root } from "../scripts/ensure.mjs";
import { SUBJECTS } from "./embed/subjects.mjs";

const { values } = parseArgs({ options: { json: { type: "boolean" }, rounds: { type: "string", default: "5" } } });
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error(`--rounds is a number from 1 on, not "${values.rounds}"`);

ensureBuilt();

const LOOP = join(root, "bench/embed/loop.mjs");
const loop = (index) => JSON.parse(execFileSync(process.execPath, [LOOP, String(index)], { maxBuffer: 2 ** 24 }));

const times = SUBJECTS.map(() => []);
for (let round = 0; round < rounds; round++) {
  const order = [...SUBJECTS.keys()];
  for (const index of round % 2 === 0 ? order : order.reverse()) times[index].push(...loop(index));
  process.stderr.write(`  round ${round + 1} of ${rounds}\n`);
}
for (const list of times) list.sort((a, b) => a - b);

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
const rounded = (value, digits = 1) => Number(value.toFixed(digits));

const base = at(times[SUBJECTS.findIndex(({ isBase }) => isBase)], 0.5);
const results = SUBJECTS.map(({ name, target }, index) => {
  const p50 = at(times[index], 0.5);
  return {
    name,
    calls: times[index].length,
    p50: rounded(p50),
    p95: rounded(at(times[index], 0.95)),
    added: rounded(p50 - base),
    ratio: rounded(p50 / base, 2),
    ...(target === undefined ? {} : { target, met: p50 - base <= target }),
  };
});

if (values.json) console.log(JSON.stringify({ unit: "µs per tool call", rounds, results }, null, 2));
else {
  console.log("µs per tool call, before and after hooks and all records included; added: to a call without hooks\n");
  const row = (...cells) =>
    console.log(cells.map((cell, index) => (index === 0 ? cell.padEnd(48) : cell.padStart(10))).join(""));
  row("", "calls", "p50", "p95", "added", "ratio", "target");
  for (const { name, calls, p50, p95, added, ratio, target, met } of results) {
    const goal = target === undefined ? "" : `${met ? "≤" : "NOT ≤"} ${target}`;
    row(name, String(calls), String(p50), String(p95), String(added), `${ratio}×`, goal);
  }
}
