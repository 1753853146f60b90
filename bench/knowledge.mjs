// What knowledge costs a prompt, at 100, 1,000 and 10,000 nodes: every base in one run, taking turns, so that whatever
// else the machine does hits them all alike. Read the ratios, not the times. `--quick` tries it out; `--check` fails where
// a target does not hold; `--json` for programs.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { performance } from "node:perf_hooks";
import { ensureBuilt, root } from "../scripts/ensure.mjs";

ensureBuilt();
const { dist } = await import("./latency/dist.mjs");
const { buildTools } = await import("./latency/native-tools.mjs");
const { client, HOOK, program, withScratch } = await import("./latency/scratch.mjs");
const { spawnTimes, takeTurns } = await import("./latency/spawner.mjs");
const { nodeText } = await dist("knowledge/base/node.js");
const { knowledgePlaces } = await dist("knowledge/places.js");
const { ALL, KeptIndex, searchIndexFile } = await dist("knowledge/retrieval/kept-index.js");
const { rank } = await dist("knowledge/retrieval/ranking.js");

const quick = process.argv.includes("--quick");
const SIZES = [100, 1_000, 10_000];
const ROUNDS = quick ? 20 : 400;
const COLD_ROUNDS = quick ? 3 : 20;
/** What part 4 allows a warm call: of what an empty process takes, and at its slowest of what starting Node takes. */
const MOST_OF_EMPTY = 5;
const MOST_OF_NODE = 1 / 5;
const MOST_GROWTH = 2;

const PROMPTS = [
  "Why did the canary rollout abort, and how do I get back to the previous release?",
  "webhok signature never matches for the payment provider",
  "数据库迁移的时候需要停机吗？",
  "please rename this variable and run the tests again",
];

/** The labelled set's nodes, over and over; every copy has some words of its own, as nodes of a larger base have. */
function nodesOf(count) {
  const folder = join(root, "test/knowledge/retrieval-set/nodes");
  // What the prompts are about is in the smallest base, too.
  const first = ["platform.txt", "chinese.txt", "shop.txt"];
  const names = [...first, ...readdirSync(folder).filter((name) => !first.includes(name))];
  const texts = names.flatMap((name) => readFileSync(join(folder, name), "utf8").trim().split(/\n\n+/));
  return Array.from({ length: count }, (_, at) => {
    const [head, description, ...rest] = texts[at % texts.length].split("\n");
    const [id, title, tags] = head.slice(2).split(" | ");
    const copy = Math.floor(at / texts.length);
    const own = copy === 0 ? "" : ` ${wordOf(at * 7)} ${wordOf(at * 13 + 5)} ${wordOf(copy)}`;
    return {
      id: copy === 0 ? id : `${id}-${copy}`,
      type: "practice",
      title: title + own,
      description: description + own,
      tags: tags.split(", "),
      body: `${rest.filter((line) => !line.startsWith("> ")).join("\n")}${own}`,
      relatesTo: rest.filter((line) => line.startsWith("> ")).flatMap((line) => line.slice(2).split(", ")),
      dependsOn: [],
      derivedFrom: [],
      confidence: "high",
      extra: {},
      path: `area-${at % 40}/topic-${at % 800}/${id}-${copy}.md`,
    };
  });
}

function wordOf(number) {
  const syllables = ["ba", "ko", "ri", "ten", "mu", "sal", "vo", "pe", "dun", "li"];
  return [...String(number % 100_000)].map((digit) => syllables[digit]).join("");
}

function writeBase(projectDir, count) {
  writeFileSync(join(projectDir, "holdfast.yaml"), "knowledge: { enabled: true }\n");
  const places = knowledgePlaces(projectDir);
  for (const { path, ...node } of nodesOf(count)) {
    const file = join(places.nodesDir, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(
      file,
      nodeText(node, path, () => undefined),
    );
  }
  return places;
}

const quantile = (times, share) =>
  [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))];
const rounded = (ms) => Number(ms.toFixed(ms < 1 ? 3 : 2));
const summary = (times) => ({ p50: rounded(quantile(times, 0.5)), p95: rounded(quantile(times, 0.95)) });

async function timed(work) {
  const startedAt = performance.now();
  const value = await work();
  return { ms: performance.now() - startedAt, value };
}

async function measure(scratch) {
  const bases = SIZES.map((size) => {
    const projectDir = scratch.project(`base-${size}`);
    return { name: `${size} nodes`, size, projectDir, places: writeBase(projectDir, size) };
  });
  const without = { name: "knowledge off", size: 0, projectDir: scratch.project("off") };

  const rebuilds = [];
  for (const { name, places } of bases) {
    const index = new KeptIndex(places);
    const first = await timed(() => index.fresh(ALL));
    const loading = new KeptIndex(places);
    const loaded = await timed(() => loading.fresh(ALL));
    rebuilds.push({
      name,
      fromNodesMs: rounded(first.ms),
      fromFileMs: rounded(loaded.ms),
      bytes: readFileSync(searchIndexFile(places)).length,
    });
    index.close();
    loading.close();
  }

  const inProcess = bases.map(({ name, places }) => ({ name, index: new KeptIndex(places), times: [] }));
  for (const { index } of inProcess) for (let at = 0; at < 20; at++) await ask(index, PROMPTS[at % PROMPTS.length]);
  for (let round = 0; round < ROUNDS; round++)
    for (const { index, times } of inProcess)
      times.push((await timed(() => ask(index, PROMPTS[round % PROMPTS.length]))).ms);
  for (const { index } of inProcess) index.close();

  await scratch.startDaemon(without.projectDir);
  const warm = warmCases(scratch, buildTools(scratch.dir), [without, ...bases]);

  const cold = [without, ...bases].map((base) => ({ ...base, times: [] }));
  for (let round = 0; round < COLD_ROUNDS; round++)
    for (const base of cold) base.times.push(call(program, scratch, base, round, { HOLDFAST_DAEMON: "off" }));

  for (const { places } of bases) rmSync(searchIndexFile(places));
  return {
    rebuilds,
    inProcess: inProcess.map(({ name, times }) => ({ name, ...summary(times) })),
    warm,
    cold: cold.map(({ name, times }) => ({ name, ...summary(times) })),
  };
}

