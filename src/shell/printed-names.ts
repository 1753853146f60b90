/** Files that a program names on its output, where it can be known which those are. */
import { type Arg, arg, UNKNOWN } from "./arg.ts";
import { filesWanted, isNarrowed } from "./find-tests.ts";
import type { Invocation, Stdin } from "./invocation.ts";
import { readOptions } from "./options.ts";
import { inputText } from "./printed-text.ts";

/** Of the last of them, which is the one whose output is seen. undefined: nobody can say. */
export function printedNames(producers: readonly Invocation[]): Arg[] | undefined {
  const last = producers.at(-1);
  switch (last?.program) {
    case "find":
      return found(last.args);
    case "ls":
      return listed(last.args);
    case "sort":
    case "uniq":
    case "tac":
      return last.stdin.type === "pipe" && readOptions(last.args).operands.length === 0
        ? printedNames(last.stdin.producers)
        : undefined;
    default:
      return undefined;
  }
}

/** What comes on standard input, line by line. */
export function linesOf(stdin: Stdin): string[] | undefined {
  const text = inputText(stdin);
  if (text !== undefined) return text.split(/[\0\n]/).filter(Boolean);
  return stdin.type === "pipe" ? printedNames(stdin.producers)?.map((name) => name.text) : undefined;
}

function found(args: readonly Arg[]): Arg[] | undefined {
  if (args.some(({ text }) => text === "-printf")) return undefined;
  const roots = args.slice(0, args.findIndex(({ text }) => text.startsWith("-")) >>> 0);
  return (roots.length > 0 ? roots : [arg(".")]).flatMap(({ text }) => {
    const below = text.replace(/\/$/, "");
    if (!isNarrowed(args)) return [{ text: `${below}/*`, glob: true }];
    return [arg(`${below}/${UNKNOWN}`), ...filesWanted(args, below).map((file) => ({ text: file, glob: true }))];
  });
}

/** Of a directory it names what is in it, without the directory: that may be any name. */
function listed(args: readonly Arg[]): Arg[] | undefined {
  const { operands } = readOptions(args, { valued: ["I", "w", "T", "ignore", "hide"] });
  if (operands.length === 0) return undefined;
  return operands.every(({ glob }) => glob) ? [...operands] : [...operands, arg(UNKNOWN)];
}
