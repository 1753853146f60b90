// What Holdfast adds to a tool call of an agent that embeds it: loops of 1,000 scripted calls, each in a process of its own
// as an agent's is. They take turns of a few calls, and what is added is the middle of the differences between turns that
// followed each other: a machine's speed may double from one second to the next. Read the differences, not the times.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { ensureBuilt, root } from "../scripts/ensure.mjs";
import { SUBJECTS } from "./embed/subjects.mjs";

const { values } = parseArgs({ options: { json: { type: "boolean" }, rounds: { type: "string", default: "5" } } });
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error(`--rounds is a number from 1 on, not "${values.rounds}"`);

ensureBuilt();

const LOOP = join(root, "bench/embed/loop.mjs");
const BASE = SUBJECTS.findIndex(({ isBase }) => isBase);

function startLoop(index) {
  const child = spawn(process.execPath, [LOOP, String(index)], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const said = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`the loop of "${SUBJECTS[index].name}" has ended`);
    return value;
  };
  return {
    ready: said,
    async turn() {
      child.stdin.write("\n");
      return JSON.parse(await said());
    },
    async end() {
      child.stdin.end();
      await new Promise((resolve) => child.once("exit", resolve));
    },
  };
}

const at = (list, share) => {
  const sorted = [...list].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
};

const times = SUBJECTS.map(() => []);
const differences = SUBJECTS.map(() => []);
for (let round = 0; round < rounds; round++) {
  const loops = SUBJECTS.map((_, index) => startLoop(index));
  for (const loop of loops) await loop.ready();
  let order = [...SUBJECTS.keys()];
  for (let isOver = false; !isOver; ) {
    const turns = [];
    for (const index of order) turns[index] = await loops[index].turn();
    for (const [index, turn] of turns.entries()) {
      times[index].push(...turn);
      if (turn.length > 0) differences[index].push(at(turn, 0.5) - at(turns[BASE], 0.5));
    }
    isOver = turns[BASE].length === 0;
    order = order.reverse();
  }
  for (const loop of loops) await loop.end();
  process.stderr.write(`  round ${round + 1} of ${rounds}\n`);
}

const rounded = (value, digits = 1) => Number(value.toFixed(digits));

const base = at(times[BASE], 0.5);
const results = SUBJECTS.map(({ name, target }, index) => {
  const [added, low, high] = [0.5, 0.25, 0.75].map((share) => rounded(at(differences[index], share)));
  return {
    name,
    calls: times[index].length,
    p50: rounded(at(times[index], 0.5)),
    p95: rounded(at(times[index], 0.95)),
    added,
    between: [low, high],
    ratio: rounded((base + added) / base, 2),
    ...(target === undefined ? {} : { target, met: added <= target }),
  };
});

if (values.json) console.log(JSON.stringify({ unit: "µs per tool call", rounds, results }, null, 2));
else {
  console.log("µs per tool call, before and after hooks and all records included; added: to a call without hooks,");
  console.log("in turns that followed each other (half of the turns lie between)\n");
  const row = (...cells) =>
    console.log(cells.map((cell, index) => (index === 0 ? cell.padEnd(48) : cell.padStart(10))).join(""));
  row("", "calls", "p50", "p95", "added", "between", "", "ratio", "target");
  for (const { name, calls, p50, p95, added, between, ratio, target, met } of results) {
    const goal = target === undefined ? "" : `${met ? "≤" : "NOT ≤"} ${target}`;
    row(name, ...[calls, p50, p95, added, ...between].map(String), `${ratio}×`, goal);
  }
}
