/**
 * The command line for hosts that let a call run whose hook is missing, was killed or printed nothing: the shell between
 * the two speaks up then. It has no variable by name: Gemini CLI and Qwen Code would put in the environment's.
 */
import { BLOCK_PREFIX } from "./answer-text.ts";
import { isShellCommand, shellCommand } from "./hook-command.ts";

const OTHERWISE = " || case $? in ";

/** `answers`: the exit codes besides 0 by which we answer, and which are passed on. */
export function standbyCommand(program: string, host: string, answers: readonly number[]): string {
  const passedOn = answers.map((code) => `${code}) exit ${code};;`).join(" ");
  const spokenUp = `*) echo '${BLOCK_PREFIX} its hook ended without an answer.' >&2; exit 2;;`;
  return `${shellCommand(program, host)}${OTHERWISE}${passedOn} ${spokenUp} esac`;
}

/** Whether a command line calls our hook and nothing else, with such a shell of any version or without. */
export function isStandbyCommand(command: string, program: string, host: string): boolean {
  const [call = ""] = command.split(OTHERWISE, 1);
  return isShellCommand(call, program, host);
}
