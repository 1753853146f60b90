/** What changes in a file, for a person's eyes. Nothing in the file can hide a line. */
import { createTwoFilesPatch } from "diff";
import type { Output } from "./output.ts";
import { visible } from "./visible.ts";

export interface Version {
  readonly text: string;
  readonly title: string;
}

const CONTEXT_LINES = 3;

/** Lines of a unified diff, from its `---` on. */
export function difference(name: string, before: Version, after: Version): string[] {
  const patch = createTwoFilesPatch(name, name, before.text, after.text, before.title, after.title, {
    context: CONTEXT_LINES,
  });
  const lines = patch.split("\n").filter((line) => line !== "" && !line.startsWith("\\"));
  return lines.slice(lines.findIndex((line) => line.startsWith("---")));
}

export function paintDifference(line: string, output: Output): string {
  const shown = visible(line.replace(/\r$/, ""));
  if (line.startsWith("+")) return output.paint("green", shown);
  return line.startsWith("-") ? output.paint("red", shown) : shown;
}
