/**
 * Runs in a scratch directory: the real store and lock, real phases by the real engine, a backend that is a real process.
 * The process follows a script, one list of lines per attempt: `set <task> <status>`, `exit <code>`, `sleep <ms>`.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { decide } from "../core/engine.ts";
import type { AgentEvent, EventName } from "../core/event.ts";
import type { Hook } from "../core/hook.ts";
import type { JsonObject } from "../core/json.ts";
import { NO_OPINION, type Opinion, type Verdict } from "../core/verdict.ts";
import type { Assignment, AuthoredTask } from "./assignment/assignment.ts";
import type { Backend } from "./backend.ts";
import { commandBackend } from "./backends/command.ts";
import { passiveBackend } from "./backends/passive.ts";
import { editTask } from "./edit-task.ts";
import type { FileRunStoreOptions } from "./files/run-store.ts";
import { ORIGIN, scratch, storeIn } from "./files/store.fixture.ts";
import type { PhaseEngine, RunMachine } from "./hooks/engine.ts";
import { runPhase } from "./hooks/phase.ts";
import type { NewRun, RunOverrides } from "./new-run.ts";
import type { RunPorts } from "./ports.ts";
import type { RunEvent } from "./store.ts";
import type { TaskStatus } from "./task.ts";

export interface Scene {
  readonly dir: string;
  readonly cwd: string;
  readonly ports: RunPorts;
  /** Changed by tests between runs. */
  readonly hooks: Hook[];
  readonly env: Record<string, string | undefined>;
  wanted(assignment?: Partial<Assignment>, overrides?: RunOverrides, more?: Partial<NewRun>): NewRun;
  /** What the backend was told, attempt by attempt. */
  prompts(): string[];
  events(id: string): Promise<RunEvent[]>;
  types(id: string): Promise<string[]>;
  remove(): void;
}

export function scene(script: readonly (readonly string[])[] = [], store: Partial<FileRunStoreOptions> = {}): Scene {
  const { dir, remove } = scratch();
  const cwd = join(dir, "work");
  mkdirSync(cwd);
  const program = join(dir, "backend.mjs");
  writeFileSync(program, PROGRAM);
  writeFileSync(join(dir, "script.json"), JSON.stringify(script));
  const hooks: Hook[] = [];
  const env: Record<string, string | undefined> = { PATH: process.env.PATH };
  const runs = storeIn(join(dir, "runs"), store);
  const ports: RunPorts = {
    store: runs,
    env,
    places: { configDir: join(dir, "config"), stateDir: dir },
    now: () => new Date(),
    repoOf: async () => "shop",
    freeze: async () => [],
    backendOf: async (id) => (id === "passive" ? passiveBackend : scripted(() => ports)),
    runPhase: ({ env: more, ...call }) =>
      runPhase({
        ...call,
        engine: engineWith(hooks),
        machine: machineWith({ ...env, ...more }),
        now: () => new Date(),
      }),
  };
  return {
    dir,
    cwd,
    ports,
    hooks,
    env,
    wanted: (assignment = {}, overrides = {}, more = {}) => ({
      ...ORIGIN,
      agent: {
        ...ORIGIN.agent,
        body: "You are careful.",
        backendConfig: { command: [process.execPath, program, dir] },
      },
      assignment: { ...ASSIGNMENT, ...assignment },
      callerCwd: cwd,
      overrides,
      isStarted: true,
      ...more,
    }),
    prompts() {
      const file = join(dir, "prompts.jsonl");
      return existsSync(file)
        ? readFileSync(file, "utf8")
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line))
        : [];
    },
    async events(id) {
      const events: RunEvent[] = [];
      for await (const event of runs.events(id)) events.push(event);
      return events;
    },
    async types(id) {
      const events: RunEvent[] = [];
      for await (const event of runs.events(id)) events.push(event);
      return events.map(({ type }) => type);
    },
    remove,
  };
}

