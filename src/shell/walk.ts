/**
 * Plays a command line through without running it: every program it would start, in order, with the directory,
 * variables, functions and input it would have. Tolerant: what cannot be known is UNKNOWN, never guessed to be harmless.
 */
import {
  type Assignment,
  type Command,
  type CompoundList,
  type Function as FunctionNode,
  forEachChild,
  type ParsedScript,
  type PipelineNode,
  parse,
  type Redirection,
  type Statement,
  type SyntaxNode,
  type Word,
  type WordPart,
} from "unbash";
import { type Arg, arg, quoted, UNKNOWN } from "./arg.ts";
import { assignedByArithmetic } from "./arithmetic.ts";
import { setElements } from "./arrays.ts";
import { Doubts, type Unclear } from "./doubts.ts";
import { FilesSoFar } from "./files-so-far.ts";
import { isForkBomb } from "./fork-bomb.ts";
import { HeldWords } from "./held-words.ts";
import type { Invocation, WrittenFile } from "./invocation.ts";
import { loopValues } from "./loop-values.ts";
import { namedProgram } from "./named-program.ts";
import { mayBeStarted, startedAs } from "./own-programs.ts";
import { linesOf, printedNames } from "./printed-names.ts";
import { printedText, withoutFinalNewlines } from "./printed-text.ts";
import { readRedirections } from "./redirections.ts";
import { isRun } from "./run-variables.ts";
import {
  assign,
  copied,
  deeper,
  goWhere,
  isPositional,
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
  withoutTilde,
} from "./scope.ts";
import { unwrap } from "./unwrap.ts";
import type { Unwrapped } from "./unwrapped.ts";
import { expandWord, type Output } from "./words.ts";

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
  options: { readonly cwd: string | undefined; readonly homeDir: string },
): Walk {
  const walker = new Walker(options.homeDir);
  walker.script(text, scopeAt(options.cwd, options.homeDir));
  const invocations = [...walker.invocations, ...walker.inOtherPlaces];
  return { invocations, assigned: walker.assigned, unclear: walker.doubts.all };
}

class Walker {
  readonly invocations: Invocation[] = [];
  readonly inOtherPlaces: Invocation[] = [];
  readonly assigned = new Set<string>();
  readonly doubts = new Doubts();
  readonly #homeDir: string;
  readonly #files: FilesSoFar;
  readonly #started = new Set<WrittenFile>();
  #source = "";
  #steps = 0;
  readonly #held = new HeldWords();

  constructor(homeDir: string) {
    this.#homeDir = homeDir;
    this.#files = new FilesSoFar(homeDir);
  }

  script(text: string, scope: Scope): void {
    if (scope.depth > MAX_DEPTH) return this.doubts.leaveUnseen("nested too deeply", text);
    if (text.length > MAX_TEXT) return this.doubts.leaveUnseen("longer than can be looked at", text);
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
    for (const statement of list.commands) this.#statement(statement, scope);
  }

