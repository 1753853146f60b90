// One drain of a project, as the worker makes it, with a model that answers at once.
//   node drain-driver.mjs <project> <answer>
import { takeLock } from "../../dist/engine/knowledge.js";
import { reporterTo } from "../../dist/knowledge/background/activity-log.js";
import { JobStore } from "../../dist/knowledge/background/job-store.js";
import { workOffJobs } from "../../dist/knowledge/background/worker.js";
import { drainPending } from "../../dist/knowledge/drain/drain.js";
import { jobsDirOf } from "../../dist/knowledge/drain/drain-state.js";
import { knowledgePlaces } from "../../dist/knowledge/places.js";
import { knowledgeSettings } from "../../dist/knowledge/settings.js";

const [project, answer] = process.argv.slice(2);
const places = knowledgePlaces(project);
const report = reporterTo(places.logsDir);
const host = { id: "codex", title: "Codex", ask: async () => answer };
const jobsDir = jobsDirOf(places);
const store = new JobStore(jobsDir);
if (store.list().length === 0) store.add("drain", { root: project }, new Date());
// What a killed worker left is due at once: the pause between tries is another test's.
for (const { job } of store.list()) store.recover(new Date(Date.parse(job.created_at) + 10 ** 9));
const far = new Date(Date.now() + 10 ** 10);
const drain = async (_, signal) => {
  await drainPending({
    ...{ places, takeLock, report, signal, hosts: () => host },
    settings: { ...knowledgeSettings().drain, enabled: true, attempts: 50, runsPerDay: 1000 },
  });
  return "drained";
};
const claim = store.claimNext(["drain"], far);
if (claim) {
  await drain(claim.job, new AbortController().signal);
  claim.done();
}
await workOffJobs({ jobsDir, runners: { drain, lint: async () => "" }, report });
