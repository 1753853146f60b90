/** One program that a command line would start, with what is known of its words and surroundings. */
import type { Arg } from "./arg.ts";

export interface Invocation {
  /** The program's base name; UNKNOWN where it only exists at run time. */
  readonly program: string;
  readonly args: readonly Arg[];
  /** The directory it runs in; undefined after a `cd` to an unknown place. */
  readonly cwd: string | undefined;
  readonly stdin: Stdin;
  readonly redirects: readonly FileRedirect[];
  /** Assignments before the program, as in `GIT_DIR=x git …`. */
  readonly env: ReadonlyMap<string, Arg>;
  readonly via: readonly string[];
  /** The piece of the command line, as written. */
  readonly source: string;
  /** Runs elsewhere: in a container, on another machine. Paths are not of this machine. */
  readonly elsewhere?: string;
  /** The program as a path, where it was named by one. */
  readonly path?: Arg;
  /** The program's name is what other programs print. */
  readonly from?: readonly Invocation[];
  /** The file it runs, where this very command line wrote that file: its text if known, and where it came from. */
  readonly script?: WrittenFile;
  /** Files it may read that this very command line wrote, by the words that name them. */
  readonly inputs?: ReadonlyMap<string, WrittenFile>;
  /** Directories in which it, and what it starts, look for programs, where this very command line names them. */
  readonly searched?: readonly Arg[];
}

export interface WrittenFile {
  readonly text: string | undefined;
  readonly from: readonly Invocation[];
}

export type Stdin =
  | { readonly type: "inherited" }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "file"; readonly path: Arg }
  /** What the left side of a pipe prints; `producers` are its programs, in order. */
  | { readonly type: "pipe"; readonly producers: readonly Invocation[] };

export interface FileRedirect {
  readonly direction: "write" | "append" | "read";
  readonly target: Arg;
}
