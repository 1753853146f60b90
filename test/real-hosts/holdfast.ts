import { existsSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { cleanPath, runHostProcess } from "../../src/proof/host-process.ts";
import type { Scratch } from "./scratch.ts";

/** `HOLDFAST_BIN` tests another build, such as an installed package. */
export const binary = process.env.HOLDFAST_BIN || join(import.meta.dirname, "../../bin/holdfast");

/** Runs the CLI in the scratch project, as a person would, and returns what it printed. */
export async function holdfast(scratch: Scratch, ...args: readonly string[]): Promise<string> {
  if (!existsSync(binary)) throw new Error(`${binary} is not there: build Holdfast, or set HOLDFAST_BIN.`);
  const { exitCode, timedOut, stdout, stderr } = await runHostProcess({
    command: binary,
    args,
    cwd: scratch.projectDir,
    env: { HOME: scratch.home, PATH: cleanPath, ...holdfastEnvironment(scratch) },
    timeoutMs: 30_000,
  });
  if (exitCode !== 0) {
    const ending = timedOut ? "did not finish" : `exited with ${exitCode}`;
    throw new Error(`holdfast ${args.join(" ")} ${ending}\nstdout: ${stdout}\nstderr: ${stderr}`);
  }
  return stdout;
}

/** Where Holdfast finds its user layer: the host needs it too, because hook processes inherit the host's environment. */
export function holdfastEnvironment({ configDir, stateDir }: Scratch): Record<string, string> {
  return { HOLDFAST_CONFIG_DIR: configDir, HOLDFAST_STATE_DIR: stateDir };
}

export interface ShellHook {
  readonly event: string;
  readonly matcher?: string;
  readonly timeoutSec?: number;
  /** The text of a POSIX shell script: the event on stdin, the answer on stdout. */
  readonly script: string;
}

/** Writes the user's config: user hooks need no trust, unlike those that a repository brings. */
export async function configureUserHooks(scratch: Scratch, hooks: readonly ShellHook[]): Promise<void> {
  const groups: Record<string, object[]> = {};
  for (const [index, { event, matcher, timeoutSec, script }] of hooks.entries()) {
    const file = await scratch.write(`hook scripts/${index + 1}-${event}.sh`, script);
    const timeout = timeoutSec === undefined ? {} : { timeout_sec: timeoutSec };
    const hook = { type: "command", command: `sh '${file}'`, ...timeout };
    const group = { ...(matcher ? { matcher } : {}), hooks: [hook] };
    groups[event] = [...(groups[event] ?? []), group];
  }
  await scratch.write("config/holdfast.yaml", stringify({ version: 1, hooks: { enabled: true, ...groups } }));
}
