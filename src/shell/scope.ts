/** What a shell knows at a point of its script, and the builtins that change it. */
import type { Function as FunctionNode } from "unbash";
import { type Arg, arg, isKnown, UNKNOWN } from "./arg.ts";
import { setElements } from "./arrays.ts";
import type { Invocation, Stdin } from "./invocation.ts";
import { Layers } from "./layers.ts";
import { readOptions } from "./options.ts";
import { normal } from "./places.ts";
import { linesOf } from "./printed-names.ts";
import { formatted } from "./printed-text.ts";
import { separator } from "./words.ts";

export interface Scope {
  cwd: string | undefined;
  /** Where it may be as well: what moved it may not have run to its end. */
  alsoIn: readonly (string | undefined)[];
  /** Where `popd` leads, the last one first. */
  pushed: readonly (string | undefined)[];
  readonly variables: Layers<string>;
  /** Variables that hold the output of programs. */
  readonly origins: Layers<readonly Invocation[]>;
  readonly functions: Layers<FunctionNode["body"]>;
  readonly aliases: Layers<string>;
  readonly stdin: Stdin;
  readonly via: readonly string[];
  readonly elsewhere: string | undefined;
  readonly depth: number;
  /** In a function: the names that are its own. */
  readonly locals: Set<string> | undefined;
}

export const copied = (scope: Scope): Scope => below(scope, scope.via, scope.depth);

export const deeper = (scope: Scope, via: string): Scope => below(scope, [...scope.via, via], scope.depth + 1);

/** Field by field, as all of them are made on every call: V8 gives a copy with fields replaced a shape of its own. */
const below = (scope: Scope, via: readonly string[], depth: number): Scope => ({
  cwd: scope.cwd,
  alsoIn: scope.alsoIn,
  pushed: scope.pushed,
  variables: new Layers(scope.variables),
  origins: new Layers(scope.origins),
  functions: new Layers(scope.functions),
  aliases: new Layers(scope.aliases),
  stdin: scope.stdin,
  via,
  elsewhere: scope.elsewhere,
  depth,
  locals: scope.locals,
});

/** The one shell stands where the other does. */
export function goWhere(from: Scope, scope: Scope): void {
  scope.cwd = from.cwd;
  scope.alsoIn = from.alsoIn;
  scope.pushed = from.pushed;
}

/** What ran in this very shell (a function, `eval`, `. file`) has changed it; `isOwn`: names that went with it. */
export function takeOver(scope: Scope, from: Scope, isOwn: (name: string) => boolean): void {
  goWhere(from, scope);
  from.variables.handDown(isOwn);
  from.origins.handDown(isOwn);
  from.functions.handDown(isOwn);
  from.aliases.handDown(isOwn);
}

/** The same for what has ways past its `cd`: `return`, conditions. Then the shell may be where it was. */
export function takeOverInDoubt(
  scope: Scope,
  from: Scope,
  isOwn: (name: string) => boolean,
  onTooMany: () => void,
): void {
  const before = scope.cwd;
  takeOver(scope, from, isOwn);
  const places = others(scope, [...scope.alsoIn, before]);
  if (places.length > MAX_PLACES) onTooMany();
  scope.alsoIn = places.slice(0, MAX_PLACES);
}

const MAX_PLACES = 8;
export const TOO_MANY_PLACES = "may be in more directories than can be looked at";

const others = ({ cwd }: Scope, directories: readonly (string | undefined)[]) =>
  [...new Set(directories)].filter((directory) => directory !== cwd);

/** The program as it would start here. */
export function placedIn({ cwd, via, elsewhere }: Scope, invocation: Omit<Invocation, "cwd" | "via">): Invocation {
  const { program, args, stdin, redirects, env, source, path, from, searched } = invocation;
  const placed: Changeable<Invocation> = { program, args, cwd, stdin, redirects, env, via, source };
  if (elsewhere) placed.elsewhere = elsewhere;
  if (path) placed.path = path;
  if (from) placed.from = from;
  if (searched) placed.searched = searched;
  return placed;
}

type Changeable<T> = { -readonly [key in keyof T]: T[key] };

export function assign(scope: Scope, name: string, value: Arg): void {
  scope.variables.set(name, value.text);
  if (value.from) scope.origins.set(name, value.from);
  else scope.origins.delete(name);
}

export const joined = (cwd: string | undefined, to: Arg): string | undefined => {
  if (!isKnown(to)) return undefined;
  if (to.text.startsWith("/")) return normal(to.text);
  return cwd === undefined ? undefined : normal(`${cwd}/${to.text}`);
};

/** `~`, and `~+` for where the shell stands. */
export const withoutTilde = (text: string, { cwd }: Scope, homeDir: string) =>
  text.replace(/^~(\+?)(?=\/|$)/, (_, plus: string) => (plus ? (cwd ?? UNKNOWN) : homeDir));

