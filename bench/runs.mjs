// What the run loop adds: per attempt and per task edit against the bare thing, with 0, 5 and 20 hooks, all in one run and
// taking turns; the event log at 100 and at 100,000 records; eight processes on one run; a list of 10,000 runs.
// Read the differences and ratios, not the times.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { ensureBuilt, root } from "../scripts/ensure.mjs";

const [word, ...words] = process.argv.slice(2);
if (word !== "edit") ensureBuilt();
const load = (file) => import(join(root, "dist", file));
const { openRuns } = await load("entry/run/ports.js");
const { createRun } = await load("runs/create.js");
const { driveRun } = await load("runs/loop.js");
const { editTask } = await load("runs/edit-task.js");

const HOOKS = [0, 5, 20];
const quick = process.argv.includes("--quick");
const isJson = process.argv.includes("--json");
const ROUNDS = quick ? 2 : 6;
const EDITS = quick ? 10 : 40;
const EDITORS = 8;
const EDITS_EACH = quick ? 3 : 10;
const RUNS = quick ? 1_000 : 10_000;
const RECORDS = quick ? 10_000 : 100_000;

const open = (dir) =>
  openRuns({
    cwd: join(dir, "work"),
    env: {
      PATH: process.env.PATH,
      HOME: dir,
      HOLDFAST_CONFIG_DIR: join(dir, "config"),
      HOLDFAST_STATE_DIR: join(dir, "state"),
    },
    distDir: join(root, "dist"),
    onRemark: (remark) => process.stderr.write(`${remark}\n`),
  });

