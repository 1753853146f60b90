/** What a program does, by its name. One table per area; analyse.ts joins them. */
import type { Arg } from "./arg.ts";
import type { CommandEffect, Target } from "./effect.ts";
import type { Invocation } from "./invocation.ts";

export interface ProgramContext {
  /** The path an argument names, from where the program runs. */
  target(arg: Arg): Target;
  /** The text that arrives on stdin, where it can be known. */
  readonly input: string | undefined;
  /** The text of a file: as this very command line wrote it, else as it lies on the disk; undefined: nobody could read it. */
  textOf(arg: Arg): string | undefined;
  /** There is no such file, and nothing before it in the command line can have made it. */
  isMissing(arg: Arg): boolean;
  /** A patch that this very command line took from the repository. */
  isOwnHistory(arg: Arg): boolean;
}

export type Program = (invocation: Invocation, context: ProgramContext) => readonly CommandEffect[];
export type Programs = Readonly<Record<string, Program>>;
