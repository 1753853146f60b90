/** The workflow of the project a process stands in, wired to the lock and the clock. */
import { type Environment, placesOf, projectRoot } from "../../config/places.ts";
import { withFileLock } from "../../records/file-lock.ts";
import { openWorkflow, type Workflow } from "../../workflow/workflow.ts";

// Many agents may come at once, and each holds the lock for milliseconds.
const WAIT_MS = 30_000;

export function projectWorkflow(cwd: string, env: Environment, dryRun = false): Workflow {
  return openWorkflow({
    root: projectRoot({ cwd }, placesOf(env)),
    exclusively: (lockFile, work) => withFileLock(lockFile, { waitMs: WAIT_MS, createDirectory: true }, work),
    now: () => new Date(),
    dryRun,
  });
}
