/** The version a host's program says it is. */
import { execFile } from "node:child_process";
import type { Environment } from "../../config/places.ts";

const PATIENCE_MS = 15_000;

/** undefined: it did not say. */
export function versionOf(program: string, env: Environment): Promise<string | undefined> {
  return new Promise((resolve) => {
    // It is not to find our hooks, nor an update.
    const quiet = { ...env, HOLDFAST_INTERNAL: "1", DISABLE_AUTOUPDATER: "1" };
    execFile(program, ["--version"], { env: quiet, timeout: PATIENCE_MS }, (error, stdout) => {
      resolve(error ? undefined : /\d+\.\d+(?:[\w.+-]*\w)?/.exec(stdout)?.[0]);
    });
  });
}

/** By their numbers; what is no version is neither. */
export function compareVersions(one: string, other: string): "older" | "same" | "newer" | undefined {
  const [left, right] = [numbersOf(one), numbersOf(other)];
  if (left.length === 0 || right.length === 0) return undefined;
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference > 0 ? "newer" : "older";
  }
  return "same";
}

const numbersOf = (version: string) => (/^\d+(\.\d+)*/.exec(version)?.[0] ?? "").split(".").filter(Boolean).map(Number);