export const placesAt = ({ cwd, alsoIn }: Scope, to: Arg) => ({
  cwd: joined(cwd, to),
  alsoIn: alsoIn.map((directory) => joined(directory, to)),
});

/** Does what a builtin does, from wherever the shell may be. */
export function runBuiltin(
  name: string,
  args: readonly Arg[],
  scope: Scope,
  homeDir: string,
  rest: Pick<Invocation, "stdin" | "env">,
): void {
  const builtin = BUILTINS[name];
  if (!builtin) return;
  const from = scope.alsoIn.map((cwd) => ({ ...copied(scope), cwd }));
  const before = scope.cwd;
  for (const other of from) builtin(args, other, homeDir, rest);
  builtin(args, scope, homeDir, rest);
  const searched = before === scope.cwd || name === "popd" ? [] : foundByCdpath(args, before, scope, rest.env);
  if (from.length > 0 || searched.length > 0)
    scope.alsoIn = others(scope, [...from.map(({ cwd }) => cwd), ...searched]);
}

/** Directories that `cd x` may lead to, besides the one that is named: as with PATH, one behind the other. */
function foundByCdpath(
  args: readonly Arg[],
  before: string | undefined,
  { variables }: Scope,
  env: Invocation["env"],
): readonly (string | undefined)[] {
  const given = env.get("CDPATH")?.text ?? variables.get("CDPATH");
  const target = args.find(({ text }) => !text.startsWith("-"));
  if (!given || !target || !isKnown(target) || /^(?:\/|~|\.\.?(?:\/|$))/.test(target.text)) return [];
  const entries = given.split(":").filter(Boolean);
  if (entries.length > MAX_PLACES) return [undefined];
  return entries.map((entry) => joined(joined(before, arg(entry)), target));
}

/** Builtins that change what the rest of the line means. */
const BUILTINS: Readonly<
  Record<
    string,
    ((args: readonly Arg[], scope: Scope, homeDir: string, rest: Pick<Invocation, "stdin" | "env">) => void) | undefined
  >
> = Object.assign(Object.create(null), {
  cd: changeDirectory,
  pushd: pushDirectory,
  popd: popDirectory,
  export: declare,
  declare: declareHere,
  local: declareHere,
  typeset: declareHere,
  readonly: declare,
  unset: (args: readonly Arg[], scope: Scope) => {
    for (const { text } of args) {
      scope.variables.set(text, "");
      scope.functions.delete(text);
    }
  },
  read: readLine,
  mapfile: readLines,
  readarray: readLines,
  printf: (args: readonly Arg[], scope: Scope) => {
    const [option, name, format, ...values] = args;
    if (option?.text !== "-v" || !name || !format) return;
    scope.variables.set(name.text, formatted([format.text, ...values.map(({ text }) => text)]));
  },
  set: (args: readonly Arg[], scope: Scope) => {
    const { operands } = readOptions(args, { valued: ["o"], stopAtOperand: true });
    const given = operands.filter(({ text }, index) => index > 0 || !/^\+\w/.test(text));
    if (given.length > 0 || args.some(({ text }) => text === "--")) setPositionals(scope, given);
  },
  shift: (args: readonly Arg[], scope: Scope) => {
    const count = Number(scope.variables.get("#"));
    if (!(count <= MAX_PARAMETERS)) return;
    const by = Number(args[0]?.text ?? 1);
    const values = Array.from({ length: count }, (_, index) => scope.variables.get(String(index + 1)) ?? UNKNOWN);
    setPositionals(
      scope,
      values.slice(by).map((text) => ({ text, glob: false })),
    );
  },
  alias: (args: readonly Arg[], scope: Scope) => {
    for (const { text } of args) {
      const at = text.indexOf("=");
      if (at > 0) scope.aliases.set(text.slice(0, at), text.slice(at + 1));
    }
  },
});

function readLine(
  args: readonly Arg[],
  scope: Scope,
  _: string,
  { stdin, env }: Pick<Invocation, "stdin" | "env">,
): void {
  const { operands, values } = readOptions(args, { valued: ["a", "d", "i", "n", "N", "p", "t", "u"] });
  const ifs = env.get("IFS")?.text ?? scope.variables.get("IFS");
  const words = linesOf(stdin)?.[0]?.trim().split(separator(ifs));
  const array = values.get("a")?.text;
  if (array !== undefined) scope.variables.set(array, words ? setElements(scope, array, words, false) : UNKNOWN);
  operands.forEach(({ text: name }, index) => {
    const rest = index === operands.length - 1 ? words?.slice(index).join(" ") : words?.[index];
    scope.variables.set(name, rest ?? UNKNOWN);
  });
}

