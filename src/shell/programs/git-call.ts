/** What every verb of git is given, and how its effects are said. */
import { type Arg, texts } from "../arg.ts";
import type { CommandEffect, GitDeed, Target } from "../effect.ts";
import type { Options } from "../options.ts";
import type { ProgramContext } from "../programs.ts";

export interface Call {
  readonly args: readonly Arg[];
  readonly repository: Target;
  readonly context: ProgramContext;
  /** `-c key=value` before the verb; keys in lower case. */
  readonly config: ReadonlyMap<string, string>;
}

export type Verb = (call: Call) => readonly (CommandEffect | Deed)[];
export interface Deed {
  readonly deed: GitDeed;
  readonly detail: string;
}

export const did = (deed: GitDeed, detail = ""): Deed => ({ deed, detail });

/** Whether an option was given, by its letter or by any beginning of its long name that git would accept. */
export const gives = (options: Options, letter: string, long: string, shortest = 3) =>
  (letter !== "" && options.given.has(letter)) ||
  [...options.given].some((name) => name.length >= shortest && name.length > 1 && long.startsWith(name));

export const written = (args: readonly Arg[]) => texts(args).join(" ");

/** Contents of files that git writes over: guards of single paths look at these. */
export const writtenOver = (paths: readonly Arg[], { context }: Call): CommandEffect[] =>
  paths.map((path) => ({ type: "overwrite", path: context.target(path), append: true }));
