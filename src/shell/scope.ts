/** What a shell knows at a point of its script, and the builtins that change it. */
import type { Function as FunctionNode } from "unbash";
import { type Arg, isKnown, UNKNOWN } from "./arg.ts";
import type { Invocation, Stdin } from "./invocation.ts";
import { normal } from "./places.ts";

export interface Scope {
  cwd: string | undefined;
  readonly variables: Map<string, string>;
  /** Variables that hold the output of programs. */
  readonly origins: Map<string, readonly Invocation[]>;
  readonly functions: Map<string, FunctionNode["body"]>;
  readonly aliases: Map<string, string>;
  readonly stdin: Stdin;
  readonly via: readonly string[];
  readonly elsewhere: string | undefined;
  readonly depth: number;
}

export const copied = (scope: Scope): Scope => ({
  ...scope,
  variables: new Map(scope.variables),
  origins: new Map(scope.origins),
  functions: new Map(scope.functions),
  aliases: new Map(scope.aliases),
});

export const deeper = (scope: Scope, via: string): Scope => ({
  ...copied(scope),
  via: [...scope.via, via],
  depth: scope.depth + 1,
});

export const joined = (cwd: string | undefined, to: Arg): string | undefined => {
  if (!isKnown(to)) return undefined;
  if (to.text.startsWith("/")) return normal(to.text);
  return cwd === undefined ? undefined : normal(`${cwd}/${to.text}`);
};

/** Builtins that change what the rest of the line means. */
export const BUILTINS: Readonly<
  Record<string, ((args: readonly Arg[], scope: Scope, homeDir: string) => void) | undefined>
> = Object.assign(Object.create(null), {
  cd: changeDirectory,
  pushd: changeDirectory,
  export: declare,
  declare,
  local: declare,
  typeset: declare,
  readonly: declare,
  unset: (args: readonly Arg[], scope: Scope) => {
    for (const { text } of args) {
      scope.variables.set(text, "");
      scope.functions.delete(text);
    }
  },
  read: (args: readonly Arg[], scope: Scope) => {
    for (const { text } of args) if (!text.startsWith("-")) scope.variables.set(text, UNKNOWN);
  },
  alias: (args: readonly Arg[], scope: Scope) => {
    for (const { text } of args) {
      const at = text.indexOf("=");
      if (at > 0) scope.aliases.set(text.slice(0, at), text.slice(at + 1));
    }
  },
});

function changeDirectory(args: readonly Arg[], scope: Scope, homeDir: string): void {
  const target = args.find(({ text }) => !text.startsWith("-") || text === "-");
  if (!target) scope.cwd = homeDir;
  else if (target.text === "-" || !isKnown(target) || target.glob) scope.cwd = undefined;
  else scope.cwd = joined(scope.cwd, { ...target, text: target.text.replace(/^~(?=\/|$)/, homeDir) });
  if (scope.cwd !== undefined) scope.variables.set("PWD", scope.cwd);
  else scope.variables.delete("PWD");
}

function declare(args: readonly Arg[], scope: Scope): void {
  for (const { text, from } of args) {
    const at = text.indexOf("=");
    if (at <= 0) continue;
    scope.variables.set(text.slice(0, at), text.slice(at + 1));
    if (from) scope.origins.set(text.slice(0, at), from);
  }
}