async function main() {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-bench-runs-"));
  for (const name of ["work", "config"]) mkdirSync(join(dir, name));
  writeFileSync(
    join(dir, "config", "noop.mjs"),
    'export default { name: "noop", beforeAttempt() {}, taskTransition() {} };\n',
  );
  const ports = open(dir);
  try {
    const figures = {};
    const sections = { attempt: attempts, edit: edits, append: appends, editors, list: listing };
    for (const [name, measure] of Object.entries(sections)) {
      figures[name] = await measure(ports, dir);
      if (isJson) continue;
      console.log(name);
      console.table(figures[name]);
    }
    if (isJson) process.stdout.write(`${JSON.stringify(figures, undefined, 2)}\n`);
  } finally {
    await ports.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** A process that does nothing, alone and as an attempt of a run. */
async function attempts(ports, dir) {
  const bare = [];
  const looped = new Map(HOOKS.map((hooks) => [hooks, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    bare.push(...(await bareAttempts(ports, dir)));
    for (const hooks of HOOKS) {
      const { id } = await createRun(ports, wanted(dir, hooks, { maxRetries: ATTEMPTS - 1 }));
      const startedAt = performance.now();
      await driveRun(ports, id);
      looped.get(hooks).push((performance.now() - startedAt) / ATTEMPTS);
    }
  }
  return against("the bare backend", bare, looped, "an attempt");
}

const ATTEMPTS = 10;

async function bareAttempts(ports, dir) {
  const backend = await ports.backendOf("command");
  const times = [];
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const startedAt = performance.now();
    await backend.invoke({
      prompt: "go",
      settings: {
        cwd: join(dir, "work"),
        backendConfig: { command: PROGRAM },
        backendArgs: [],
        model: null,
        effort: null,
      },
      session: null,
      env: { PATH: process.env.PATH },
      outputFile: join(dir, "bare.log"),
      signal: new AbortController().signal,
      timeoutMs: 10_000,
      onProgress() {},
      onSession() {},
      onProcess() {},
    });
    times.push(performance.now() - startedAt);
  }
  return times;
}

/** A synced change of the manifest alone, and an edit of a task. */
async function edits(ports, dir) {
  const bare = [];
  const edited = new Map(HOOKS.map((hooks) => [hooks, []]));
  const ids = new Map();
  for (const hooks of HOOKS) ids.set(hooks, (await createRun(ports, wanted(dir, hooks, { isStarted: false }))).id);
  for (let edit = 0; edit < EDITS; edit += 1) {
    const id = ids.get(0);
    bare.push(
      await timed(async () => {
        const run = await ports.store.read(id);
        await ports.store.change({ ...run, version: run.version + 1, name: `n${edit}` });
      }),
    );
    const status = edit % 2 === 0 ? "in_progress" : "pending";
    for (const hooks of HOOKS)
      edited.get(hooks).push(await timed(() => editTask(ports, ids.get(hooks), { kind: "set", task: "t0", status })));
  }
  return against("a bare change of the manifest", bare, edited, "an edit");
}

async function appends(ports, dir) {
  const times = new Map([100, RECORDS].map((records) => [records, []]));
  const ids = new Map();
  for (const records of times.keys()) {
    const { id } = await createRun(ports, wanted(dir, 0, { isStarted: false }));
    ids.set(records, id);
    const log = join(ports.store.directoryOf(id), "run-events.jsonl");
    const line = JSON.parse(readFileSync(log, "utf8").split("\n")[0]);
    writeFileSync(
      log,
      Array.from({ length: records }, (_, index) => `${JSON.stringify({ ...line, cursor: index + 1 })}\n`).join(""),
    );
  }
  for (let round = 0; round < EDITS * 2; round += 1) {
    for (const [records, list] of times)
      list.push(
        await timed(() => ports.store.append(ids.get(records), [{ type: "bench", source: "system", data: {} }])),
      );
  }
  const base = median(times.get(100));
  return [...times].map(([records, list]) => ({
    records,
    ms: rounded(median(list)),
    ratio: rounded(median(list) / base),
  }));
}

async function editors(ports, dir) {
  const rows = [];
  for (const hooks of [0, 1]) {
    const { id } = await createRun(ports, wanted(dir, hooks, { isStarted: false, tasks: EDITORS, source: COMMAND }));
    const startedAt = performance.now();
    await Promise.all(
      Array.from({ length: EDITORS }, (_, index) =>
        finished(
          spawn(process.execPath, [import.meta.filename, "edit", dir, id, `t${index}`, String(EDITS_EACH)], {
            stdio: "inherit",
          }),
        ),
      ),
    );
    const seconds = (performance.now() - startedAt) / 1000;
    const events = [];
    for await (const event of ports.store.events(id)) if (event.type === "task.edited") events.push(event);
    rows.push({
      processes: EDITORS,
      hooks,
      edits: events.length,
      wanted: EDITORS * EDITS_EACH,
      seconds: rounded(seconds),
      "edits/s": rounded(events.length / seconds),
    });
  }
  return rows;
}

async function editor(dir, id, task, count) {
  const ports = open(dir);
  for (let edit = 0; edit < Number(count); edit += 1) {
    await editTask(ports, id, { kind: "set", task, status: edit % 2 === 0 ? "in_progress" : "pending" });
  }
  await ports.close();
}

async function listing(ports, dir) {
  const { id } = await createRun(ports, wanted(dir, 5, { isStarted: false }));
  const stored = JSON.parse(readFileSync(join(ports.store.directoryOf(id), "run.json"), "utf8"));
  const bucket = join(dir, "state", "runs", "many");
  for (let index = 0; index < RUNS; index += 1) {
    const run = { ...stored.run, id: idOf(index), repo: "many", createdAt: new Date(index * 1000).toISOString() };
    mkdirSync(join(bucket, run.id), { recursive: true });
    writeFileSync(join(bucket, run.id, "run.json"), JSON.stringify({ ...stored, run }));
  }
  const list = (query) => timed(() => ports.store.list(query));
  const rebuilt = await list({});
  const times = { all: [], newest: [] };
  for (let round = 0; round < 7; round += 1) {
    times.all.push(await list({}));
    times.newest.push(await list({ limit: 20 }));
  }
  return [
    { what: `${RUNS} runs, index missing: every manifest is read`, ms: rounded(rebuilt) },
    { what: `${RUNS} runs by the index`, ms: rounded(median(times.all)), ratio: rounded(median(times.all) / rebuilt) },
    {
      what: "the newest 20 of them",
      ms: rounded(median(times.newest)),
      ratio: rounded(median(times.newest) / rebuilt),
    },
  ];
}

const LETTERS = "0123456789abcdefghjkmnpqrstvwxyz";
const idOf = (index) => [...Array(6).keys()].map((place) => LETTERS[Math.floor(index / 32 ** place) % 32]).join("");

const PROGRAM = ["/bin/sh", "-c", "cat >/dev/null"];

const MODULE = { source: { type: "path", value: "./noop.mjs" }, with: null };
const COMMAND = { source: { type: "builtin", value: "command" }, with: { mode: "status", command: "true" } };

function wanted(dir, hooks, { maxRetries = 0, isStarted = true, tasks = 1, source = MODULE }) {
  const entry = {
    ...source,
    when: null,
    timeoutSec: null,
    onError: null,
    may: null,
    place: { file: join(dir, "config", "assignment.md"), key: "hooks" },
  };
  const many = Array.from({ length: hooks }, () => entry);
  return {
    agent: {
      name: "bench",
      file: join(dir, "config", "agent.md"),
      backend: "command",
      model: null,
      effort: null,
      launcher: null,
      executionEnvironment: null,
      backendConfig: { command: PROGRAM },
      backendArgs: {},
      timeoutSec: 60,
      unrestricted: true,
      lockedFields: [],
      body: "Work.",
    },
    assignment: {
      name: "bench",
      file: join(dir, "config", "assignment.md"),
      directory: join(dir, "config"),
      cwd: null,
      message: null,
      schedule: null,
      maxRetries,
      callerInstructions: null,
      vars: {},
      lockedFields: [],
      onHookDrift: "refuse",
      body: "",
      hooks: { prepare: [], beforeAttempt: many, afterAttempt: [], afterExit: [], taskTransition: many },
      tasks: Array.from({ length: tasks }, (_, index) => ({ id: `t${index}`, title: "task", body: "", hooks: [] })),
    },
    callerCwd: join(dir, "work"),
    cliVars: {},
    webVars: {},
    overrides: {},
    isStarted,
  };
}

function against(what, bare, subjects, unit) {
  const base = median(bare);
  const rows = [...subjects].map(([hooks, times]) => ({
    what: `${unit} with ${hooks} hooks`,
    ms: rounded(median(times)),
    added: rounded(median(times) - base),
    ratio: rounded(median(times) / base),
  }));
  return [{ what, ms: rounded(base), added: 0, ratio: 1 }, ...rows];
}

async function timed(work) {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

const finished = (child) =>
  new Promise((done, fail) =>
    child.once("exit", (code) => (code === 0 ? done() : fail(new Error(`an editor ended with ${code}`)))),
  );
const median = (times) => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)];
const rounded = (value) => Number(value.toFixed(2));

if (word === "edit") await editor(...words);
else await main();
