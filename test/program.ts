/** The program as people and hosts run it, on a machine of its own: a project, a home, a config and a state directory. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { test } from "vitest";
import { placesOf } from "../src/config/places.ts";
import { grantTrust } from "../src/config/trust.ts";
import { compileFresh } from "../src/engine/fresh-compile.ts";
import { type JournalName, journalOf } from "../src/engine/journals.ts";
import { runCommandLine } from "../src/entry/cli/main.ts";
import { hookProgram } from "../src/entry/cli/registration.ts";
import type { Journal } from "../src/records/journal.ts";
import { endProcessesOf } from "./processes.ts";

const root = join(import.meta.dirname, "..");
export const distDir = join(root, "dist");
export const program = join(root, "bin", "holdfast");
/** What `init` registers. */
export const registeredProgram = hookProgram(distDir, "/nowhere");
if (!existsSync(join(distDir, "hook.cjs"))) throw new Error("Holdfast is not built: npm run build");

export type Environment = Readonly<Record<string, string>>;
// biome-ignore lint/suspicious/noExplicitAny: what is read here is what the tests are about
export type Entry = Readonly<Record<string, any>>;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

export interface Start {
  readonly cwd?: string;
  readonly env?: Environment;
  /** A program to run instead of ours, with the same surroundings. */
  readonly command?: string;
  readonly uid?: number;
}

export interface Run extends Start {
  readonly stdin?: string | Uint8Array;
}

export interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  /** Resolves once the text was printed to stdout, and rejects if the program ends without it. */
  printed(text: string): Promise<void>;
}

export interface Machine {
  readonly dir: string;
  readonly projectDir: string;
  readonly home: string;
  readonly configDir: string;
  readonly stateDir: string;
  /** No marker of an agent in it, whoever runs the tests. */
  readonly env: Environment;
  /** Writes a file below `dir` (`project/…`, `config/…`) and returns its path. */
  write(path: string, content: string | Uint8Array): string;
  read(path: string): string;
  start(args: readonly string[], options?: Start): Started;
  run(args: readonly string[], options?: Run): Promise<Ended>;
  /** `holdfast hook --host <host>` with the payload on stdin; an object is sent as JSON. */
  hook(host: string, payload: object | string | Uint8Array, options?: Start): Promise<Ended>;
  /** The CLI without a process of its own, where a process adds nothing. */
  cli(args: readonly string[], options?: Pick<Start, "cwd" | "env">): Promise<Ended>;
  /** What a person would do with `holdfast trust`. */
  trust(): Promise<void>;
  journal(name: JournalName, projectDir?: string): Journal;
  records(name: JournalName, projectDir?: string): Entry[];
}

/** `it` with a machine of its own for each test. */
export const it = test.extend<{ machine: Machine }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of the fixtures from here
  machine: async ({}, use) => {
    const { machine, remove } = createMachine();
    await use(machine);
    if (existsSync(join(machine.stateDir, "run"))) await endProcessesOf(machine);
    remove();
  },
});

export function createMachine(): { machine: Machine; remove(): void } {
  // The space and the letter are there to break bad quoting.
  const dir = mkdtempSync(join(realpathSync(tmpdir()), "holdfäst "));
  const [projectDir = "", home = "", configDir = "", stateDir = ""] = ["project", "home", "config", "state"].map(
    (name) => {
      mkdirSync(join(dir, name));
      return join(dir, name);
    },
  );
  const env = {
    PATH: [dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter),
    HOME: home,
    TZ: "UTC",
    HOLDFAST_CONFIG_DIR: configDir,
    HOLDFAST_STATE_DIR: stateDir,
  };
  const places = placesOf(env);
  const journal = (name: JournalName, project = projectDir) => journalOf(name, { root: project }, places);
  const start: Machine["start"] = (args, { cwd = projectDir, command = program, uid, ...options } = {}) =>
    startProcess(
      spawn(command, args, {
        cwd,
        env: { ...env, ...options.env },
        ...(uid === undefined ? {} : { uid, gid: uid }),
      }),
    );
  const run: Machine["run"] = async (args, options = {}) => {
    const { child, ended } = start(args, options);
    child.stdin.end(options.stdin);
    return ended;
  };
  const machine: Machine = {
    dir,
    projectDir,
    home,
    configDir,
    stateDir,
    env,
    write(path, content) {
      const file = join(dir, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      return file;
    },
    read: (path) => readFileSync(join(dir, path), "utf8"),
    start,
    run,
    hook: (host, payload, options = {}) =>
      run(["hook", "--host", host], {
        ...options,
        stdin: typeof payload === "string" || payload instanceof Uint8Array ? payload : JSON.stringify(payload),
      }),
    cli: (args, options = {}) => inProcess(args, { ...env, ...options.env }, options.cwd ?? projectDir),
    async trust() {
      const { trustItems } = await compileFresh({ cwd: projectDir, env, places, distDir });
      grantTrust(stateDir, trustItems, new Date());
    },
    journal,
    records(name, project) {
      const { file } = journal(name, project);
      if (!existsSync(file)) return [];
      return readFileSync(file, "utf8")
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Entry);
    },
  };
  return { machine, remove: () => removeTree(dir) };
}

/** A daemon that is just ending may still write: rmSync's own retries do not look again at what is in a directory. */
function removeTree(dir: string): void {
  for (let attempt = 1; ; attempt++) {
    try {
      return rmSync(dir, { recursive: true, force: true });
    } catch (error) {
      if (attempt === 10) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    }
  }
}

function startProcess(child: ChildProcessWithoutNullStreams): Started {
  const startedAt = performance.now();
  const output = { stdout: "", stderr: "" };
  const chunks: Record<"stdout" | "stderr", Buffer[]> = { stdout: [], stderr: [] };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].on("data", (chunk: Buffer) => {
      chunks[name].push(chunk);
      output[name] = Buffer.concat(chunks[name]).toString("utf8");
    });
  }
  // A program that answers before it has read everything closes the pipe under us.
  child.stdin.on("error", () => {});
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, ...output, ms: performance.now() - startedAt }));
  });
  const printed = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => output.stdout.includes(text) && resolve();
      child.stdout.on("data", look);
      ended.then(
        () => (look() ? undefined : reject(new Error(`ended without printing ${text}: ${output.stderr}`))),
        reject,
      );
      look();
    });
  return { child, ended, printed };
}

async function inProcess(args: readonly string[], env: Environment, cwd: string): Promise<Ended> {
  const startedAt = performance.now();
  const output = { stdout: "", stderr: "" };
  const stream = (name: "stdout" | "stderr") => ({
    write(text: string) {
      output[name] += text;
    },
  });
  const streams = { stdout: stream("stdout"), stderr: stream("stderr") };
  const code = await runCommandLine(args, { env, cwd, distDir }, streams);
  return { code, ...output, ms: performance.now() - startedAt };
}

/** Several at a time: most of a short process is waiting. */
export async function inPool<T, R>(items: readonly T[], width: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}