export const authored = (id: string, given: Partial<AuthoredTask> = {}): AuthoredTask => ({
  id,
  title: `do ${id}`,
  body: "",
  hooks: [],
  ...given,
});

const ASSIGNMENT: Assignment = {
  name: "feature",
  file: "assignment.md",
  directory: ".",
  cwd: null,
  message: null,
  schedule: null,
  maxRetries: 3,
  callerInstructions: null,
  vars: {},
  hooks: { prepare: [], beforeAttempt: [], afterAttempt: [], afterExit: [], taskTransition: [] },
  tasks: [authored("one"), authored("two")],
  lockedFields: [],
  onHookDrift: "refuse",
  body: "Build it.",
};

type Answer = { readonly opinion?: Opinion; readonly mutate?: JsonObject } | undefined;

/** A hook of the config layers, in code. */
export function hook<N extends EventName>(
  on: N,
  judge: (event: Extract<AgentEvent, { name: N }>, env: { readonly signal: AbortSignal }) => Answer | Promise<Answer>,
  given: Partial<Hook> = {},
): Hook {
  return {
    name: `on-${on}`,
    source: "test",
    layer: "project",
    priority: 0,
    on: [on],
    onError: "block",
    async judge(event, { signal }): Promise<Verdict> {
      const answer = await judge(event as Extract<AgentEvent, { name: N }>, { signal });
      if (!answer) return NO_OPINION;
      return { opinion: answer.opinion ?? { kind: "none" }, ...(answer.mutate ? { mutate: answer.mutate } : {}) };
    },
    ...given,
  };
}

export const block = (reason: string): Opinion => ({ kind: "block", reason });

const engineWith = (hooks: readonly Hook[]): PhaseEngine => ({
  open: async () => ({
    hooks: [...hooks],
    decide: (event, asked, signal) =>
      decide(event, [asked], {
        tools: {
          read: () => {
            throw new Error("an event of a run has no tool");
          },
        },
        clock: () => performance.now(),
        signal,
        context: { maxCharacters: 10_000, told: () => false },
        maxContinuations: 1,
      }),
    record: async () => {},
    close: async () => {},
  }),
});

/** Hooks in code ask nothing of it but its environment. */
const machineWith = (env: RunMachine["env"]): RunMachine => ({ env }) as RunMachine;

/** The command backend; what its process prints as edits is done to the run, as `holdfast task` would. */
function scripted(ports: () => RunPorts): Backend {
  return {
    ...commandBackend,
    async invoke(invocation) {
      let edits: Promise<unknown> = Promise.resolve();
      const result = await commandBackend.invoke({
        ...invocation,
        onProgress(line) {
          const [word, task = "", status] = line.split(" ");
          const id = invocation.env.HOLDFAST_RUN_ID ?? "";
          if (word === "set")
            edits = edits.then(() =>
              editTask(ports(), id, { kind: "set", task, status: status as TaskStatus }).catch(() => {}),
            );
          invocation.onProgress(line);
        },
      });
      await edits;
      return result;
    },
  };
}

const PROGRAM = `
import { appendFileSync, existsSync, readFileSync } from "node:fs";
const [dir] = process.argv.slice(2);
let prompt = "";
for await (const chunk of process.stdin) prompt += chunk;
const told = dir + "/prompts.jsonl";
const attempt = existsSync(told) ? readFileSync(told, "utf8").trim().split("\\n").length : 0;
appendFileSync(told, JSON.stringify(prompt) + "\\n");
const lines = JSON.parse(readFileSync(dir + "/script.json", "utf8"))[attempt] ?? [];
for (const line of lines) {
  const [word, value] = line.split(" ");
  if (word === "exit") process.exit(Number(value));
  else if (word === "sleep") await new Promise((done) => setTimeout(done, Number(value)));
  else console.log(line);
}
`;

/** As an assignment declares one that may be given on the command line. */
export const VARIABLE = {
  type: "string",
  required: false,
  requiredAt: "initial",
  sources: ["cli"],
  envName: "",
  default: "main",
  description: null,
  values: [],
} as const;
