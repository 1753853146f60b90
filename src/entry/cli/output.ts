/** How the CLI speaks: plain lines, colour only on a terminal, one JSON value under --json. */
import { relative } from "node:path";
import { styleText } from "node:util";
import type { HoldfastError } from "../../core/errors.ts";

export interface Output {
  readonly json: boolean;
  line(text?: string): void;
  /** To stderr: progress and remarks that are not the result. */
  note(text: string): void;
  data(value: unknown): void;
  paint(colour: Colour, text: string): string;
}

export type Colour = "red" | "green" | "yellow" | "cyan" | "dim" | "bold" | "magenta";

export function createOutput(json: boolean, env: NodeJS.ProcessEnv): Output {
  const coloured = process.stdout.isTTY && !env.NO_COLOR && env.TERM !== "dumb";
  return {
    json,
    line: (text = "") => write(process.stdout, `${text}\n`),
    note: (text) => write(process.stderr, `${text}\n`),
    data: (value) => write(process.stdout, `${JSON.stringify(value, null, 2)}\n`),
    paint: (colour, text) => (coloured ? styleText(colour, text) : text),
  };
}

/** `holdfast log | head` closes the pipe early: that is no error. */
function write(stream: NodeJS.WriteStream, text: string): void {
  stream.write(text);
}

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

export function describeError(error: HoldfastError, cwd: string) {
  const { file, line, key } = error.place;
  return {
    code: error.code,
    message: error.message,
    ...(file ? { file: near(file, cwd) } : {}),
    ...(line ? { line } : {}),
    ...(key ? { key } : {}),
    fix: error.fix,
  };
}

export function printError(error: HoldfastError, output: Output, cwd: string): void {
  const { file, line } = error.place;
  const place = file ? `${near(file, cwd)}${line ? `:${line}` : ""}  ` : "";
  output.note(`${output.paint("red", `error ${error.code}`)}  ${place}${error.message}`);
  output.note(`             ${error.fix}`);
}

/** A path as a person in `cwd` would say it. */
export function near(path: string, cwd: string): string {
  const shorter = relative(cwd, path);
  return shorter === "" ? "." : shorter.startsWith("../../..") ? path : shorter.length < path.length ? shorter : path;
}

/** Columns as wide as their widest cell. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, visibleLength(cell));
  }
  return rows.map((row) =>
    row
      .map((cell, index) =>
        index === row.length - 1 ? cell : cell + " ".repeat((widths[index] ?? 0) - visibleLength(cell)),
      )
      .join("  ")
      .trimEnd(),
  );
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with ESC
const visibleLength = (text: string) => text.replace(/\u001b\[\d+m/g, "").length;
