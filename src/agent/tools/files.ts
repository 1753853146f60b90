import { readFileSync, type Stats, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { count, flag, optional, text } from "../../core/fields.ts";
import { makeDirectory } from "../../files/make-directory.ts";
import type { Tool } from "./tool.ts";
import { placeIn } from "./working-directory.ts";

const MAX_FILE_BYTES = 2_000_000;
const MAX_LINES = 2_000;
const path = text("the file, from the working directory");

export const readTool: Tool = {
  name: "read",
  description: "Returns a text file, or some of its lines.",
  does: { kind: "read", paths: ["path"] },
  input: {
    path,
    from_line: optional(count("the first line to return, from 1")),
    lines: optional(count(`how many lines; at most ${MAX_LINES}`)),
  },
  run(input, { cwd }) {
    const lines = textOf(String(input.path), cwd).split("\n");
    const from = Math.max(1, Number(input.from_line ?? 1));
    const wanted = Math.min(Number(input.lines ?? MAX_LINES), MAX_LINES);
    const shown = lines.slice(from - 1, from - 1 + wanted).join("\n");
    const left = lines.length - (from - 1 + wanted);
    return left > 0 ? `${shown}\n(${left} lines follow; from_line ${from + wanted} goes on)` : shown;
  },
};

export const writeTool: Tool = {
  name: "write",
  description: "Writes a text file; what was there is replaced.",
  does: { kind: "write", paths: ["path"], content: ["text"] },
  input: { path, text: text("the whole content") },
  run(input, { cwd }) {
    const place = placeIn(cwd, String(input.path));
    const there = statSync(place, { throwIfNoEntry: false });
    if (there) assertFile(there, String(input.path));
    makeDirectory(dirname(place));
    writeFileSync(place, String(input.text));
    return `wrote ${input.path}`;
  },
};

export const editTool: Tool = {
  name: "edit",
  description: "Replaces a piece of a text file. The old piece must be there exactly once, unless all are meant.",
  does: { kind: "edit", paths: ["path"], content: ["new"] },
  input: {
    path,
    old: text("the piece as it stands in the file"),
    new: text("what takes its place"),
    all: optional(flag("replace every occurrence")),
  },
  run(input, { cwd }) {
    const place = placeIn(cwd, String(input.path));
    const before = textOf(String(input.path), cwd);
    const old = String(input.old);
    if (old === "") throw new Error("the old piece is empty; write creates files");
    const pieces = before.split(old);
    const found = pieces.length - 1;
    if (found === 0) throw new Error(`the old piece is not in ${input.path}; read the file again`);
    if (found > 1 && !input.all) throw new Error(`the old piece is in ${input.path} ${found} times; give more of it`);
    writeFileSync(place, pieces.join(String(input.new)));
    return `replaced ${found} in ${input.path}`;
  },
};

function textOf(asked: string, cwd: string): string {
  const place = placeIn(cwd, asked);
  const there = statSync(place);
  assertFile(there, asked);
  const { size } = there;
  if (size > MAX_FILE_BYTES) throw new Error(`${asked} has ${size} bytes; at most ${MAX_FILE_BYTES} are read`);
  const bytes = readFileSync(place);
  if (bytes.includes(0)) throw new Error(`${asked} is not a text`);
  return bytes.toString("utf8");
}

/** A pipe that nobody else opens would never let go of the process, however its turn ends. */
function assertFile(there: Stats, asked: string): void {
  if (!there.isFile())
    throw new Error(`${asked} is ${there.isDirectory() ? "a directory" : "a pipe or a device"}, no file`);
}
