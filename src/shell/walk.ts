/**
 * Plays a command line through without running it: every program it would start, in order, with the directory,
 * variables, functions and input it would have. Tolerant: what cannot be known is UNKNOWN, never guessed to be harmless.
 */
import {
  type Command,
  type CompoundList,
  type For,
  type Function as FunctionNode,
  type ParsedScript,
  type PipelineNode,
  parse,
  type Select,
  type Statement,
} from "unbash";
import { type Arg, arg, isKnown, quoted, UNKNOWN } from "./arg.ts";
import { Branches } from "./branches.ts";
import { Doubts, type Unclear } from "./doubts.ts";
import { scriptOf } from "./executed.ts";
import { FilesSoFar } from "./files-so-far.ts";
import { isForkBomb } from "./fork-bomb.ts";
import { gitEnvironment } from "./git-settings.ts";
import { HeldWords } from "./held-words.ts";
import type { Invocation, WrittenFile } from "./invocation.ts";
import { inKnownCase } from "./known-case.ts";
import { loopValues } from "./loop-values.ts";
import { backInDoubt, failureOf, failureOfAssignments, type IsDirectory, throughSearchPath } from "./outcomes.ts";
import { mayBeStarted, startedAs } from "./own-programs.ts";
import { isRun } from "./run-variables.ts";
import {
  assign,
  copied,
  deeper,
  goOnAs,
  isPositional,
  leaveBy,
  placedIn,
  placesAt,
  runBuiltin,
  type Scope,
  scopeAt,
  setPositionals,
  startingDir,
  TOO_MANY_PLACES,
  takeOver,
  takeOverInDoubt,
} from "./scope.ts";
import { searchedDirectories } from "./searched-directories.ts";
import { Traps } from "./traps.ts";
import { unwrap } from "./unwrap.ts";
import type { Unwrapped } from "./unwrapped.ts";
import { placesOf, standIn } from "./whereabouts.ts";
import { WordsInShell } from "./words-in-shell.ts";

export interface Walk {
  readonly invocations: readonly Invocation[];
  /** Variables that an assignment or a loop sets, wherever it stands. */
  readonly assigned: ReadonlySet<string>;
  readonly unclear: readonly Unclear[];
}

const MAX_INVOCATIONS = 4_000;
const MAX_STEPS = 10_000;
const MAX_DEPTH = 24;
const MAX_TEXT = 200_000;

export function walkCommand(
  text: string,
  options: {
    readonly cwd: string | undefined;
    readonly homeDir: string;
    readonly isDirectory?: IsDirectory | undefined;
  },
): Walk {
  const walker = new Walker(options.homeDir, options.isDirectory);
  walker.shell(scopeAt(options.cwd, options.homeDir), (scope) => walker.script(text, scope));
  const invocations = [...walker.invocations, ...walker.inOtherPlaces];
  return { invocations, assigned: walker.assigned, unclear: walker.doubts.all };
}