/** Timed from C: starting processes from Node would measure Node's spawn too. */
function warmCases(scratch, tools, bases) {
  const prompt = PROMPTS[0];
  const payload = ({ size, projectDir }, session) =>
    scratch.write(
      `payloads/${size}-${session}.json`,
      JSON.stringify({ session_id: session, cwd: projectDir, hook_event_name: "UserPromptSubmit", prompt }),
    );
  const called = (base, session, text) => ({
    ...{ name: base.name, command: [client, ...HOOK], cwd: base.projectDir },
    ...{ input: payload(base, session), text },
  });
  for (const base of bases.filter(({ size }) => size > 0))
    spawnTimes(tools, scratch, called(base, "first", "practice-canary-rollouts"), 1);
  const cwd = bases[0].projectDir;
  const cases = [
    { name: "empty C process", command: [tools.empty], input: "/dev/null", cwd },
    { name: "node -e 0", command: [process.execPath, "-e", "0"], input: "/dev/null", cwd },
    // What a session was told it is not told again; that it would be told is found out each time.
    ...bases.map((base) => called(base, "later", "*")),
  ];
  for (const one of cases) spawnTimes(tools, scratch, one, 20);
  const taken = takeTurns(tools, scratch, cases, { rounds: ROUNDS, turn: 10 });
  return cases.map((one) => ({ name: one.name, ...summary(taken.get(one).times) }));
}

async function ask(kept, prompt) {
  const { index, graph } = await kept.fresh();
  return rank(prompt, index, graph);
}

let calls = 0;

/** Milliseconds from the start of the process to its end. Each has a session of its own: what was told is not told again. */
function call(command, scratch, { projectDir, size }, round, env = {}) {
  const prompt = PROMPTS[round % PROMPTS.length];
  const payload = { session_id: `s${calls++}`, cwd: projectDir, hook_event_name: "UserPromptSubmit", prompt };
  const startedAt = performance.now();
  const ended = spawnSync(command, HOOK, {
    cwd: projectDir,
    env: { ...scratch.env, ...env },
    input: JSON.stringify(payload),
    encoding: "utf8",
  });
  const ms = performance.now() - startedAt;
  if (ended.status !== 0) throw new Error(`the hook failed: ${ended.stderr}`);
  const isTold = ended.stdout.includes("practice-canary-rollouts");
  if (size > 0 && round % PROMPTS.length === 0 && !isTold) throw new Error(`nothing was told: ${ended.stdout}`);
  return ms;
}

const result = await withScratch(measure);
const row = (rows, name) => rows.find((one) => one.name === name);
const growth = (rows) => rounded(row(rows, "10000 nodes").p50 / row(rows, "100 nodes").p50);
const targets = [
  {
    name: `a warm hook call, 100 to 10,000 nodes: at most ${MOST_GROWTH} times`,
    value: growth(result.warm),
    most: MOST_GROWTH,
  },
  {
    name: `a warm hook call at 10,000 nodes: at most ${MOST_OF_EMPTY} empty C processes`,
    value: rounded(row(result.warm, "10000 nodes").p50 / row(result.warm, "empty C process").p50),
    most: MOST_OF_EMPTY,
  },
  {
    name: "a warm hook call at 10,000 nodes, p95: at most a fifth of starting Node",
    value: rounded(row(result.warm, "10000 nodes").p95 / row(result.warm, "node -e 0").p50),
    most: MOST_OF_NODE,
  },
];

if (process.argv.includes("--json")) console.log(JSON.stringify({ ...result, targets }, null, 2));
else {
  const table = (title, rows) => {
    console.log(`\n  ${title}`);
    for (const { name, p50, p95 } of rows)
      console.log(`    ${name.padEnd(16)} p50 ${String(p50).padStart(8)} ms   p95 ${String(p95).padStart(8)} ms`);
  };
  table("A prompt, in a process that is asked again", result.inProcess);
  table("The hook, warm: client to daemon and back", result.warm);
  table("The hook, no daemon: a process for each prompt", result.cold);
  console.log("\n  The index");
  for (const { name, fromNodesMs, fromFileMs, bytes } of result.rebuilds)
    console.log(
      `    ${name.padEnd(16)} made of the nodes ${fromNodesMs} ms, taken from its file ${fromFileMs} ms, ${Math.round(bytes / 1024)} KiB`,
    );
  console.log();
  for (const { name, value, most } of targets)
    console.log(`  ${value <= most ? "holds" : "FAILS"}  ${name} (${value})`);
}
if (process.argv.includes("--check") && targets.some(({ value, most }) => value > most)) process.exitCode = 1;
