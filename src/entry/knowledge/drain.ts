/** `holdfast knowledge drain`: proposals made of the sessions that wait, here and now, with what becomes of each. */
import { HoldfastError } from "../../core/errors.ts";
import { takeLock } from "../../engine/knowledge.ts";
import { reporterTo } from "../../knowledge/background/activity-log.ts";
import { type LockHolder, tryBeatingLock } from "../../knowledge/background/heartbeat-lock.ts";
import { JobStore } from "../../knowledge/background/job-store.ts";
import { changeSessionLog } from "../../knowledge/capture/log-writer.ts";
import { readSessionLog, sessionLogFiles } from "../../knowledge/capture/session-log.ts";
import { type DrainEnd, drainPending, type LogOutcome } from "../../knowledge/drain/drain.ts";
import { drainLockFile, jobsDirOf, readDrainState, writeDrainState } from "../../knowledge/drain/drain-state.ts";
import { type DrainEstimate, estimateDrain } from "../../knowledge/drain/estimate.ts";
import type { KnowledgePlaces } from "../../knowledge/places.ts";
import type { CommandCall, ExitCode } from "../cli/command.ts";
import { near, type Output } from "../cli/output.ts";
import { modelHosts } from "./model-hosts.ts";
import { openKnowledge } from "./opened.ts";

export async function run(call: CommandCall): Promise<ExitCode> {
  const { flags, output, env, cwd } = call;
  const { isEnabled, places, settings } = await openKnowledge(call);
  if (!isEnabled)
    throw new HoldfastError("HF1130", "knowledge is off in this project", { hint: "holdfast knowledge init" });
  if (flags.retry && !flags["dry-run"]) await whileNobodyDrains(places, () => tryAgain(places));
  const estimate = await estimateDrain(places, settings.drain, new Date());
  if (flags["dry-run"]) return printEstimate(estimate, output, settings.drain.enabled);
  if (!settings.drain.enabled && !flags.yes) {
    if (!output.json) printEstimate(estimate, output, false);
    throw new HoldfastError("HF1130", "the drain is off here; --yes makes these runs once");
  }
  const controller = new AbortController();
  const interrupted = () => controller.abort(new Error("interrupted"));
  process.once("SIGINT", interrupted);
  try {
    const end = await drainPending({
      ...{ places, settings: settings.drain, hosts: modelHosts({ ...env }), takeLock },
      report: reporterTo(places.logsDir),
      signal: controller.signal,
      onLog: (outcome) => output.json || output.line(outcomeLine(outcome, output, cwd)),
    });
    return printEnd(end, output);
  } finally {
    process.removeListener("SIGINT", interrupted);
  }
}

/** A drain that is at work counts its runs where this writes, too. */
async function whileNobodyDrains(places: KnowledgePlaces, work: () => Promise<void>): Promise<void> {
  const lock = tryBeatingLock(drainLockFile(places));
  if (lock.kind === "busy") throw busyWith(lock.holder);
  try {
    await work();
  } finally {
    lock.release();
  }
}

const busyWith = ({ pid, heldMs }: LockHolder) =>
  new HoldfastError("HF1132", `process ${pid ?? "?"} drains for ${Math.round(heldMs / 1000)} s already`);

/** What was given up is begun anew, and what waits for its next try is due. */
async function tryAgain(places: KnowledgePlaces): Promise<void> {
  new JobStore(jobsDirOf(places)).forgetDead();
  writeDrainState(places, { ...readDrainState(places, new Date()), failures: {} });
  for (const file of sessionLogFiles(places)) {
    const read = await readSessionLog(file);
    if ("problem" in read || read.log.front.proposal_status !== "failed") continue;
    await changeSessionLog(file, places, takeLock, (front) => ({
      ...front,
      ...(front.proposal_status === "failed" ? { proposal_status: "pending", proposal_error: null } : {}),
    }));
  }
}

function printEstimate(estimate: DrainEstimate, output: Output, enabled: boolean): ExitCode {
  if (output.json) {
    output.data({ enabled, ...estimate });
    return 0;
  }
  const { hosts, later, runsLeftToday, runsPerDay } = estimate;
  if (hosts.length === 0) output.line("no session waits for proposals");
  for (const { host, sessions, tokens } of hosts) {
    const runs = sessions === 1 ? "1 run" : `${sessions} runs`;
    output.line(`${host}: ${runs}, about ${tokens} tokens of input, on your own account with it`);
  }
  if (later > 0) output.line(`${later} more failed and wait for their next try; --retry takes them now`);
  output.line(`${runsLeftToday} of ${runsPerDay} runs are left today (UTC)`);
  return 0;
}

function outcomeLine(
  { file, host, kind, practice, map, grewMeanwhile, error }: LogOutcome,
  output: Output,
  cwd: string,
) {
  const said = {
    proposed: `${practice} of practice, ${map} of map${grewMeanwhile ? "; it has grown meanwhile and waits again" : ""}`,
    "nothing-new": "nothing new was said",
    "tried-again-later": `failed, tried again later: ${error}`,
    "given-up": `given up: ${error}`,
    "no-program": `skipped: ${error}`,
  }[kind];
  const colour = kind === "proposed" || kind === "nothing-new" ? "green" : "yellow";
  return `${output.paint(colour, kind === "proposed" ? "proposed" : kind)}  ${near(file, cwd)}  ${host}: ${said}`;
}

function printEnd(end: DrainEnd, output: Output): ExitCode {
  if (end.kind === "busy") throw busyWith(end.holder);
  const { outcomes, stopped, waiting, runsLeftToday, unreadable } = end;
  if (output.json) output.data(end);
  else {
    for (const { file, problem } of unreadable) output.note(`${output.paint("yellow", "warning")}  ${file} ${problem}`);
    if (outcomes.length === 0) output.line("no session waits for proposals");
    if (stopped) output.line(`ended early: ${stopped}`);
    if (waiting > 0) output.line(`${waiting} sessions still wait; ${runsLeftToday} runs are left today (UTC)`);
    if (outcomes.some(({ kind }) => kind === "proposed")) output.line("review them: holdfast knowledge curate");
  }
  return outcomes.every(({ kind }) => kind === "proposed" || kind === "nothing-new") && stopped === null ? 0 : 1;
}