class Walker {
  readonly invocations: Invocation[] = [];
  readonly inOtherPlaces: Invocation[] = [];
  readonly assigned = new Set<string>();
  readonly doubts = new Doubts();
  readonly #homeDir: string;
  readonly #isDirectory: IsDirectory | undefined;
  readonly #branches = new Branches({
    statements: (list, scope) => this.#statements(list, scope),
    pipeline: (node, scope) => this.#pipeline(node, scope),
    onTooManyPlaces: () => this.#onTooManyPlaces(),
  });
  readonly #words: WordsInShell;
  readonly #files: FilesSoFar;
  readonly #started = new Set<WrittenFile>();
  #source = "";
  #steps = 0;
  #traps = new Traps();
  readonly #held = new HeldWords();

  constructor(homeDir: string, isDirectory: IsDirectory | undefined) {
    this.#homeDir = homeDir;
    this.#isDirectory = isDirectory;
    this.#files = new FilesSoFar(homeDir);
    this.#words = new WordsInShell(homeDir, this.assigned, (script, scope) => this.#inWord(script, scope));
  }

  /** A shell from its first command to its end. */
  shell(scope: Scope, walk: (scope: Scope) => void): void {
    const outer = this.#traps;
    const own = new Traps();
    this.#traps = own;
    walk(scope);
    if (own.texts.size > 0) {
      this.#branches.settle(scope);
      standIn(scope, [...placesOf(scope), ...own.visited], this.#onTooManyPlaces);
      for (const text of own.texts) this.script(text, deeper(scope, "trap"));
    }
    this.#traps = outer;
  }

  script(text: string, scope: Scope): void {
    if (scope.depth > MAX_DEPTH) return this.doubts.leaveUnseen("nested too deeply", text);
    if (text.length > MAX_TEXT) return this.doubts.add("longer than can be looked at", text);
    const outer = this.#source;
    this.#source = text;
    try {
      const parsed = parse(text);
      const [error] = parsed.errors ?? [];
      if (error) this.doubts.add(`cannot be parsed: ${error.message}`, text);
      this.#statements(parsed, scope);
    } catch (error) {
      // Only nesting deeper than the stack goes: RangeError.
      if (!(error instanceof RangeError)) throw error;
      this.doubts.leaveUnseen("nested too deeply", text);
    }
    this.#source = outer;
  }

  #statements(list: ParsedScript | CompoundList, scope: Scope): void {
    for (const statement of list.commands) {
      this.#branches.settle(scope);
      this.#statement(statement, scope);
    }
  }

  #statement({ command, background }: Statement, scope: Scope): void {
    const inner = background ? copied(scope) : scope;
    if (command.type === "AndOr") this.#branches.andOr(command, inner);
    else this.#pipeline(command, inner);
  }

  #pipeline(node: PipelineNode, scope: Scope): void {
    if (node.type !== "Pipeline") return this.#node(node, scope);
    if (node.commands.length === 1 && node.commands[0]) {
      this.#node(node.commands[0], scope);
      if (node.prefixes.filter(({ type }) => type === "Negation").length % 2 === 1) this.#branches.negate(scope);
      return;
    }
    scope.failed = undefined;
    let stdin = scope.stdin;
    for (const command of node.commands) {
      const first = this.invocations.length;
      this.#node(command, { ...copied(scope), stdin });
      stdin = { type: "pipe", producers: this.invocations.slice(first) };
    }
  }

  #node(node: PipelineNode | FunctionNode["body"], scope: Scope): void {
    if (this.invocations.length > MAX_INVOCATIONS) return;
    if (++this.#steps >= MAX_STEPS) {
      if (this.#steps === MAX_STEPS) this.doubts.leaveUnseen("does more than can be looked at", this.#source);
      return;
    }
    scope.failed = undefined;
    switch (node.type) {
      case "Command":
        return this.#command(node, scope);
      case "Pipeline":
        return this.#pipeline(node, scope);
      case "CompoundList":
        return this.#statements(node, scope);
      case "Subshell":
        return this.shell(copied(scope), (inner) => this.#statements(node.body, inner));
      case "BraceGroup":
        return this.#statements(node.body, scope);
      case "If":
        return this.#branches.either(node, scope);
      case "While":
        return this.#branches.while(node, scope);
      case "For":
      case "Select":
        return this.#loop(node, scope);
      case "ArithmeticFor":
        for (const part of [node.initialize, node.test, node.update]) if (part) this.#words.substitutions(part, scope);
        return this.#branches.each([() => undefined], node.body, true, scope);
      case "Case":
        this.#words.expand(node.word, scope);
        return this.#branches.oneOf(node, scope);
      case "Function":
        if (isForkBomb(node)) {
          const source = this.#textOf(node);
          this.#emit(
            { program: "fork-bomb", args: [], redirects: [], stdin: scope.stdin, env: new Map(), source },
            scope,
          );
        }
        scope.functions.set(node.name.value, node.body);
        return;
      case "Coproc":
        return this.#node(node.body, copied(scope));
      case "Redirected": {
        const { redirects, stdin } = this.#words.redirections(node.redirects, scope);
        if (redirects.length > 0)
          this.#emit({ program: ":", args: [], redirects, stdin, env: new Map(), source: this.#textOf(node) }, scope);
        if (stdin.type === "inherited") return this.#node(node.command, scope);
        const inner = { ...scope, stdin };
        this.#node(node.command, inner);
        return goOnAs(scope, inner);
      }
      case "TestCommand":
      case "ArithmeticCommand":
        return this.#words.substitutions(node, scope);
    }
  }

  #loop({ name, wordlist, body, type }: For | Select, scope: Scope): void {
    const values = wordlist?.flatMap((word) => this.#words.expand(word, scope)) ?? [arg(UNKNOWN)];
    const looked = loopValues(values.map(({ text }) => text));
    if (!looked.areAll) this.doubts.leaveUnseen("goes through more than can be looked at", this.#source);
    this.assigned.add(name.value);
    const rounds = (looked.values.length > 0 ? looked.values : [UNKNOWN]).map(
      (value) => () => void scope.variables.set(name.value, value),
    );
    this.#branches.each(rounds, body, type === "Select" || !values.some(isKnown), scope);
  }

  #command(node: Command, scope: Scope): void {
    if (scope.depth === 0) this.#held.nextCommand();
    const assignments = new Map<string, Arg>();
    for (const item of node.prefix)
      if (item.type === "Assignment") assignments.set(item.name, this.#words.value(item, scope));
    const { redirects, stdin } = this.#words.redirections(node.redirects, scope);
    const source = this.#textOf(node);
    if (!node.name) {
      for (const [name, value] of assignments) assign(scope, name, value);
      if (redirects.length === 0) scope.failed = failureOfAssignments(assignments.values());
      const env = new Map([...assignments].filter(([name]) => isRun(name)));
      if (redirects.length > 0 || env.size > 0)
        this.#emit({ program: ":", args: [], redirects, stdin, env, source }, scope);
      return;
    }
    const words = [...this.#words.expand(node.name, scope)];
    for (const item of node.args) {
      if (item.type === "Word") for (const word of this.#words.expand(item, scope)) words.push(word);
      else words.push(this.#words.assignment(item, scope));
    }
    this.#run(words, { redirects, stdin, env: assignments, source }, scope);
  }

  /** Starts a program, or does what a builtin, a function or an alias of this very command line would do. */
  #run(words: readonly Arg[], rest: Pick<Invocation, "redirects" | "stdin" | "env" | "source">, scope: Scope): void {
    const name = words[0];
    if (!name) return;
    const args = words.slice(1);
    const alias = scope.aliases.get(name.text);
    if (alias !== undefined && scope.depth < MAX_DEPTH) {
      // A shell that runs a script leaves aliases alone: it may stay where it is.
      const given = args.map(({ text }) => quoted(text)).join(" ");
      return this.script(`${alias} ${given}`, deeper(scope, `alias ${name.text}`));
    }
    const body = scope.functions.get(name.text);
    if (body && scope.depth < MAX_DEPTH) {
      const locals = new Set([name.text]);
      const inner = { ...deeper(scope, `function ${name.text}`), locals };
      setPositionals(inner, args);
      inner.functions.delete(name.text);
      const ends = this.#branches.endsOfBody(() => this.#node(body, inner), inner);
      if (ends.length > 0) standIn(inner, ends, this.#onTooManyPlaces);
      const isOwn = (own: string) => locals.has(own) || isPositional(own);
      takeOverInDoubt(scope, inner, isOwn, this.#onTooManyPlaces);
      scope.isOver ||= ends.length === 0;
      return;
    }
    const [program, known] = inKnownCase(name.text.slice(name.text.lastIndexOf("/") + 1), args);
    const { redirects, stdin, source } = rest;
    const env =
      program === "git"
        ? gitEnvironment({ args: known, env: rest.env }, (variable) => scope.variables.get(variable))
        : rest.env;
    const plain: Omit<Invocation, "cwd" | "via"> = { program, args: known, redirects, stdin, env, source };
    const placed = name.text.includes("/") ? { ...plain, path: name } : plain;
    const searched = searchedDirectories(plain, (variable) => scope.variables.get(variable));
    const found = searched.length > 0 ? { ...placed, searched } : placed;
    const invocation = name.from ? { ...found, from: name.from } : found;
    if (!name.text.includes("/")) this.#runBuiltin({ ...plain, args }, scope);
    this.#emit(invocation, scope);
  }

  #runBuiltin(call: Omit<Invocation, "cwd" | "via">, scope: Scope): void {
    const { program, args, stdin, env } = call;
    const from = placesOf(scope);
    runBuiltin(program, args, scope, this.#homeDir, stdin);
    leaveBy(program, scope);
    if (program === "trap") this.#traps.set(args);
    this.#traps.visit(placesOf(scope));
    if (program === "cd") {
      const searched = env.get("CDPATH")?.text ?? scope.variables.get("CDPATH");
      const found = [...throughSearchPath(from, searched, args), ...backInDoubt(from, args)];
      if (found.length > 0) standIn(scope, [...placesOf(scope), ...found], this.#onTooManyPlaces);
    }
    scope.failed = failureOf(call, from, scope, this.invocations, this.#isDirectory);
  }

  #emit(invocation: Omit<Invocation, "cwd" | "via">, scope: Scope): void {
    if (this.invocations.length > MAX_INVOCATIONS) return;
    if (this.invocations.length === MAX_INVOCATIONS)
      this.doubts.leaveUnseen("starts more programs than can be looked at", invocation.source);
    const whole = placedIn(scope, invocation);
    const script = this.#files.areAny ? scriptOf(whole) : undefined;
    const own = whole.path && this.#files.at(whole.path, scope.cwd);
    const written = (script && this.#files.at(script, scope.cwd)) ?? own;
    const inputs = this.#files.namedBy(whole);
    const complete =
      written || inputs ? { ...whole, ...(written ? { script: written } : {}), ...(inputs ? { inputs } : {}) } : whole;
    this.invocations.push(complete);
    for (const cwd of scope.alsoIn) this.inOtherPlaces.push({ ...complete, cwd });
    for (const inner of unwrap(complete)) {
      if (!this.#held.takes(inner)) {
        this.doubts.leaveUnseen("starts more programs than can be looked at", complete.source);
        break;
      }
      this.#inner(inner, complete, scope);
    }
    if (own?.text !== undefined) this.#inner({ script: own.text, via: complete.program }, complete, scope);
    if (complete.searched) this.#programsOfOurOwn(complete, complete.searched, scope);
    this.#files.note(complete);
  }

  /** Whichever of them is started, and by whom: what this line has put where programs are looked for is run. */
  #programsOfOurOwn(outer: Invocation, directories: readonly Arg[], scope: Scope): void {
    for (const [path, file] of this.#files.in(directories, scope.cwd)) {
      if (this.#started.has(file) || !mayBeStarted(path, outer.program)) continue;
      this.#started.add(file);
      this.#inner({ words: startedAs(path, file), via: "PATH" }, outer, scope);
    }
  }

  /** What a wrapper, a nested shell or an interpreter starts in its turn. */
  #inner(inner: Unwrapped, outer: Invocation, scope: Scope): void {
    const below = {
      ...deeper(scope, inner.via),
      ...(inner.elsewhere ? { elsewhere: inner.elsewhere, cwd: startingDir(inner.elsewhere), alsoIn: [] } : {}),
      ...(inner.cwd ? placesAt(scope, inner.cwd) : {}),
    };
    if (below.depth > MAX_DEPTH) return this.doubts.leaveUnseen("nested too deeply", outer.source);
    const env = inner.env ? new Map([...outer.env, ...inner.env]) : outer.env;
    if ("script" in inner) {
      for (const [name, value] of env) assign(below, name, value);
      const started = inner.inheritsStdin ? { ...below, stdin: outer.stdin } : below;
      if (inner.inThisShell) this.script(inner.script, started);
      else this.shell(started, (own) => this.script(inner.script, own));
    } else {
      // What a variable starts has that variable too, and would start it again.
      const rest = isRun(inner.via) ? new Map([...env].filter(([name]) => name !== inner.via)) : env;
      this.#run(inner.words, { redirects: [], stdin: outer.stdin, env: rest, source: outer.source }, below);
    }
    if (!inner.inThisShell) return;
    const isOwn = (name: string) => env.has(name);
    if ("script" in inner) return takeOverInDoubt(scope, below, isOwn, this.#onTooManyPlaces);
    takeOver(scope, below, isOwn);
    goOnAs(scope, below);
  }

  /** What runs inside a word: `$(…)`, `<(…)`. */
  #inWord(script: ParsedScript, scope: Scope): readonly Invocation[] {
    const first = this.invocations.length;
    const outer = this.#source;
    if (script.source) this.#source = script.source;
    if (scope.depth <= MAX_DEPTH)
      this.shell({ ...copied(scope), depth: scope.depth + 1 }, (inner) => this.#statements(script, inner));
    this.#source = outer;
    return this.invocations.slice(first);
  }

  #onTooManyPlaces = () => this.doubts.leaveUnseen(TOO_MANY_PLACES, this.#source);

  #textOf = ({ pos, end }: { pos: number; end: number }) => this.#source.slice(pos, end);
}
