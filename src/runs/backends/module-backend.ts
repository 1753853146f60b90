/** A backend that a person wrote: `backends/<name>/backend.ts` in the user's config directory. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { HoldfastError } from "../../core/errors.ts";
import type { AttemptResult, Backend, Invocation } from "../backend.ts";
import { MAX_TIMER_MS } from "./program-process.ts";

/** What such a file exports by default. */
export interface BackendModule {
  readonly name?: string;
  /** It goes on in an earlier session when it is given one. Default true. */
  readonly canResume?: boolean;
  invoke(invocation: Invocation): Promise<unknown> | unknown;
}

const ENDINGS = ["ts", "mts", "js", "mjs"];
/** How long it may take to end by itself after its time was over. */
const GRACE_MS = 3_000;

/** The first that is there, in the order of agent-runner. */
export function backendFile(configDir: string, name: string): string | undefined {
  if (!/^[\w.-]+$/.test(name) || /^\.+$/.test(name)) return undefined;
  return backendCandidates(configDir, name).find((file) => existsSync(file));
}

export const backendCandidates = (configDir: string, name: string): string[] =>
  ENDINGS.map((ending) => join(configDir, "backends", name, `backend.${ending}`));

export async function moduleBackend(id: string, file: string, packageFile: string | undefined): Promise<Backend> {
  const module = read(await load(file, packageFile), file);
  return {
    id,
    isPassive: false,
    canResume: module.canResume ?? true,
    probe: async () => ({ ok: true, version: file }),
    invoke: (invocation) => invoke(module, invocation, file),
  };
}

async function load(file: string, packageFile: string | undefined): Promise<unknown> {
  const { createJiti } = await import("jiti");
  const jiti = createJiti(import.meta.url, {
    fsCache: false,
    moduleCache: false,
    ...(packageFile === undefined ? {} : { alias: { holdfast: packageFile } }),
  });
  try {
    return await jiti.import(file, { default: true });
  } catch (error) {
    throw wrong(file, `it cannot be loaded: ${error instanceof Error ? error.message : error}`);
  }
}

function read(exported: unknown, file: string): BackendModule {
  if (
    typeof exported === "object" &&
    exported !== null &&
    "invoke" in exported &&
    typeof exported.invoke === "function"
  )
    return exported as BackendModule;
  throw wrong(file, "it exports no object with a function invoke by default");
}

async function invoke(module: BackendModule, invocation: Invocation, file: string): Promise<AttemptResult> {
  const time = new AbortController();
  const timeMs = Math.min(invocation.timeoutMs, MAX_TIMER_MS);
  const timer = setTimeout(() => time.abort(new Error("the attempt's time is over")), timeMs);
  const signal = AbortSignal.any([invocation.signal, time.signal]);
  try {
    const answer = await Promise.race([module.invoke({ ...invocation, signal }), leftBehind(signal)]);
    const result = answer === LEFT_BEHIND ? NOTHING : resultOf(answer, file);
    return {
      ...result,
      isTimedOut: result.isTimedOut || (time.signal.aborted && !invocation.signal.aborted),
      isAborted: result.isAborted || invocation.signal.aborted,
    };
  } finally {
    clearTimeout(timer);
  }
}

const LEFT_BEHIND = Symbol("left behind");

/** Code in our own process cannot be ended, only left behind. */
const leftBehind = (signal: AbortSignal) =>
  new Promise<typeof LEFT_BEHIND>((settle) => {
    const wait = () => setTimeout(() => settle(LEFT_BEHIND), GRACE_MS).unref();
    if (signal.aborted) wait();
    else signal.addEventListener("abort", wait, { once: true });
  });

const NOTHING: AttemptResult = {
  ...{ exitCode: null, signal: null, isTimedOut: false, isAborted: false, session: null },
  ...{ transcript: "", stdout: "", stderr: "", isSessionUnknown: false },
};

/** Ours, and what agent-runner calls the same. */
const FIELDS: { readonly [F in keyof AttemptResult]: readonly [type: string, ...names: string[]] } = {
  exitCode: ["number", "exitCode"],
  signal: ["string", "signal"],
  isTimedOut: ["boolean", "isTimedOut", "timedOut"],
  isAborted: ["boolean", "isAborted", "aborted"],
  session: ["string", "session", "sessionId"],
  transcript: ["string", "transcript"],
  stdout: ["string", "stdout", "rawStdout"],
  stderr: ["string", "stderr", "rawStderr"],
  isSessionUnknown: ["boolean", "isSessionUnknown"],
};

function resultOf(answer: unknown, file: string): AttemptResult {
  if (typeof answer !== "object" || answer === null) throw wrong(file, "invoke returned no result object");
  const given = answer as Readonly<Record<string, unknown>>;
  const result: Record<string, unknown> = { ...NOTHING };
  for (const [field, [type, ...names]] of Object.entries(FIELDS)) {
    const name = names.find((candidate) => given[candidate] !== undefined && given[candidate] !== null);
    if (name === undefined) continue;
    if (typeof given[name] !== type) throw wrong(file, `invoke returned a ${name} that is no ${type}`);
    result[field] = given[name];
  }
  if (given.exitCode === undefined) throw wrong(file, "invoke returned no exitCode (a number, or null)");
  return result as unknown as AttemptResult;
}

const wrong = (file: string, problem: string) =>
  new HoldfastError("HF1045", `the backend ${file}: ${problem}`, {
    file,
    hint: "export default { name, async invoke({ prompt, settings, session, signal }) { … return { exitCode: 0, transcript } } }",
  });