  #statement({ command, background }: Statement, scope: Scope): void {
    const inner = background ? copied(scope) : scope;
    if (command.type === "AndOr") for (const part of command.commands) this.#pipeline(part, inner);
    else this.#pipeline(command, inner);
  }

  #pipeline(node: PipelineNode, scope: Scope): void {
    if (node.type !== "Pipeline") return this.#node(node, scope);
    if (node.commands.length === 1 && node.commands[0]) return this.#node(node.commands[0], scope);
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
    switch (node.type) {
      case "Command":
        return this.#command(node, scope);
      case "Pipeline":
        return this.#pipeline(node, scope);
      case "CompoundList":
        return this.#statements(node, scope);
      case "Subshell":
        return this.#statements(node.body, copied(scope));
      case "BraceGroup":
        return this.#statements(node.body, scope);
      case "If":
        this.#statements(node.clause, scope);
        this.#statements(node.then, scope);
        for (const { clause, then } of node.elif) {
          this.#statements(clause, scope);
          this.#statements(then, scope);
        }
        if (node.else) this.#statements(node.else, scope);
        return;
      case "While":
        return this.#while(node, scope);
      case "For":
      case "Select":
        return this.#loop(node.name.value, node.wordlist, node.body, scope);
      case "ArithmeticFor":
        for (const part of [node.initialize, node.test, node.update]) if (part) this.#substitutions(part, scope);
        return this.#statements(node.body, scope);
      case "Case":
        this.#expand(node.word, scope);
        for (const { body } of node.items) this.#statements(body, scope);
        return;
      case "Function":
        if (isForkBomb(node)) {
          const rest = { redirects: [], stdin: scope.stdin, env: new Map(), source: this.#textOf(node) };
          this.#emit({ program: "fork-bomb", args: [], ...rest }, scope);
        }
        scope.functions.set(node.name.value, node.body);
        return;
      case "Coproc":
        return this.#node(node.body, copied(scope));
      case "Redirected": {
        const { redirects, stdin } = this.#redirections(node.redirects, scope);
        if (redirects.length > 0)
          this.#emit({ program: ":", args: [], redirects, stdin, env: new Map(), source: this.#textOf(node) }, scope);
        if (stdin.type === "inherited") return this.#node(node.command, scope);
        const inner = { ...scope, stdin };
        this.#node(node.command, inner);
        return goWhere(inner, scope);
      }
      case "TestCommand":
      case "ArithmeticCommand":
        return this.#substitutions(node, scope);
    }
  }

  #while({ clause, body }: Extract<PipelineNode, { type: "While" }>, scope: Scope): void {
    const last = clause.commands.at(-1)?.command;
    const lines = last?.type === "Command" && last.name?.value === "read" ? linesOf(scope.stdin) : undefined;
    for (const text of lines ? this.#lookedAt(lines) : [undefined]) {
      const reading: Scope = text === undefined ? scope : { ...scope, stdin: { type: "text", text } };
      this.#statements(clause, reading);
      goWhere(reading, scope);
      this.#statements(body, scope);
    }
  }

  #lookedAt(values: readonly string[]): readonly string[] {
    const looked = loopValues(values);
    if (!looked.areAll) this.doubts.leaveUnseen("goes through more than can be looked at", this.#source);
    return looked.values;
  }

  #loop(name: string, wordlist: readonly Word[] | undefined, body: CompoundList, scope: Scope): void {
    const values = wordlist?.flatMap((word) => this.#expand(word, scope)) ?? [arg(UNKNOWN)];
    const looked = this.#lookedAt(values.map(({ text }) => text));
    this.assigned.add(name);
    for (const value of looked.length > 0 ? looked : [UNKNOWN]) {
      scope.variables.set(name, value);
      this.#statements(body, scope);
    }
  }

  #command(node: Command, scope: Scope): void {
    if (scope.depth === 0) this.#held.nextCommand();
    const assignments = new Map<string, Arg>();
    for (const item of node.prefix)
      if (item.type === "Assignment") assignments.set(item.name, this.#value(item, scope));
    const { redirects, stdin } = this.#redirections(node.redirects, scope);
    const source = this.#textOf(node);
    if (!node.name) {
      for (const [name, value] of assignments) assign(scope, name, value);
      const env = new Map([...assignments].filter(([name]) => isRun(name)));
      if (redirects.length > 0 || env.size > 0)
        this.#emit({ program: ":", args: [], redirects, stdin, env, source }, scope);
      return;
    }
    const words = [...this.#expand(node.name, scope)];
    for (const item of node.args) {
      if (item.type === "Word") for (const word of this.#expand(item, scope)) words.push(word);
      else words.push(arg(`${item.name}=${this.#value(item, scope).text}`));
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
      this.#node(body, inner);
      const isOwn = (own: string) => locals.has(own) || isPositional(own);
      return takeOverInDoubt(scope, inner, isOwn, () => this.doubts.leaveUnseen(TOO_MANY_PLACES, rest.source));
    }
    const invocation = namedProgram(name, args, rest, (variable) => scope.variables.get(variable));
    runBuiltin(invocation.program, args, scope, this.#homeDir, rest);
    this.#emit(invocation, scope);
  }

  #emit(invocation: Omit<Invocation, "cwd" | "via">, scope: Scope): void {
    if (this.invocations.length > MAX_INVOCATIONS) return;
    if (this.invocations.length === MAX_INVOCATIONS)
      this.doubts.leaveUnseen("starts more programs than can be looked at", invocation.source);
    const whole = placedIn(scope, invocation);
    const own = whole.path && this.#files.at(whole.path, scope.cwd);
    const complete = this.#files.handedTo(whole, own);
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
      this.script(inner.script, inner.inheritsStdin ? { ...below, stdin: outer.stdin } : below);
    } else {
      // What a variable starts has that variable too, and would start it again.
      const rest = isRun(inner.via) ? new Map([...env].filter(([name]) => name !== inner.via)) : env;
      this.#run(inner.words, { redirects: [], stdin: outer.stdin, env: rest, source: outer.source }, below);
    }
    if (!inner.inThisShell) return;
    const isOwn = (name: string) => env.has(name);
    if (!("script" in inner)) return takeOver(scope, below, isOwn);
    takeOverInDoubt(scope, below, isOwn, () => this.doubts.leaveUnseen(TOO_MANY_PLACES, outer.source));
  }

  #expand(word: Word, scope: Scope): Arg[] {
    if (!word.parts && !word.value.includes("{") && !word.value.startsWith("~")) return [arg(word.value)];
    const variables = {
      get: (name: string) => scope.variables.get(name),
      set: (name: string, value: string) => {
        this.assigned.add(name);
        scope.variables.set(name, value);
      },
      origin: (name: string) => scope.origins.get(name),
    };
    const args = expandWord(word, variables, (part) => this.#output(part, scope));
    if (!word.text.startsWith("~")) return args;
    return args.map((item) => ({ ...item, text: withoutTilde(item.text, scope, this.#homeDir) }));
  }

  #value(assignment: Assignment, scope: Scope): Arg {
    const { name, append, index } = assignment;
    this.assigned.add(name);
    if (assignment.value.type === "ArrayValue") {
      const items = assignment.value.elements.flatMap((word) => this.#expand(word, scope)).map(({ text }) => text);
      return arg(setElements(scope, name, items, append === true));
    }
    const words = this.#expand(assignment.value, scope);
    const value = { ...(words[0] ?? arg("")), text: words.map(({ text }) => text).join(" ") };
    if (index) {
      const [at = arg("")] = this.#expand(index, scope);
      return { ...value, text: setElements(scope, name, [`[${at.text}]=${value.text}`], true) };
    }
    const before = append ? (scope.variables.get(name) ?? UNKNOWN) : "";
    return { ...value, text: `${before}${value.text}` };
  }

  /** Runs the script inside `$(…)` or `<(…)`; its text is known only where it plainly prints what is known. */
  #output(part: WordPart, scope: Scope): Output | undefined {
    if (part.type !== "CommandExpansion" && part.type !== "ProcessSubstitution") {
      // Whatever else may hold one: arithmetic, braces, `${x/a/$(…)}`.
      if (part.type !== "Literal" && part.type !== "SingleQuoted") this.#substitutions(part, scope);
      return undefined;
    }
    if (!part.script) return undefined;
    const first = this.invocations.length;
    const outer = this.#source;
    if (part.script.source) this.#source = part.script.source;
    if (scope.depth <= MAX_DEPTH) this.#statements(part.script, { ...copied(scope), depth: scope.depth + 1 });
    this.#source = outer;
    const ran = this.invocations.slice(first);
    if (part.type === "ProcessSubstitution") return { text: undefined, from: ran };
    const text = withoutFinalNewlines(printedText(ran));
    return { text, from: ran, names: text === undefined ? printedNames(ran) : undefined };
  }

  #substitutions(node: SyntaxNode, scope: Scope): void {
    const name = assignedByArithmetic(node);
    if (name !== undefined) {
      this.assigned.add(name);
      scope.variables.set(name, UNKNOWN);
    }
    forEachChild(node, (child) => {
      if (child.type === "CommandExpansion" || child.type === "ProcessSubstitution") this.#output(child, scope);
      else if (child.type === "ArithmeticCommandExpansion") {
        if (child.script && scope.depth <= MAX_DEPTH)
          this.#statements(child.script, { ...copied(scope), depth: scope.depth + 1 });
      } else this.#substitutions(child, scope);
    });
  }

  #redirections(list: readonly Redirection[], scope: Scope) {
    return readRedirections(list, scope.stdin, {
      expand: (word) => this.#expand(word, scope),
      output: (part) => this.#output(part, scope),
    });
  }

  #textOf = ({ pos, end }: { pos: number; end: number }) => this.#source.slice(pos, end);
}
