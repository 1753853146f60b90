/** A command line -> what it would do. Nothing is run; files are only looked at where the caller allows it. */
import type { Arg } from "./arg.ts";
import type { CommandEffect, FoundEffect } from "./effect.ts";
import { sourcesOf } from "./executed.ts";
import type { Invocation } from "./invocation.ts";
import { type Surroundings, targetOf } from "./places.ts";
import { inputText } from "./printed-text.ts";
import { PROGRAMS } from "./program-table.ts";
import { codeEffects } from "./programs/code.ts";
import { deployEffects } from "./programs/deploy.ts";
import { executionEffects } from "./programs/execution.ts";
import { redirectEffects } from "./programs/redirects.ts";
import type { ProgramContext } from "./programs.ts";
import { walkCommand } from "./walk.ts";

export interface AnalyseOptions extends Surroundings {
  readonly cwd: string;
}

export interface Analysis {
  readonly effects: readonly FoundEffect[];
  readonly invocations: readonly Invocation[];
}

export function analyseCommand(text: string, options: AnalyseOptions): Analysis {
  const { invocations, unclear } = walkCommand(text, { cwd: options.cwd, homeDir: options.homeDir });
  const quiet = takenIntoVariables(invocations);
  const effects = invocations.flatMap((invocation) => {
    const found = effectsOf(invocation, options);
    return quiet.has(invocation) ? found.map(asKept) : found;
  });
  const unknown = unclear.map(
    ({ why, text: piece }): FoundEffect => ({ effect: { type: "unclear", why, text: piece }, source: piece, via: [] }),
  );
  return { effects: [...effects, ...unknown], invocations };
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

function effectsOf(invocation: Invocation, surroundings: Surroundings): FoundEffect[] {
  const context: ProgramContext = {
    target: (arg: Arg) => targetOf(arg, invocation.cwd, surroundings),
    input: inputText(invocation.stdin),
  };
  const program = PROGRAMS.get(invocation.program) ?? PROGRAMS.get(plainName(invocation.program));
  const found: readonly CommandEffect[] = [
    ...(program?.(invocation, context) ?? []),
    ...redirectEffects(invocation, context),
    ...codeEffects(invocation, context),
    ...deployEffects(invocation),
    ...executionEffects(invocation, context),
  ];
  return found.map((effect) => ({ effect, source: invocation.source, via: invocation.via }));
}

/** `RM` on a file system without case, `git.exe` on Windows. */
const plainName = (program: string) => program.toLowerCase().replace(/\.(exe|cmd|bat)$/, "");
