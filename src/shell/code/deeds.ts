/** What a piece of code would do, in terms a shell walk can go on with. */
import type { Arg } from "../arg.ts";

export type Deed =
  /** Text that a shell runs. */
  | { readonly type: "script"; readonly text: string; readonly via: string }
  /** A program with its words. */
  | { readonly type: "words"; readonly words: readonly Arg[]; readonly via: string }
  | { readonly type: "delete"; readonly path: Arg; readonly recursive: boolean }
  | { readonly type: "overwrite"; readonly path: Arg; readonly append: boolean }
  | { readonly type: "read"; readonly path: Arg }
  | { readonly type: "move"; readonly from: Arg; readonly to: Arg }
  | { readonly type: "permissions"; readonly path: Arg; readonly mode: string }
  | { readonly type: "kill"; readonly target: string; readonly signal: string }
  | { readonly type: "fork-bomb" }
  | { readonly type: "remote-code"; readonly source: string }
  | { readonly type: "hidden-code"; readonly how: string }
  /** Text or files go to another machine. `environment`: all of this process's variables. */
  | { readonly type: "send"; readonly to: string; readonly files: readonly Arg[]; readonly environment: boolean }
  | { readonly type: "sql"; readonly text: string };

/** What an expression stands for, as far as it can be known. */
export interface Value {
  /** Parts that cannot be known stand as UNKNOWN. */
  readonly text?: string;
  readonly glob?: boolean;
  readonly items?: readonly Value[];
  /** A dotted name: a module, a function, a class. */
  readonly symbol?: string;
  readonly fields?: ReadonlyMap<string, Value>;
  /** Came from this address. */
  readonly remote?: string;
  /** Came out of a decoder that was fed something unknown. */
  readonly decoded?: boolean;
  /** Came out of this file. */
  readonly file?: Arg;
  /** Holds the environment of the process. */
  readonly environment?: boolean;
}

export interface Call {
  readonly args: readonly Value[];
  /** Named arguments and the fields of option objects. */
  readonly fields: ReadonlyMap<string, Value>;
  /** The value before the dot. */
  readonly self: Value | undefined;
  readonly name: string;
  emit(deed: Deed): void;
  /** Looks at text that is code of the same language. */
  nested(code: string): void;
  changeDirectory(path: string): void;
  pathOf(value: Value | undefined): Arg;
}

export type Handler = (call: Call) => Value | undefined;
export type Calls = Readonly<Record<string, Handler>>;
