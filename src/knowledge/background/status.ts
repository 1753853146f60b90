/** What goes on in the background, for whoever asks. */

import { type DrainFailure, drainLockFile, jobsDirOf, readDrainState } from "../drain/drain-state.ts";
import type { KnowledgePlaces } from "../places.ts";
import { type Activity, recentActivity } from "./activity-log.ts";
import { type LockHolder, lockHolder } from "./heartbeat-lock.ts";
import { JobStore, type StoredJob } from "./job-store.ts";

export interface BackgroundStatus {
  readonly jobs: readonly StoredJob[];
  /** Files among the jobs that are none. */
  readonly unreadableJobs: readonly string[];
  /** Who drains now. */
  readonly drain: LockHolder | null;
  readonly lastDrainAt: string | null;
  readonly runsToday: number;
  /** By session: failed, and tried again. */
  readonly failures: Readonly<Record<string, DrainFailure>>;
  /** The newest first. */
  readonly recent: readonly Activity[];
}

const RECENT = 10;

export function backgroundStatus(places: KnowledgePlaces, now: Date, recent = RECENT): BackgroundStatus {
  const store = new JobStore(jobsDirOf(places));
  const { runs, failures, finished_at } = readDrainState(places, now);
  return {
    jobs: store.list(),
    unreadableJobs: store.unreadable(),
    drain: lockHolder(drainLockFile(places)) ?? null,
    lastDrainAt: finished_at,
    runsToday: runs,
    failures,
    recent: recentActivity(places.logsDir, recent),
  };
}

/** As lines that a person reads; none where nothing ever happened. */
export function backgroundLines({
  jobs,
  unreadableJobs,
  drain,
  lastDrainAt,
  runsToday,
  failures,
  recent,
}: BackgroundStatus): string[] {
  const count = Object.keys(failures).length;
  return [
    ...(drain ? [`a drain is at work: process ${drain.pid ?? "?"}, for ${Math.round(drain.heldMs / 1000)} s`] : []),
    ...(lastDrainAt ? [`last drain ${lastDrainAt}, ${runsToday} runs today (UTC)`] : []),
    ...(count > 0 ? [`${count} sessions failed and are tried again`] : []),
    ...jobs.map(({ state, job }) => {
      const when = job.not_before ? `, not before ${job.not_before}` : "";
      return `${job.kind} ${state === "dead" ? "given up" : state}, try ${job.tries}${when}${job.last_error ? `: ${job.last_error}` : ""}`;
    }),
    ...unreadableJobs.map((name) => `${name} is no job that can be read`),
    ...recent.map(
      ({ ts, hook, phase, message, error }) =>
        `${ts}  ${hook} ${phase}: ${[message, error].filter(Boolean).join(": ")}`,
    ),
  ];
}
