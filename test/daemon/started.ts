/** A daemon that serves a test's machine, and calls to it. */
import { existsSync } from "node:fs";
import { expect, onTestFinished } from "vitest";
import { placesOf } from "../../src/config/places.ts";
import { buildId, socketFile } from "../../src/entry/daemon/socket-place.ts";
import { claudeShell } from "../payloads.ts";
import { distDir, type Environment, type Machine, type Started } from "../program.ts";
import { call, type Said } from "./client.ts";

export const hasClient = buildId(distDir) !== undefined;

export const socketOf = (machine: Machine) => socketFile(buildId(distDir) ?? "", placesOf(machine.env));

export async function startDaemon(machine: Machine, env: Environment = {}): Promise<Started> {
  const started = machine.start(["daemon", "serve"], { env });
  onTestFinished(() => void started.child.kill("SIGKILL"));
  await expect.poll(() => existsSync(socketOf(machine))).toBe(true);
  return started;
}

export interface Asked {
  readonly env?: Environment;
  readonly cwd?: string;
  /** Instead of a shell call with the command. */
  readonly payload?: object | string;
}

/** A shell call of Claude Code; undefined: the daemon left it to the client. */
export const ask = (
  machine: Machine,
  command: string,
  { env = {}, cwd = machine.projectDir, payload }: Asked = {},
): Promise<Said | undefined> =>
  call(socketOf(machine), {
    argv: ["hook", "--host", "claude-code"],
    env: { ...machine.env, ...env },
    cwd,
    payload: payload ?? claudeShell(machine, command, { cwd }),
  });
