/** What make is told to run besides the makefiles that are there. */
import type { Arg } from "./arg.ts";
import { readOptions } from "./options.ts";
import { inputText, printedText } from "./printed-text.ts";
import { assignmentsIn } from "./run-variables.ts";
import type { Unwrap } from "./unwrapped.ts";
import { isStdin } from "./wrappers.ts";

const VALUED = ["f", "file", "makefile", "C", "directory", "I", "o", "W", "E", "eval"];

/** Makefiles from a pipe or written by this very line, `--eval`, and variables: what a recipe runs may be in any of them. */
export const make: Unwrap = ({ program, args, stdin, script }) => {
  const options = readOptions(args, { valued: VALUED });
  const file = ["f", "file", "makefile"].map((name) => options.values.get(name)).find(Boolean);
  const makefile = file && (isStdin(file) ? inputText(stdin) : file.from ? printedText(file.from) : script?.text);
  const evaluated = options.values.get("E") ?? options.values.get("eval");
  const values = [...assignmentsIn(options.operands.map(withoutKind))].map(([name, { text }]) =>
    name === "SHELLFLAGS" ? `sh ${text}` : text,
  );
  return [makefile, evaluated?.text]
    .flatMap((text) => (text === undefined ? [] : [recipesIn(text)]))
    .concat(values.map(asShell))
    .filter(Boolean)
    .map((text) => ({ script: text, via: program }));
};

/** `X:=1`, `X!=command`, `.SHELLFLAGS=-c`. */
const withoutKind = (word: Arg): Arg => ({ ...word, text: word.text.replace(/^\.?(\w+)(?:::?|\+|\?|!)?=/, "$1=") });

/** Rules and assignments with what make itself reads taken off. */
const recipesIn = (text: string) =>
  text
    .split("\n")
    .map((line) => line.replace(/^\t[-@+]*/, "").replace(/^[\w.% -]+:(?!=)(?:[^;]*;[-@+ ]*|[^;]*$)/, ""))
    .map(asShell)
    .join("\n");

/** `$(shell x)` is `$(x)`, `$$x` is `$x`. */
const asShell = (text: string) => text.replace(/\$[({]shell\s+/g, "$(").replaceAll("$$", "$");
