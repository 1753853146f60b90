/** sed's words: what it is told to do, and to which files. */
import type { Arg } from "./arg.ts";

export interface SedCall {
  /** All `-e`, or the first operand. */
  readonly script: string;
  /** Files with more of the script. */
  readonly scriptFiles: readonly Arg[];
  readonly files: readonly Arg[];
  readonly inPlace: boolean;
  /** Neither runs nor writes anything. */
  readonly sandboxed: boolean;
}

export const isSed = (program: string) => program === "sed" || program === "gsed";

export function readSedCall(args: readonly Arg[]): SedCall {
  const scripts: string[] = [];
  const scriptFiles: Arg[] = [];
  const operands: Arg[] = [];
  let inPlace = false;
  let sandboxed = false;
  const given = (letter: string, value: Arg | undefined) => {
    if (letter === "e") scripts.push(value?.text ?? "");
    else if (letter === "f" && value) scriptFiles.push(value);
  };
  for (let i = 0; i < args.length; i++) {
    const item = args[i] as Arg;
    const { text } = item;
    if (text === "--") {
      operands.push(...args.slice(i + 1));
      break;
    }
    if (text.startsWith("--")) {
      const at = text.indexOf("=");
      const name = at < 0 ? text.slice(2) : text.slice(2, at);
      const letter = longLetter(name);
      if (letter) given(letter, at < 0 ? args[++i] : { ...item, text: text.slice(at + 1) });
      else if (name.startsWith("in")) inPlace = true;
      else if (name.startsWith("sa")) sandboxed = true;
    } else if (text.startsWith("-") && text !== "-") {
      for (let at = 1; at < text.length; at++) {
        const letter = text[at] as string;
        if (letter === "i" || letter === "I") {
          inPlace = true;
          // What is glued to it is a suffix; BSD has it in the next word, mostly empty.
          if (args[i + 1]?.text === "") i += 1;
          break;
        }
        if (letter !== "e" && letter !== "f" && letter !== "l") continue;
        const glued = text.slice(at + 1);
        given(letter, glued === "" ? args[++i] : { ...item, text: glued });
        break;
      }
    } else operands.push(item);
  }
  const isGiven = scripts.length > 0 || scriptFiles.length > 0;
  if (!isGiven) scripts.push(operands[0]?.text ?? "");
  return {
    script: scripts.join("\n"),
    scriptFiles,
    files: isGiven ? operands : operands.slice(1),
    inPlace,
    sandboxed,
  };
}

/** GNU takes any beginning of a long name. */
const longLetter = (name: string) =>
  name !== "" && "expression".startsWith(name) ? "e" : name !== "" && "file".startsWith(name) ? "f" : undefined;
