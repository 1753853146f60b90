/**
 * The process behind a launched job: `node worker.js <directory of jobs>`. Nobody waits for it and nobody reads what it
 * prints, so what happens to it is in the activity log.
 */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { recordActivity, reporterTo } from "../../knowledge/background/activity-log.ts";
import { messageOf } from "../../knowledge/background/private-file.ts";
import { workOffJobs } from "../../knowledge/background/worker.ts";
import { jobRunners } from "./jobs.ts";
import { projectKnowledge } from "./project-knowledge.ts";

const distDir = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

async function main(jobsDir: string): Promise<void> {
  // .holdfast/knowledge/.state/jobs
  const knowledgeDir = dirname(dirname(jobsDir));
  const logsDir = join(knowledgeDir, "_logs");
  try {
    const knowledge = await projectKnowledge(dirname(dirname(knowledgeDir)), process.env, distDir);
    const report = reporterTo(logsDir);
    await workOffJobs({ jobsDir, runners: jobRunners(knowledge, process.env, report), report });
  } catch (error) {
    recordActivity(logsDir, {
      hook: "launcher",
      phase: "failed",
      message: "the worker failed",
      error: messageOf(error),
    });
    process.exitCode = 1;
  }
}

const [jobsDir] = process.argv.slice(2);
if (jobsDir !== undefined) await main(jobsDir);
