import { type FailureCode, HookFailure } from "../core/failure.ts";

const FRAMES = 3;
const MAX_CHARACTERS = 800;

/** Anything thrown, as a failure of the hook. A failure of ours keeps its own code, also from another copy of ours. */
export function failureOf(error: unknown, code: FailureCode): HookFailure {
  if (error instanceof HookFailure) return error;
  if (error instanceof Error && error.name === "HookFailure" && "code" in error) {
    return new HookFailure(error.code as FailureCode, error.message);
  }
  return new HookFailure(code, firstLines(error));
}

/** What was thrown and the first places of the author's own code it came through. */
export function firstLines(error: unknown): string {
  if (!(error instanceof Error)) return `threw ${String(error)}`.slice(0, MAX_CHARACTERS);
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  const own = frames.filter((line) => !/node:|[\\/]jiti[\\/]/.test(line) && !line.includes(OUR_DIR));
  const said = error.message === "" ? error.name : `${error.name}: ${error.message}`;
  return [said.slice(0, MAX_CHARACTERS), ...own.slice(0, FRAMES).map((line) => line.trim())].join("\n  ");
}

/** Whether built into one file or many, the worker is what lies beside this. */
const OUR_DIR = new URL(".", import.meta.url).href;
