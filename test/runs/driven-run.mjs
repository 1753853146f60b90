// A process that makes and drives a run, or goes on with one, and kills itself before its n-th write.
//   node driven-run.mjs <dir> <kill at, 0: never> [postgres://…]
// With a database the n-th statement counts: every other one is still sent, and nobody hears its answer.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { decide } from "../../dist/core/engine.js";
import { awaitFileLock, tryFileLock } from "../../dist/records/file-lock.js";
import { commandBackend } from "../../dist/runs/backends/command.js";
import { createRun } from "../../dist/runs/create.js";
import { editTask } from "../../dist/runs/edit-task.js";
import { fileRunStore } from "../../dist/runs/files/run-store.js";
import { runPhase } from "../../dist/runs/hooks/phase.js";
import { driveRun } from "../../dist/runs/loop.js";

const [dir, killAt, url] = process.argv.slice(2);
const cwd = join(dir, "work");
mkdirSync(cwd, { recursive: true });
const points = [];

const { store, close } = url ? await storeInDatabase() : { store: storeInFiles(), close: async () => {} };

function storeInFiles() {
  return fileRunStore({
    root: join(dir, "runs"),
    repo: "shop",
    takeLock: async (path) => tryFileLock(path, {}) ?? (await awaitFileLock(path, { waitMs: 20_000 })),
    onWrite(point) {
      if (!point.startsWith("before ")) return;
      points.push(point.slice("before ".length));
      if (points.length === Number(killAt)) process.kill(process.pid, "SIGKILL");
    },
  });
}

async function storeInDatabase() {
  const { postgresRuns } = await import("../../dist/stores/postgres/runs/open.js");
  const { default: pg } = await import("pg");
  const leaseTimes = { renewMs: 5_000, silentMs: 60_000 };
  const runs = await postgresRuns({ url, directory: join(dir, "runs"), leaseTimes });
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function counted(statement, ...more) {
    points.push(
      String(statement.text ?? statement)
        .trim()
        .slice(0, 60),
    );
    const isHit = points.length === Number(killAt);
    if (isHit && points.length % 2 === 0) process.kill(process.pid, "SIGKILL");
    const asked = query.call(this, statement, ...more);
    if (isHit) process.kill(process.pid, "SIGKILL");
    return asked;
  };
  return runs;
}

const file = (name, text) => {
  writeFileSync(join(cwd, name), text);
  return name;
};
const hook = (on, judge) => ({
  name: `on-${on}`,
  source: "test",
  layer: "project",
  priority: 0,
  on: [on],
  onError: "block",
  judge: async (event) => ({ opinion: { kind: "none" }, ...judge(event) }),
});
const count = (state, key) => ({ [key]: (state[key] ?? 0) + 1 });
const hooks = [
  hook("prepare", () => ({
    mutate: { state: { prepared: 1 }, attachments: { add: [{ sourcePath: file("plan.md", "plan") }] } },
  })),
  hook("before_attempt", ({ state, attempt, attachments }) => ({
    mutate: {
      state: count(state, "before"),
      attachments: attachments.some(({ name }) => name === "before.txt")
        ? {
            replace: attachments
              .filter(({ name }) => name === "before.txt")
              .map(({ id }) => ({
                attachmentId: id,
                sourcePath: file("before.txt", `before ${attempt ?? state.before}`),
              })),
          }
        : { add: [{ sourcePath: file("before.txt", "first") }] },
    },
  })),
  hook("after_attempt", ({ state }) => ({
    mutate: { state: count(state, "after"), note: `after ${(state.after ?? 0) + 1}` },
  })),
  hook("task_transition", ({ state }) => ({ mutate: { state: count(state, "edits") } })),
  hook("after_exit", ({ state, attachments }) => ({
    mutate: {
      state: count(state, "exits"),
      attachments: {
        remove: attachments.filter(({ name }) => name === "plan.md").map(({ id }) => id),
        add: [{ sourcePath: file("report.txt", "report") }],
      },
    },
  })),
];

const engine = {
  open: async () => ({
    hooks,
    decide: (event, asked, signal) =>
      decide(event, [asked], {
        tools: {},
        clock: () => performance.now(),
        signal,
        context: { maxCharacters: 1000, told: () => false },
        maxContinuations: 1,
      }),
    record: async () => {},
    close: async () => {},
  }),
};

// The work: a real process that says which tasks it is done with; what it says is done as `holdfast task` would.
const WORK = [["set one completed"], ["set two in_progress"], ["set two completed", "set three completed"]];
const program = `
  const { existsSync } = require("node:fs");
  if (existsSync(${JSON.stringify(join(dir, "hang"))})) setInterval(() => {}, 1000);
  const lines = ${JSON.stringify(WORK)}[Number(process.env.HOLDFAST_ATTEMPT) - 1] ?? [];
  process.stdin.resume().on("end", () => { for (const line of lines) console.log(line); });
`;
const backend = {
  ...commandBackend,
  async invoke(invocation) {
    let edits = Promise.resolve();
    const result = await commandBackend.invoke({
      ...invocation,
      onProgress(line) {
        const [word, task, status] = line.split(" ");
        if (word === "set")
          edits = edits.then(() => editTask(ports, invocation.env.HOLDFAST_RUN_ID, { kind: "set", task, status }));
      },
    });
    await edits;
    return result;
  },
};

const ports = {
  store,
  env: { PATH: process.env.PATH },
  places: { configDir: dir, stateDir: dir },
  now: () => new Date(),
  repoOf: async () => "shop",
  freeze: async () => [],
  backendOf: async () => backend,
  runPhase: ({ env, ...call }) => runPhase({ ...call, engine, machine: { env }, now: () => new Date() }),
};

const task = (id) => ({ id, title: `do ${id}`, body: "", hooks: [] });
const wanted = {
  agent: {
    name: "worker",
    file: "agent.md",
    backend: "command",
    model: null,
    effort: null,
    launcher: null,
    executionEnvironment: null,
    backendConfig: { command: [process.execPath, "-e", program] },
    backendArgs: {},
    timeoutSec: 60,
    unrestricted: true,
    lockedFields: [],
    body: "Work.",
  },
  assignment: {
    name: "crash",
    file: "assignment.md",
    directory: ".",
    cwd: null,
    message: null,
    schedule: null,
    maxRetries: 2,
    callerInstructions: null,
    vars: {},
    hooks: {},
    tasks: [task("one"), task("two"), task("three")],
    lockedFields: [],
    onHookDrift: "refuse",
    body: "",
  },
  callerCwd: cwd,
  cliVars: {},
  webVars: {},
  overrides: {},
  isStarted: true,
};

const [known] = await store.list({});
const { id } = known ?? (await createRun(ports, wanted));
const { run, exitCode, reason } = await driveRun(ports, id);
process.stdout.write(JSON.stringify({ id: run.id, exitCode, reason, points }));
await close();
