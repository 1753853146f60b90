/** How the CLI speaks: plain lines, colour only on a terminal, one JSON value under --json. */
import { relative } from "node:path";
import { styleText } from "node:util";
import type { Environment } from "../../config/places.ts";
import type { HoldfastError } from "../../core/errors.ts";
import { visibleJson, visibleLine } from "./visible.ts";

export interface Output {
  readonly json: boolean;
  line(text?: string): void;
  /** To stderr: progress and remarks that are not the result. */
  note(text: string): void;
  data(value: unknown): void;
  paint(colour: Colour, text: string): string;
}

export type Colour = "red" | "green" | "yellow" | "cyan" | "dim" | "bold" | "magenta";

/** The part of a stream that is needed to speak. */
export interface Stream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export interface Streams {
  readonly stdout: Stream;
  readonly stderr: Stream;
}

export function createOutput(json: boolean, env: Environment, { stdout, stderr }: Streams): Output {
  const coloured = ({ isTTY }: Stream) => isTTY === true && !env.NO_COLOR && env.TERM !== "dumb";
  const write = (stream: Stream, text: string) => stream.write(`${visibleLine(text, coloured(stream))}\n`);
  const writeJson = (text: string) => stdout.write(`${visibleJson(text)}\n`);
  const painting = coloured(stdout) || coloured(stderr);
  return {
    json,
    line: (text = "") => (json ? writeJson(text) : write(stdout, text)),
    note: (text) => write(stderr, text),
    data: (value) => writeJson(JSON.stringify(value, null, 2)),
    paint: (colour, text) => (painting ? styleText(colour, text, { validateStream: false }) : text),
  };
}

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
