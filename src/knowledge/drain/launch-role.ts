/** A role that goes on after its hook has answered. */
import { join } from "node:path";
import type { AgentEvent } from "../../core/event.ts";
import { HookFailure } from "../../core/failure.ts";
import { NO_OPINION, type Verdict } from "../../core/verdict.ts";
import { reporterTo } from "../background/activity-log.ts";
import type { JobKind } from "../background/job-store.ts";
import { launchInBackground } from "../background/launch.ts";
import { knowledgePlaces } from "../places.ts";
import type { RoleSetting } from "../role.ts";
import { jobsDirOf } from "./drain-state.ts";

export function launchRole(kind: JobKind, event: AgentEvent, setting: RoleSetting, now: Date): Verdict {
  const places = knowledgePlaces(setting.root);
  const launched = launchInBackground({
    kind,
    payload: { root: setting.root, cwd: event.cwd, host: event.host, session: event.session },
    jobsDir: jobsDirOf(places),
    rootDir: setting.root,
    worker: [process.execPath, join(setting.distDir, "entry", "knowledge", "worker.js")],
    env: { ...setting.env },
    now,
    report: reporterTo(places.logsDir),
  });
  if (launched.kind === "no-process") {
    throw new HookFailure("crash", `${launched.problem}; ${kind} waits for the next session`);
  }
  return NO_OPINION;
}
