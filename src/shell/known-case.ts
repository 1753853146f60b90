import type { Arg } from "./arg.ts";
import { PROGRAMS } from "./program-table.ts";
import { isWrapper } from "./unwrap.ts";

/** `RM -RF /`: on a file system that folds case it is rm; where it is not, nothing is lost by stopping it. */
export function inKnownCase(program: string, args: readonly Arg[]): [string, readonly Arg[]] {
  const lower = program.toLowerCase();
  if (lower === program || (!PROGRAMS.has(lower) && !isWrapper(lower))) return [program, args];
  return [lower, args.map((item) => ({ ...item, text: item.text.toLowerCase() }))];
}
