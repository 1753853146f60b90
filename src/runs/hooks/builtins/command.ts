/** `command`: any program judges. It is told everything on stdin, as JSON, and the most needed in its environment. */
import { resolve } from "node:path";
import { z } from "zod";
import { HookFailure } from "../../../core/failure.ts";
import { isJsonObject, type Json } from "../../../core/json.ts";
import { contextOf, verdictOfResult } from "../../../core/run-contract.ts";
import type { Verdict } from "../../../core/verdict.ts";
import { PHASES } from "../../run.ts";
import { type AskedBuiltin, goesOn, type RunBuiltin, type RunEvent, refuses } from "./builtin.ts";
import { type ProgramResult, runProgram } from "./program.ts";

const config = z.strictObject({
  mode: z.enum(["status", "json"]).describe("status: the exit code decides; json: stdout is the answer"),
  command: z.string().min(1).describe("a program, started without a shell"),
  args: z.array(z.string()).optional().describe("its arguments"),
  cwd: z.string().min(1).optional().describe("default: where the run works"),
});
type CommandConfig = z.infer<typeof config>;

export const command: RunBuiltin = {
  name: "command",
  doc: "asks a program: by its exit code, or by the answer it prints",
  phases: PHASES,
  config,
  timeoutSec: 600,
  codeIn: (given) => {
    const { command: program = "", args = [], cwd } = (isJsonObject(given) ? given : {}) as Partial<CommandConfig>;
    return `${[program, ...args].join(" ")}${cwd === undefined ? "" : `   in ${cwd}`}`;
  },
  async judge(asked, machine) {
    const { mode, command: program, args = [], cwd = "." } = asked.config as CommandConfig;
    const { event, signal } = asked;
    const result = await runProgram({
      command: program,
      args,
      cwd: resolve(event.run.cwd, cwd),
      env: { ...machine.env, ...environmentOf(asked) },
      stdin: JSON.stringify(contextOf(event)),
      signal,
    });
    return mode === "status" ? byStatus(result, asked, program) : byAnswer(result, asked, program);
  },
};

function byStatus({ exitCode, stderr }: ProgramResult, { phase, event }: AskedBuiltin, program: string): Verdict {
  if (exitCode === 0) return goesOn(phase);
  const reason = stderr.trim() || `${program} ended with exit code ${exitCode}`;
  return event.name === "after_exit" ? failed(program, exitCode, reason) : refuses(reason);
}

/** 0: stdout is read; 2: a refusal, as hosts have it; anything else is a failure. */
function byAnswer(
  { exitCode, stdout, stderr }: ProgramResult,
  { phase, event }: AskedBuiltin,
  program: string,
): Verdict {
  if (exitCode === 2 && event.name !== "after_exit") {
    return refuses(reasonIn(stdout) || stderr.trim() || `${program} ended with exit code 2`);
  }
  if (exitCode !== 0) return failed(program, exitCode, stderr.trim());
  if (stdout.trim() === "") return goesOn(phase);
  return verdictOfResult(parsedJson(stdout, program), event.name);
}

function failed(program: string, exitCode: number, stderr: string): never {
  throw new HookFailure("exit", `${program} ended with exit code ${exitCode}${stderr ? `: ${stderr}` : ""}`);
}

function parsedJson(stdout: string, program: string): Json {
  try {
    return JSON.parse(stdout) as Json;
  } catch (error) {
    const seen = stdout.trim().slice(0, 120);
    throw new HookFailure("invalid-answer", `${program} printed no JSON (${(error as Error).message}): ${seen}`);
  }
}

function reasonIn(stdout: string): string {
  try {
    const answer: unknown = JSON.parse(stdout);
    return isJsonObject(answer) && typeof answer.reason === "string" ? answer.reason.trim() : "";
  } catch {
    return "";
  }
}

function environmentOf({ event, phase }: Pick<AskedBuiltin, "event" | "phase">): Readonly<Record<string, string>> {
  const { run } = event;
  return {
    HOLDFAST_EVENT: event.name,
    HOLDFAST_PHASE: phase,
    HOLDFAST_RUN_ID: run.id,
    HOLDFAST_RUN_STATUS: run.status,
    HOLDFAST_RUN_CWD: run.cwd,
    HOLDFAST_RUN_DIR: run.directory,
    ...momentOf(event),
  };
}

function momentOf(event: RunEvent): Readonly<Record<string, string>> {
  if (event.name === "prepare") return {};
  if (event.name !== "task_transition") {
    return {
      HOLDFAST_SESSION_INDEX: String(event.sessionIndex),
      HOLDFAST_ATTEMPT_INDEX: String(event.attemptIndex),
    };
  }
  return {
    HOLDFAST_TASK_ID: event.taskId,
    HOLDFAST_TASK_FROM: event.fromStatus ?? "",
    HOLDFAST_TASK_TO: event.toStatus ?? "",
    HOLDFAST_TASK_SOURCE: event.source,
  };
}
