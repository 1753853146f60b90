/** A run that nothing drives: people or other tools edit its tasks, and its status follows from them. */
import type { Run, RunStatus } from "./run.ts";

export const PASSIVE_BACKEND = "passive";

export const isPassive = (run: Pick<Run, "settings">): boolean => run.settings.backend === PASSIVE_BACKEND;

export function passiveStatus(tasks: Run["tasks"]): RunStatus {
  if (tasks.length > 0 && tasks.every(({ status }) => status === "completed")) return "success";
  const isSettled = tasks.length > 0 && tasks.every(({ status }) => status === "completed" || status === "blocked");
  return isSettled ? "blocked" : "initialized";
}

/** Of a passive run, with the status its tasks give it. */
export function withPassiveStatus(run: Run, at: string): Run {
  if (!isPassive(run) || run.status === "running") return run;
  const status = passiveStatus(run.tasks);
  if (status === run.status) return run;
  const blocked = run.tasks.filter((task) => task.status === "blocked").map(({ id }) => id);
  return {
    ...run,
    status,
    statusReason: status === "blocked" ? `blocked: ${blocked.join(", ")}` : "",
    endedAt: status === "initialized" ? null : at,
  };
}
