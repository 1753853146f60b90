/** For tests: phases asked through the real engine and the real worker, with what was recorded to look at. */
import { afterAll, beforeAll } from "vitest";
import type { Decision } from "../../core/decision.ts";
import { decide } from "../../core/engine.ts";
import type { AgentEvent } from "../../core/event.ts";
import type { Hook } from "../../core/hook.ts";
import type { Verdict } from "../../core/verdict.ts";
import { type BuiltPackage, buildPackage } from "../../custom/module.fixture.ts";
import { createModuleRunner, type ModuleRunner } from "../../custom/module-host.ts";
import { injectedValues } from "../assignment/template.ts";
import type { AttemptResult } from "../backend.ts";
import type { FrozenHook, Run } from "../run.ts";
import { type Scratch, sampleRun, scratch } from "../scratch.fixture.ts";
import type { Modules, RunMachine } from "./engine.ts";
import { freezeHooks, type TemplateValue } from "./freeze.ts";
import { type Moment, type PhaseRequest, runPhase } from "./phase.ts";
import { EVENT_OF } from "./phase-event.ts";

/** The worker as in a release, for all tests of a file. */
export function realModules(): Modules {
  let built: BuiltPackage | undefined;
  let runner: ModuleRunner | undefined;
  beforeAll(async () => {
    built = await buildPackage();
    runner = createModuleRunner({ workerFile: built.workerFile, packageEntry: built.packageEntry });
  });
  afterAll(async () => {
    await runner?.close();
    built?.remove();
  });
  return {
    describe: async (file, pins) => (await runner?.describe(file, pins)) ?? [],
    async judge({ file, index, event, context, timeoutMs, pins }) {
      if (!runner) throw new Error("the worker is not there");
      return runner.judge(file, index, event, context, timeoutMs, pins);
    },
  };
}

export const machineOf = (modules: Modules, changes: Partial<RunMachine> = {}): RunMachine => ({
  env: { PATH: process.env.PATH },
  modules,
  childrenOf: async () => ({ children: [], unreadable: [] }),
  ledgerOf: () => [],
  isTestRun: (command) => command === "npm test",
  writesOf: () => [],
  realPath: (path) => path,
  isUnder: (path, globs) => globs.some((glob) => path.startsWith(glob)),
  approve: async () => ({ kind: "approved", by: "ada" }),
  ...changes,
});

export interface Phases {
  readonly scratch: Scratch;
  /** What the audit got. */
  readonly recorded: { event: AgentEvent; decision: Decision }[];
  freeze(frontMatter: string, changes?: FreezeChanges): Promise<readonly FrozenHook[]>;
  run(moment: Moment, changes?: Partial<PhaseRequest> & { layered?: readonly Hook[] }): ReturnType<typeof runPhase>;
}

interface FreezeChanges {
  readonly values?: Readonly<Record<string, TemplateValue>>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly isTrusted?: () => boolean | undefined;
}

export function phases(modules: Modules, changes: Partial<RunMachine> = {}): Phases {
  const files = scratch();
  const recorded: Phases["recorded"] = [];
  const run = sampleRun();
  const injected = injectedValues({
    run: { id: run.id, group: null },
    cwd: files.dir,
    configDir: files.dir,
    stateDir: `${files.dir}/state`,
    assignment: "work",
    command: "holdfast",
  });
  return {
    scratch: files,
    recorded,
    async freeze(frontMatter, { values = {}, env = {}, isTrusted = () => undefined } = {}) {
      const assignment = files.assignment(frontMatter, "", env);
      const hookDirs = [`${files.dir}/hooks`];
      return freezeHooks(assignment, { values: { ...values, ...injected }, env, hookDirs, modules, isTrusted });
    },
    run: (moment, { layered = [], ...given } = {}) =>
      runPhase({
        run: sampleRun({ settings: { ...run.settings, cwd: files.dir } }),
        moment,
        directory: `${files.dir}/state`,
        machine: machineOf(modules, changes),
        stage: async (_changes, current) => current,
        signal: new AbortController().signal,
        now: () => new Date("2026-01-02T03:04:05.000Z"),
        engine: {
          open: async () => ({
            hooks: layered,
            decide: (event, hook, signal) => decide(event, [hook], options(signal)),
            record: async (event, decision) => void recorded.push({ event, decision }),
            close: async () => {},
          }),
        },
        ...given,
      }),
  };
}

const options = (signal: AbortSignal) => ({
  tools: {
    read: () => {
      throw new Error("there are no tools here");
    },
  },
  clock: () => 0,
  signal,
  context: { maxCharacters: 1000, told: () => false },
  maxContinuations: 1,
});

export const beforeAttempt = (changes: object = {}): Moment => ({
  phase: "beforeAttempt",
  prompt: "go",
  sessionIndex: 0,
  attemptIndex: 0,
  attempt: 1,
  retriesRemaining: 3,
  ...changes,
});

const RESULT: AttemptResult = {
  exitCode: 0,
  signal: null,
  isTimedOut: false,
  isAborted: false,
  session: "s",
  transcript: "done",
  stdout: "out",
  stderr: "",
  isSessionUnknown: false,
};

export const afterAttempt = (result: Partial<AttemptResult> = {}): Moment => ({
  ...(beforeAttempt() as Extract<Moment, { phase: "beforeAttempt" | "afterExit" }>),
  phase: "afterAttempt",
  result: { ...RESULT, ...result },
});

export const afterExit = (): Moment => ({ ...beforeAttempt(), phase: "afterExit", attempt: null }) as Moment;

export function completing(run: Run, taskId = "a"): Moment {
  const before = run.tasks.find(({ id }) => id === taskId) ?? null;
  const transition = {
    taskId,
    source: "task-set" as const,
    before,
    after: before && { ...before, status: "completed" as const },
  };
  return { phase: "taskTransition", transition };
}

/** A hook of the config layers. */
export const layered = (
  name: string,
  phase: keyof typeof EVENT_OF,
  judge: (event: AgentEvent) => Verdict | Promise<Verdict>,
  changes: Partial<Hook> = {},
): Hook => ({
  name,
  source: "test",
  layer: "project",
  priority: 0,
  on: [EVENT_OF[phase]],
  onError: "block",
  judge,
  ...changes,
});
