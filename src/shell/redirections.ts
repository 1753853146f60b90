/** What stands behind `>`, `<`, `<<` and `<<<`: the files of a command, and what comes on its standard input. */
import type { Redirection, Word, WordPart } from "unbash";
import { type Arg, UNKNOWN } from "./arg.ts";
import type { FileRedirect, Stdin } from "./invocation.ts";

interface Expansion {
  expand(word: Word): readonly Arg[];
  /** Runs what a part of a here-document runs. */
  output(part: WordPart): unknown;
}

export function readRedirections(
  list: readonly Redirection[],
  inherited: Stdin,
  { expand, output }: Expansion,
): { redirects: FileRedirect[]; stdin: Stdin } {
  const redirects: FileRedirect[] = [];
  let stdin = inherited;
  for (const item of list) {
    if (item.type === "HereDoc") {
      const { parts, text } = item.body;
      if (parts) for (const part of parts) output(part);
      stdin = { type: "text", text };
    } else if (item.type === "HereString") {
      const words = item.target ? expand(item.target) : [];
      const text = words.map((word) => word.text).join(" ");
      const from = text.includes(UNKNOWN) ? words.flatMap((word) => word.from ?? []) : [];
      stdin = from.length > 0 ? { type: "pipe", producers: from } : { type: "text", text };
    } else if (item.target) {
      const [target] = expand(item.target);
      const direction = DIRECTIONS[item.operator];
      if (!target || !direction || (item.operator.includes("&") && /^(\d+|-)$/.test(target.text))) continue;
      redirects.push({ direction, target });
      if (direction === "read")
        stdin =
          target.from && target.text === UNKNOWN
            ? { type: "pipe", producers: target.from }
            : { type: "file", path: target };
    }
  }
  return { redirects, stdin };
}

const DIRECTIONS: Readonly<Record<string, FileRedirect["direction"]>> = {
  ">": "write",
  ">|": "write",
  "&>": "write",
  ">&": "write",
  "<>": "write",
  ">>": "append",
  "&>>": "append",
  "<": "read",
};
