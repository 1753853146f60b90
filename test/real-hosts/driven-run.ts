import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { stringify } from "yaml";
import { plantSeeds, startModelFor } from "../../src/proof/offline-run.ts";
import type { ModelScript } from "../../src/proof/script.ts";
import type { ScriptedModel } from "../../src/proof/scripted-model.ts";
import { offlineProgram } from "./guarded-host.ts";
import { binary, holdfast, holdfastEnvironment } from "./holdfast.ts";
import { type HostName, installedHost } from "./installed-host.ts";
import type { Scratch } from "./scratch.ts";

/** Flags of the offline program that belong to a run's agent, by host: the rest the backend passes itself. */
const KEPT_FLAGS: Partial<Readonly<Record<HostName, readonly string[]>>> = {
  codex: ["-c"],
  "claude-code": ["--model"],
  // Without a model it asks another one which to take.
  gemini: ["-m"],
};

export interface DrivenRun {
  readonly model: ScriptedModel;
  /** `holdfast …` in the project, as a person would, to its end; with `until`, interrupted as soon as that is so. */
  call(args: readonly string[], until?: () => boolean): Promise<Called>;
  close(): Promise<void>;
}

export interface Called {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  json(): Readonly<Record<string, unknown>>;
}

/** A project with the host's registration, an assignment of two tasks, an agent on the real program, and a model. */
export async function drivenRun(host: HostName, scratch: Scratch, script: ModelScript): Promise<DrivenRun> {
  await holdfast(scratch, "init", "--yes", "--hosts", host);
  const offline = offlineProgram(host);
  const model = await startModelFor(offline, script);
  const { command, path } = await installedHost(host);
  const place = { modelUrl: model.url, homeDir: scratch.home, projectDir: scratch.projectDir, prompt: "" };
  const { args, env, seeds } = offline.run(place);
  plantSeeds(seeds);
  await scratch.write("config/assignments/two-steps/assignment.md", assignmentText);
  const agent = { schemaVersion: 1, name: "worker", backend: host, backendConfig: { command: [...command] } };
  const extraArgs = kept(args, KEPT_FLAGS[host] ?? []);
  await scratch.write(
    "config/agents/worker/agent.md",
    `---\n${stringify({ ...agent, backendArgs: { [host]: { extraArgs } } })}---\nYou are careful.\n`,
  );
  const environment = { HOME: scratch.home, PATH: path, TERM: "dumb", ...holdfastEnvironment(scratch), ...env };
  return {
    model,
    call: (words, until) => run(words, { cwd: scratch.projectDir, env: environment as NodeJS.ProcessEnv, until }),
    close: () => model.close(),
  };
}

const assignmentText = `---
schemaVersion: 1
name: two-steps
maxRetries: 2
tasks:
  - { id: greet, title: Write the greeting, body: Put a greeting into greeting.txt. }
  - { id: check, title: Check the greeting }
---
Work on ASSIGNMENT-CANARY.
`;

/** Below the tests' own limit, so that a run that hangs is told of and not left behind. */
const LAST_RESORT_MS = 280_000;

async function run(
  args: readonly string[],
  { cwd, env, until }: { cwd: string; env: NodeJS.ProcessEnv; until: (() => boolean) | undefined },
): Promise<Called> {
  if (!existsSync(binary)) throw new Error(`${binary} is not there: build Holdfast, or set HOLDFAST_BIN.`);
  const child = spawn(process.execPath, [binary, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const closed = new Promise<number | null>((settle) => child.once("close", settle));
  const last = setTimeout(() => child.kill("SIGTERM"), LAST_RESORT_MS);
  if (until) {
    while (!until() && child.exitCode === null) await sleep(50);
    child.kill("SIGINT");
  }
  const exitCode = await closed;
  clearTimeout(last);
  return { exitCode, stdout, stderr, json: () => JSON.parse(stdout) };
}

function kept(args: readonly string[], flags: readonly string[]): string[] {
  return args.flatMap((arg, index) => (flags.includes(arg) ? [arg, args[index + 1] ?? ""] : []));
}

/** One that has ended and that nobody has taken off the table is gone. */
export const isGone = (pid: number): boolean => {
  if (!(pid > 1)) throw new Error(`${pid} is no process`);
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return true;
  }
};
