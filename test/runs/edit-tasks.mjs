// A process that edits tasks of a run: node edit-tasks.mjs <dir> <run> <hook> <edits as JSON>
// hook: "counts" adds one to the run's state and takes 20 ms; "hangs" never answers; "none".
import { join } from "node:path";
import { decide } from "../../dist/core/engine.js";
import { awaitFileLock, tryFileLock } from "../../dist/records/file-lock.js";
import { editTask } from "../../dist/runs/edit-task.js";
import { fileRunStore } from "../../dist/runs/files/run-store.js";
import { runPhase } from "../../dist/runs/hooks/phase.js";

const [dir, id, behaviour, edits] = process.argv.slice(2);
const JUDGES = {
  async counts({ state }) {
    await new Promise((done) => setTimeout(done, 20));
    return { opinion: { kind: "none" }, mutate: { state: { count: (state.count ?? 0) + 1 } } };
  },
  hangs: () => {
    process.stdout.write("asked\n");
    return new Promise((done) => setTimeout(done, 600_000));
  },
};
const hook = (judge) => ({
  name: behaviour,
  source: "test",
  layer: "project",
  priority: 0,
  on: ["task_transition"],
  onError: "block",
  judge,
});
const hooks = JUDGES[behaviour] ? [hook(JUDGES[behaviour])] : [];
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
const ports = {
  store: fileRunStore({
    root: join(dir, "runs"),
    repo: "shop",
    takeLock: async (path) => tryFileLock(path, {}) ?? (await awaitFileLock(path, { waitMs: 60_000 })),
  }),
  env: {},
  now: () => new Date(),
  runPhase: ({ env, ...call }) => runPhase({ ...call, engine, machine: { env }, now: () => new Date() }),
};
for (const edit of JSON.parse(edits)) await editTask(ports, id, edit);
process.stdout.write("done\n");
