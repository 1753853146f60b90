/**
 * Keeps what hook modules print away from our own stdout, where a stray byte would break the host's answer. In a worker
 * process.stdout is not ours, but the file descriptors are, and child processes inherit them.
 */
import childProcess from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** From here on everything this thread prints goes to `print`. */
export function captureOutput(print: (text: string) => void): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.write = ((chunk: unknown, ...rest: unknown[]) => {
      print(textOf(chunk));
      callLast(rest);
      return true;
    }) as typeof stream.write;
  }
  for (const name of ["writeSync", "writeFileSync", "appendFileSync"] as const) {
    replace(fs, name, (original, [target, chunk, ...rest]) => {
      if (!OUR_OUTPUT.includes(target)) return original(target, chunk, ...rest);
      print(textOf(chunk));
      return name === "writeSync" ? Buffer.byteLength(textOf(chunk)) : undefined;
    });
  }
  for (const name of ["write", "writeFile", "appendFile"] as const) {
    replace(fs, name, (original, [target, chunk, ...rest]) => {
      if (!OUR_OUTPUT.includes(target)) return original(target, chunk, ...rest);
      print(textOf(chunk));
      return callLast(rest, null, ...(name === "write" ? [Buffer.byteLength(textOf(chunk)), chunk] : []));
    });
  }
  for (const name of ["spawn", "spawnSync", "execSync", "execFileSync", "fork"] as const) {
    replace(childProcess, name, (original, values) => original(...withoutOurOutput(values, name === "fork")));
  }
  syncBuiltinESMExports();
}

type AnyFunction = (...values: unknown[]) => unknown;

function replace<T extends object>(
  home: T,
  name: keyof T & string,
  wrapped: (original: AnyFunction, values: unknown[]) => unknown,
): void {
  const original = home[name] as AnyFunction;
  const wrapper = (...values: unknown[]) => wrapped(original, values);
  Object.defineProperties(wrapper, Object.getOwnPropertyDescriptors(original));
  home[name] = wrapper as T[typeof name];
}

const OUR_OUTPUT: readonly unknown[] = [1, 2, "/dev/stdout", "/dev/stderr", "/dev/fd/1", "/dev/fd/2"];

const textOf = (chunk: unknown): string =>
  ArrayBuffer.isView(chunk) ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString() : String(chunk);

function callLast(values: readonly unknown[], ...results: unknown[]): void {
  const last = values.at(-1);
  if (typeof last === "function") process.nextTick(last as AnyFunction, ...results);
}

/** The same call of child_process; where the child would write to our output it writes to nowhere. */
function withoutOurOutput(values: readonly unknown[], inheritsByDefault: boolean): unknown[] {
  const options = values.find((value) => typeof value === "object" && value !== null && !Array.isArray(value)) as
    | { readonly stdio?: unknown; readonly silent?: boolean }
    | undefined;
  const stdio = options?.stdio ?? (inheritsByDefault && !options?.silent ? [0, 1, 2, "ipc"] : undefined);
  if (stdio === undefined || stdio === "pipe" || stdio === "ignore") return [...values];
  const entries: readonly unknown[] = Array.isArray(stdio) ? stdio : [stdio, stdio, stdio];
  const ours: readonly unknown[] = ["inherit", 1, 2, process.stdout, process.stderr];
  const kept = entries.map((entry, fd) => (fd > 0 && ours.includes(entry) ? "ignore" : entry));
  const changed = { ...options, stdio: kept };
  return options ? values.map((value) => (value === options ? changed : value)) : [...values, changed];
}
