/** Windows: what PowerShell's own commands, and the copiers beside them, write and move. */
import type { Arg } from "../arg.ts";
import type { CommandEffect } from "../effect.ts";
import type { Program, ProgramContext, Programs } from "../programs.ts";
import { moved } from "./files.ts";

interface Given {
  /** By their names in lower case. */
  readonly named: ReadonlyMap<string, Arg>;
  readonly operands: readonly Arg[];
  readonly isRehearsed: boolean;
}

const VALUED = new Set(
  "path literalpath filepath destination value encoding filter include exclude newname itemtype name target stream delimiter".split(
    " ",
  ),
);

/** `-Path x`, `-Force`, and what stands by itself. Windows takes both kinds of slashes. */
function given(args: readonly Arg[]): Given {
  const named = new Map<string, Arg>();
  const operands: Arg[] = [];
  for (let i = 0; i < args.length; i++) {
    const word = args[i] as Arg;
    const name = /^-([a-z]+):?$/i.exec(word.text)?.[1]?.toLowerCase();
    if (name === undefined) operands.push(withSlashes(word));
    else named.set(name, VALUED.has(name) && args[i + 1] ? withSlashes(args[++i] as Arg) : word);
  }
  return { named, operands, isRehearsed: named.has("whatif") || named.has("wi") };
}

const withSlashes = (word: Arg): Arg => ({ ...word, text: word.text.replaceAll("\\", "/") });

const pathOf = ({ named, operands }: Given) =>
  named.get("path") ?? named.get("literalpath") ?? named.get("filepath") ?? operands[0];

const writes =
  (append: boolean): Program =>
  ({ args }, { target }) => {
    const call = given(args);
    const path = pathOf(call);
    return path && !call.isRehearsed
      ? [{ type: "overwrite", path: target(path), append: append || call.named.has("append") }]
      : [];
  };

/** From where and to where: by their names, or one behind the other. */
function ends(call: Given): readonly [Arg, Arg] | undefined {
  const isNamed = call.named.has("path") || call.named.has("literalpath");
  const from = pathOf(call);
  const to = call.named.get("destination") ?? call.named.get("newname") ?? call.operands[isNamed ? 0 : 1];
  return from && to && !call.isRehearsed ? [from, to] : undefined;
}

const copies: Program = ({ args }, { target }) => {
  const found = ends(given(args));
  if (!found) return [];
  const [from, to] = found;
  const path = target(to);
  return [
    { type: "read", path: target(from), kept: true },
    { type: "overwrite", path, append: false },
    { type: "overwrite", path, append: true, lands: "in" },
  ];
};

const moves: Program = ({ args }, { target }) => {
  const found = ends(given(args));
  return found ? moved([found[0]], found[1], target) : [];
};

/** `robocopy from to /mir`: what is not in the one goes from the other. */
const robocopy: Program = ({ args }, { target }: ProgramContext) => {
  const words = args.map(withSlashes).filter(({ text }) => !/^\/[a-z]+(:.*)?$/i.test(text));
  const to = words[1];
  if (!to || args.some(({ text }) => /^\/l$/i.test(text))) return [];
  const path = target(to);
  const mirrors = args.some(({ text }) => /^\/(mir|purge)$/i.test(text));
  const lands: CommandEffect = { type: "overwrite", path, append: true, lands: "below" };
  return mirrors ? [{ type: "delete", path: { ...path, contents: true }, recursive: true }, lands] : [lands];
};

const named = (names: string, program: Program): Programs =>
  Object.fromEntries(names.split(" ").map((name) => [name, program]));

export const POWERSHELL: Programs = {
  ...named("set-content out-file tee-object export-csv export-clixml set-item", writes(false)),
  ...named("add-content", writes(true)),
  ...named("copy-item cpi copy xcopy", copies),
  ...named("move-item mi move rename-item rni ren", moves),
  robocopy,
};
