/** Options of a program's command line, in whatever order and spelling they were given. */
import type { Arg } from "./arg.ts";

export interface Options {
  /** Short letters and long names that were given, without dashes. */
  readonly given: ReadonlySet<string>;
  /** Values of options that take one. */
  readonly values: ReadonlyMap<string, Arg>;
  /** What is not an option, in order. */
  readonly operands: readonly Arg[];
}

export interface OptionShape {
  /** Options that take a value: letters and long names. */
  readonly valued?: readonly string[];
  /** Options end at the first operand, as for wrappers. */
  readonly stopAtOperand?: boolean;
  /** Long options with one dash (`-name`), as find and terraform have them. */
  readonly singleDash?: boolean;
}

export function readOptions(
  args: readonly Arg[],
  { valued = [], stopAtOperand = false, singleDash = false }: OptionShape = {},
): Options {
  const given = new Set<string>();
  const values = new Map<string, Arg>();
  const operands: Arg[] = [];
  for (let i = 0; i < args.length; i++) {
    const item = args[i] as Arg;
    const { text } = item;
    if (text === "--") {
      operands.push(...args.slice(i + 1));
      break;
    }
    if (!text.startsWith("-") || text === "-") {
      if (stopAtOperand) {
        operands.push(...args.slice(i));
        break;
      }
      operands.push(item);
      continue;
    }
    if (text.startsWith("--") || singleDash) {
      const body = text.replace(/^--?/, "");
      const at = body.indexOf("=");
      const name = at < 0 ? body : body.slice(0, at);
      given.add(name);
      if (at >= 0) values.set(name, { ...item, text: body.slice(at + 1) });
      else if (valued.includes(name) && args[i + 1]) values.set(name, args[++i] as Arg);
      continue;
    }
    const letters = text.slice(1);
    for (let at = 0; at < letters.length; at++) {
      const letter = letters[at] as string;
      given.add(letter);
      if (!valued.includes(letter)) continue;
      const rest = letters.slice(at + 1);
      if (rest !== "") values.set(letter, { ...item, text: rest });
      else if (args[i + 1]) values.set(letter, args[++i] as Arg);
      break;
    }
  }
  return { given, values, operands };
}

export const has = ({ given }: Options, ...names: readonly string[]) => names.some((name) => given.has(name));
