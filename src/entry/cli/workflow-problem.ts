/** A workflow's problem on the command line: its error, its exit code, and our commands for the tools it names. */
import { type ErrorCode, HoldfastError } from "../../core/errors.ts";
import type { Problem, ProblemCode } from "../../workflow/problem.ts";
import type { CommandCall, ExitCode } from "./command.ts";
import { describeError, printError } from "./output.ts";

const CODES: Readonly<Record<ProblemCode, readonly [ErrorCode, ExitCode]>> = {
  STATE_NOT_FOUND: ["HF801", 1],
  INVALID_TRANSITION: ["HF802", 3],
  INIT_ERROR: ["HF802", 3],
  OPEN_BLOCKERS: ["HF803", 2],
  UNKNOWN_STEP: ["HF804", 3],
  INVALID_PHASE: ["HF804", 3],
  INVALID_INPUT: ["HF804", 3],
  NO_PLANS: ["HF805", 1],
  BLOCKER_NOT_FOUND: ["HF805", 1],
  INVALID_STATE: ["HF806", 3],
  INVALID_CONFIG: ["HF806", 3],
  IO_ERROR: ["HF806", 3],
  SERIALIZE_ERROR: ["HF806", 3],
};

export function reportProblem(problem: Problem, { output, cwd }: CommandCall): ExitCode {
  const [code, exitCode] = CODES[problem.code];
  // How to start one is the fix of this error.
  const message = problem.code === "STATE_NOT_FOUND" ? "this project has no workflow state yet" : problem.message;
  const error = new HoldfastError(code, inCommands(message));
  if (output.json) output.data({ error: { ...describeError(error, cwd), problem: problem.code } });
  else printError(error, output, cwd);
  return exitCode;
}

const COMMAND_OF: Readonly<Record<string, string>> = {
  "state_transition to ": "holdfast state transition ",
  state_transition: "holdfast state transition",
  state_init: "holdfast state init",
  state_get: "holdfast state",
  state_add_blocker: "holdfast state block",
  state_resolve_blocker: "holdfast state unblock",
  state_advance_phase: "holdfast state advance",
  plans_list: "holdfast plans",
};

/** A message that names MCP tools, for somebody at a terminal. */
export const inCommands = (text: string) =>
  text
    .replace(/\bcall (?=state_|plans_)/g, "run ")
    .replace(/\b(?:state_transition to |state_[a-z_]+|plans_list)/g, (name) => COMMAND_OF[name] ?? name);
