import type { Invocation } from "./invocation.ts";

/** One word of a command line after expansion, as far as it can be known without running anything. */
export interface Arg {
  /** Its value; each part that cannot be known stands as UNKNOWN. */
  readonly text: string;
  /** Has an unquoted wildcard: it may name many files. */
  readonly glob: boolean;
  /** The shell puts the names of files in its place. Other wildcards are for a program to read. */
  readonly expands?: true;
  /** The programs whose output it is, wholly or in part. */
  readonly from?: readonly Invocation[];
}

/** Stands for text that only exists when the command runs. Never part of a real command line. */
export const UNKNOWN = "\u{FFFC}";

export const isKnown = ({ text }: Arg) => !text.includes(UNKNOWN);
export const arg = (text: string): Arg => ({ text, glob: false });
export const texts = (args: readonly Arg[]) => args.map(({ text }) => text);
/** A word as it can stand in a command line again. */
export const quoted = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