function readLines(args: readonly Arg[], scope: Scope, _: string, { stdin }: Pick<Invocation, "stdin">): void {
  const { operands } = readOptions(args, { valued: ["d", "n", "O", "s", "u", "C", "c"] });
  const name = operands[0]?.text ?? "MAPFILE";
  const lines = linesOf(stdin);
  scope.variables.set(name, lines ? setElements(scope, name, lines, false) : UNKNOWN);
}

const MAX_PARAMETERS = 64;

/** `$1`, `$2`, …, `$@`. */
export function setPositionals(scope: Scope, args: readonly Arg[]): void {
  for (const [index, { text }] of args.slice(0, MAX_PARAMETERS).entries()) scope.variables.set(String(index + 1), text);
  const all = args.map(({ text }) => text).join(" ");
  scope.variables.set("@", all).set("*", all).set("#", String(args.length));
}

export const isPositional = (name: string) => /^(?:\d+|[@*#])$/.test(name);

/** A directory that mktemp makes, or below it: nobody knows its name, but nothing is in it. */
const FRESH = new RegExp(`^/tmp/${UNKNOWN}(?:/(?!\\.\\.?(?:/|$))[^/${UNKNOWN}]+)*$`);

function changeDirectory(args: readonly Arg[], scope: Scope, homeDir: string): void {
  const target = args.find(({ text }) => !text.startsWith("-") || text === "-");
  const before = scope.cwd;
  if (!target) scope.cwd = homeDir;
  else if (target.from?.every(({ program }) => program === "mktemp") && FRESH.test(target.text))
    scope.cwd = target.text;
  else if (target.text === "-") scope.cwd = scope.variables.get("OLDPWD");
  else if (!isKnown(target) || target.glob) scope.cwd = undefined;
  else scope.cwd = joined(scope.cwd, { ...target, text: target.text.replace(/^~(?=\/|$)/, homeDir) });
  remember(scope, "OLDPWD", before);
  remember(scope, "PWD", scope.cwd);
}

function remember({ variables }: Scope, name: string, directory: string | undefined): void {
  if (directory === undefined) variables.delete(name);
  else variables.set(name, directory);
}

const isRotation = ({ text }: Arg) => /^[-+]\d+$/.test(text);
const staysHere = ({ text }: Arg) => text === "-n";

function pushDirectory(args: readonly Arg[], scope: Scope, homeDir: string): void {
  const left = scope.cwd;
  if (args.some(staysHere)) {
    scope.pushed = [undefined, ...scope.pushed];
    return;
  }
  if (args.some(isRotation)) leave(scope, undefined);
  else if (args.some(({ text }) => !text.startsWith("-"))) changeDirectory(args, scope, homeDir);
  // Alone it goes back to the directory that was left last.
  else if (!popDirectory(args, scope)) return;
  scope.pushed = [left, ...scope.pushed];
}

/** A shell that has left none stays where it is. */
function popDirectory(args: readonly Arg[], scope: Scope): boolean {
  if (scope.pushed.length === 0) return false;
  const [last, ...others] = scope.pushed;
  scope.pushed = others;
  if (!args.some(staysHere)) leave(scope, args.some(isRotation) ? undefined : last);
  return true;
}

function leave(scope: Scope, to: string | undefined): void {
  remember(scope, "OLDPWD", scope.cwd);
  scope.cwd = to;
  remember(scope, "PWD", to);
}

function declare(args: readonly Arg[], scope: Scope): void {
  for (const { text, from } of args) {
    const at = text.indexOf("=");
    if (at <= 0) continue;
    scope.variables.set(text.slice(0, at), text.slice(at + 1));
    if (from) scope.origins.set(text.slice(0, at), from);
  }
}

/** In a function they are its own, unless they are said to be everybody's. */
function declareHere(args: readonly Arg[], scope: Scope): void {
  declare(args, scope);
  if (!scope.locals || args.some(({ text }) => /^-\w*g/.test(text))) return;
  for (const { text } of args) if (!text.startsWith("-")) scope.locals.add(text.replace(/\+?=.*$/s, ""));
}

/** A container begins in a directory of its own, which goes with it; on another machine nobody knows where one begins. */
export const startingDir = (elsewhere: string) => (elsewhere === "a container" ? "/tmp/in-container" : undefined);

/** A shell before its first command. */
export const scopeAt = (cwd: string | undefined, homeDir: string): Scope => ({
  cwd,
  alsoIn: [],
  pushed: [],
  variables: variablesAt(cwd, homeDir),
  origins: new Layers(),
  functions: new Layers(),
  aliases: new Layers(),
  stdin: { type: "inherited" },
  via: [],
  elsewhere: undefined,
  depth: 0,
  locals: undefined,
});

function variablesAt(cwd: string | undefined, homeDir: string): Layers<string> {
  const known = new Layers<string>().set("HOME", homeDir).set("TMPDIR", "/tmp");
  known.set("SHELL", "/bin/sh").set("BASH", "/bin/bash");
  return cwd ? known.set("PWD", cwd) : known;
}
