/**
 * The command line Codex calls us by. It lets a call pass when a hook crashes, is killed or is not there any more, and has
 * no setting for it; so on events that guard a shell stands around us that turns every such end into a block. Codex hands
 * the line to the person's own shell, which may be any: it holds plain words and single quotes only.
 */
import { isShellCommand, shellCommand } from "../hook-command.ts";

const HOST = "codex";

const CLOSED =
  `"$@"; code=$?; case $code in 0|2) exit $code;; esac; ` +
  `echo "Blocked by holdfast: it could not run (exit code $code). Tell the person: run holdfast init again, or holdfast uninstall." >&2; exit 2`;

export const openCommand = (program: string): string => shellCommand(program, HOST);

export const closedCommand = (program: string): string => `sh -c '${CLOSED}' holdfast ${openCommand(program)}`;

/** Whether a command line calls our hook and nothing else, in the shell of this version, of another, or without. */
export function callsUs(command: string, program: string): boolean {
  const [, inner = command] = /^sh -c '[^']*' holdfast (.*)$/s.exec(command) ?? [];
  return isShellCommand(inner, program, HOST);
}
