/** A command line -> what it would do. Nothing is run; files are only looked at where the caller allows it. */
import { type Arg, UNKNOWN } from "./arg.ts";
import { mayMakeFiles } from "./bystanders.ts";
import type { CommandEffect, FoundEffect } from "./effect.ts";
import { sourcesOf } from "./executed.ts";
import type { Invocation } from "./invocation.ts";
import { linksMade } from "./links-made.ts";
import { holdsOwnHistory, onlyFormatsPatches } from "./own-history.ts";
import { type Surroundings, targetOf } from "./places.ts";
import { inputText, printedText } from "./printed-text.ts";
import { PROGRAMS } from "./program-table.ts";
import { codeEffects } from "./programs/code.ts";
import { deployEffects } from "./programs/deploy.ts";
import { executionEffects } from "./programs/execution.ts";
import { namedOutputs } from "./programs/outputs.ts";
import { redirectEffects } from "./programs/redirects.ts";
import type { ProgramContext } from "./programs.ts";
import { walkCommand } from "./walk.ts";

export interface AnalyseOptions extends Surroundings {
  readonly cwd: string;
}

export interface Analysis {
  readonly effects: readonly FoundEffect[];
  readonly invocations: readonly Invocation[];
  /** Variables that an assignment or a loop sets, wherever it stands. */
  readonly assigned: ReadonlySet<string>;
}

export function analyseCommand(text: string, options: AnalyseOptions): Analysis {
  const { invocations, assigned, unclear } = walkCommand(text, { cwd: options.cwd, homeDir: options.homeDir });
  const quiet = takenIntoVariables(invocations);
  const links = linksMade(invocations, options);
  const effects = invocations.flatMap((invocation, index) => {
    const before = () => invocations.slice(0, index);
    const found = effectsOf(invocation, options, before);
    // Whether a link was made nobody knows: both are done, as far as anybody can say.
    if (links && !links.makes(invocation)) found.push(...effectsOf(invocation, links.surroundings, before));
    return quiet.has(invocation) ? found.map(asKept) : found;
  });
  const unknown = unclear.map(
    (piece): FoundEffect => ({ effect: { type: "unclear", ...piece }, source: piece.text, via: [] }),
  );
  return { effects: [...effects, ...unknown], invocations, assigned };
}

/** `export $(grep -v '^#' .env | xargs)`: what is read goes into variables and is not shown. */
function takenIntoVariables(invocations: readonly Invocation[]): ReadonlySet<Invocation> {
  const from = invocations
    .filter(({ program }) => program === "export" || program === "declare")
    .flatMap(({ args }) => args.flatMap((arg) => arg.from ?? []));
  return new Set(from.length > 0 ? sourcesOf(from) : []);
}

const asKept = (found: FoundEffect): FoundEffect =>
  found.effect.type === "read" ? { ...found, effect: { ...found.effect, kept: true } } : found;

function effectsOf(
  invocation: Invocation,
  surroundings: Surroundings,
  before: () => readonly Invocation[],
): FoundEffect[] {
  const isNotThere = (arg: Arg) => {
    // A wildcard may have come through a variable, and stands for files that are there.
    const path = arg.from || /[*?[]/.test(arg.text) ? undefined : readablePath(arg, invocation, surroundings);
    return path !== undefined && surroundings.isMissing?.(path) === true;
  };
  const context: ProgramContext = {
    target: (arg: Arg) => targetOf(arg, invocation.cwd, surroundings),
    input: inputText(invocation.stdin),
    textOf: (arg: Arg) => textOf(arg, invocation, surroundings),
    isMissing: (arg: Arg) => isNotThere(arg) && !before().some(mayMakeFiles),
    isOwnHistory: (arg: Arg) => {
      const written = invocation.inputs?.get(arg.text);
      return written ? holdsOwnHistory(written, before()) : isNotThere(arg) && onlyFormatsPatches(before());
    },
  };
  const program = PROGRAMS.get(invocation.program) ?? PROGRAMS.get(plainName(invocation.program));
  const { source, via, elsewhere } = invocation;
  const found: FoundEffect[] = [];
  const add = (effects: Iterable<CommandEffect>) => {
    for (const effect of effects) found.push(elsewhere ? { effect, source, via, elsewhere } : { effect, source, via });
  };
  add((program ?? namedOutputs)(invocation, context));
  add(redirectEffects(invocation, context));
  add(codeEffects(invocation, context));
  add(deployEffects(invocation));
  add(executionEffects(invocation, context));
  return found;
}

function textOf(arg: Arg, invocation: Invocation, surroundings: Surroundings): string | undefined {
  const written = invocation.inputs?.get(arg.text);
  if (written) return written.text;
  if (arg.from) return printedText(arg.from);
  const path = readablePath(arg, invocation, surroundings);
  return path === undefined ? undefined : surroundings.readText?.(path);
}

function readablePath(arg: Arg, { cwd }: Invocation, surroundings: Surroundings): string | undefined {
  const { path } = targetOf(arg, cwd, surroundings);
  return path?.includes(UNKNOWN) ? undefined : path;
}

/** `RM` on a file system without case, `git.exe` on Windows. */
const plainName = (program: string) => program.toLowerCase().replace(/\.(exe|cmd|bat)$/, "");
