/** What a program starts in its turn. */
import type { Arg } from "./arg.ts";
import type { Invocation } from "./invocation.ts";

export type Unwrapped = (
  | { readonly words: readonly Arg[] }
  /** Text that a shell would run. `inheritsStdin`: it reads the wrapper's own input. */
  | { readonly script: string; readonly inheritsStdin?: boolean }
) & {
  readonly via: string;
  readonly elsewhere?: string;
  readonly cwd?: Arg;
  readonly env?: ReadonlyMap<string, Arg>;
  /** It runs in the shell itself, not in a process of its own. */
  readonly inThisShell?: true;
};

export type Unwrap = (invocation: Invocation) => readonly Unwrapped[];

/** One by one, where there may be more of them than a memory holds: as many as words times words. */
export type UnwrapEach = (invocation: Invocation) => Iterable<Unwrapped>;
