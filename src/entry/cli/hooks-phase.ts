/** `holdfast hooks run --phase`: a phase of a run, asked but not stored. Hooks do run; what they do outside they do. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { HoldfastError } from "../../core/errors.ts";
import { canonicalEventName } from "../../core/event.ts";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { redactJson } from "../../core/redact.ts";
import type { AttemptResult } from "../../runs/backend.ts";
import { openStaging } from "../../runs/files/staging.ts";
import type { Moment, PhaseOutcome } from "../../runs/hooks/phase.ts";
import { EVENT_OF } from "../../runs/hooks/phase-event.ts";
import { PHASES, type Phase, type Run } from "../../runs/run.ts";
import { TASK_STATUSES } from "../../runs/task.ts";
import { transitionOf } from "../../runs/task-change.ts";
import { runFor } from "../run/access.ts";
import { type CommandCall, type ExitCode, textFlag } from "./command.ts";
import { withRuns } from "./open-runs.ts";

export const runPhaseOf = (call: CommandCall): Promise<ExitCode> =>
  withRuns(
    call,
    async (runs) => {
      const run = await runFor(runs, textFlag(call, "run"), "read");
      const moment = momentOf(phaseNamed(textFlag(call, "phase") ?? ""), run, call);
      const directory = runs.store.directoryOf(run.id);
      const staging = openStaging(directory, run.settings.cwd, runs.now);
      try {
        const request = { run, moment, directory, stage: staging.stage, env: { HOLDFAST_RUN_ID: run.id } };
        return report(await runs.runPhase({ ...request, signal: new AbortController().signal }), call);
      } finally {
        staging.close();
      }
    },
    { isRehearsal: true },
  );

function phaseNamed(name: string): Phase {
  const event = canonicalEventName(name);
  const phase = PHASES.find((known) => EVENT_OF[known] === event);
  if (phase) return phase;
  throw new HoldfastError("HF701", `there is no phase "${name}"`, { hint: `phases: ${PHASES.join(", ")}` });
}

/** Where the run is; a file given with --event says it otherwise (prompt, result). */
function momentOf(phase: Phase, run: Run, call: CommandCall): Moment {
  const given = givenIn(call);
  const prompt = typeof given.prompt === "string" ? given.prompt : run.brief;
  if (phase === "prepare") return { phase, prompt };
  if (phase === "taskTransition") return { phase, transition: transitionIn(run, call) };
  const last = run.attempts.at(-1);
  const attemptIndex = last?.indexInSession ?? 0;
  const place = {
    prompt,
    sessionIndex: last?.session ?? 0,
    attemptIndex,
    attempt: last?.number ?? 1,
    retriesRemaining: Math.max(0, run.settings.maxRetries - attemptIndex),
  };
  if (phase !== "afterAttempt") return { phase, ...place };
  return { phase, ...place, result: { ...NOTHING, ...(isJsonObject(given.result) ? given.result : {}) } };
}

const NOTHING: AttemptResult = {
  ...{ exitCode: 0, signal: null, isTimedOut: false, isAborted: false, session: null, isSessionUnknown: false },
  ...{ transcript: "", stdout: "", stderr: "" },
};

function givenIn(call: CommandCall): JsonObject {
  const file = textFlag(call, "event");
  if (file === undefined) return {};
  try {
    const value: unknown = JSON.parse(readFileSync(resolve(call.cwd, file), "utf8"));
    if (isJsonObject(value)) return value;
  } catch (error) {
    throw new HoldfastError("HF301", `cannot read ${file}: ${(error as Error).message}`);
  }
  throw new HoldfastError("HF301", `${file} is not a JSON object`);
}

function transitionIn(run: Run, call: CommandCall) {
  const task = textFlag(call, "task") ?? run.tasks[0]?.id ?? "";
  const status = TASK_STATUSES.find((known) => known === (textFlag(call, "status") ?? "completed"));
  if (!status) throw new HoldfastError("HF701", "there is no such status", { hint: TASK_STATUSES.join(", ") });
  const transition = transitionOf(run, { kind: "set", task, status }, "task-set", "");
  if (transition) return transition;
  throw new HoldfastError("HF701", `task ${task} is ${status} already: no hook would be asked`, {
    hint: "give another --status",
  });
}

function report({ end, audits, mutations, prompt }: PhaseOutcome, { output }: CommandCall): ExitCode {
  if (output.json) output.data(redactJson({ end, audits, mutations, prompt }));
  else {
    output.line(`the phase ${WORDS[end.kind]}; nothing was stored`);
    for (const { hook, outcome, summary } of audits) output.line(`  ${hook}  ${outcome}  ${summary}`.trimEnd());
    if (audits.length === 0) output.line("  no hook was asked");
    for (const mutation of mutations) output.line(`  would change  ${JSON.stringify(redactJson(mutation))}`);
    if (prompt !== null) output.line(`  prompt  ${prompt}`);
  }
  return end.kind === "block" ? 2 : end.kind === "error" ? 4 : 0;
}

const WORDS: Readonly<Record<PhaseOutcome["end"]["kind"], string>> = {
  continue: "goes on",
  reinvoke: "asks for another attempt",
  block: "is blocked",
  error: "fails",
};
