/** What people and skills give to knowledge commands: lists, files, stdin, JSON or YAML. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { parse } from "yaml";
import { HoldfastError } from "../../core/errors.ts";
import { type CommandCall, textFlag } from "../cli/command.ts";

export const names = (call: CommandCall, flag: string): string[] =>
  (textFlag(call, flag) ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

/** `-`: what is on stdin. */
export async function readInput(path: string, { cwd }: Pick<CommandCall, "cwd">): Promise<string> {
  if (path === "-") return textOf(process.stdin);
  const file = resolve(cwd, path);
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new HoldfastError("HF701", `${path} cannot be read: ${(error as Error).message}`, { file });
  }
}

/** JSON is YAML too: one parser reads both. */
export function parseInput(text: string, what: string): unknown {
  try {
    return parse(text, { prettyErrors: true, maxAliasCount: 20 });
  } catch (error) {
    throw new HoldfastError("HF1108", `${what} is neither JSON nor YAML: ${(error as Error).message.split("\n")[0]}`);
  }
}
