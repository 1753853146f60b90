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
import { type Arg, arg, UNKNOWN } from "./arg.ts";
import { isFetcher, scriptOf } from "./executed.ts";
import { isForkBomb } from "./fork-bomb.ts";
import type { FileRedirect, Invocation, Stdin, WrittenFile } from "./invocation.ts";
import { inKnownCase } from "./known-case.ts";
import { Layers } from "./layers.ts";
import { printedText } from "./printed-text.ts";
import { BUILTINS, copied, deeper, joined, type Scope, setPositionals, startingDir } from "./scope.ts";
import { unwrap } from "./unwrap.ts";
import type { Unwrapped } from "./unwrapped.ts";
import { expandWord, type Output } from "./words.ts";
import { filesWrittenBy } from "./written-files.ts";

export interface WalkOptions {
  readonly cwd: string | undefined;
  readonly homeDir: string;
}

export interface Walk {
  readonly invocations: readonly Invocation[];
  /** Why the result may be incomplete: syntax errors, limits. */
  readonly unclear: readonly { readonly why: string; readonly text: string }[];
}

const MAX_INVOCATIONS = 4_000;
const MAX_STEPS = 10_000;
const MAX_DEPTH = 24;
const MAX_LOOP_VALUES = 16;
const MAX_TEXT = 200_000;

export function walkCommand(text: string, options: WalkOptions): Walk {
  const walker = new Walker(options.homeDir);
  const variables = new Layers<string>().set("HOME", options.homeDir).set("TMPDIR", "/tmp");
  if (options.cwd) variables.set("PWD", options.cwd);
  const scope: Scope = {
    cwd: options.cwd,
    variables,
    origins: new Layers(),
    functions: new Layers(),
    aliases: new Layers(),
    stdin: { type: "inherited" },
    via: [],
    elsewhere: undefined,
    depth: 0,
  };
  walker.script(text, scope);
  return { invocations: walker.invocations, unclear: walker.unclear };
}

class Walker {
  readonly invocations: Invocation[] = [];
  readonly unclear: { why: string; text: string }[] = [];
  readonly #homeDir: string;
  /** Files that this command line writes, by path. */
  readonly #written = new Map<string, WrittenFile>();
  #source = "";
  #steps = 0;

  constructor(homeDir: string) {
    this.#homeDir = homeDir;
  }

  script(text: string, scope: Scope): void {
    if (scope.depth > MAX_DEPTH) return this.#give("nested too deeply", text);
    if (text.length > MAX_TEXT) return this.#give("longer than can be looked at", text);
    const outer = this.#source;
    this.#source = text;
    try {
      const parsed = parse(text);
      const [error] = parsed.errors ?? [];
      if (error) this.#give(`cannot be parsed: ${error.message}`, text);
      this.#statements(parsed, scope);
    } catch (error) {
      // Only nesting deeper than the stack goes: RangeError.
      if (!(error instanceof RangeError)) throw error;
      this.#give("nested too deeply", text);
    }
    this.#source = outer;
  }

  #give(why: string, text: string): void {
    this.unclear.push({ why, text });
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
      if (this.#steps === MAX_STEPS) this.#give("does more than can be looked at", this.#source);
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
        this.#statements(node.clause, scope);
        return this.#statements(node.body, scope);
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
        const { redirects, stdin } = this.#redirections(node.redirects, scope);
        if (redirects.length > 0)
          this.#emit({ program: ":", args: [], redirects, stdin, env: new Map(), source: this.#textOf(node) }, scope);
        return this.#node(node.command, stdin.type === "inherited" ? scope : { ...scope, stdin });
      }
      case "TestCommand":
      case "ArithmeticCommand":
        return this.#substitutions(node, scope);
    }
  }

  #loop(name: string, wordlist: readonly Word[] | undefined, body: CompoundList, scope: Scope): void {
    const values = wordlist?.flatMap((word) => this.#expand(word, scope)) ?? [arg(UNKNOWN)];
    const distinct = [...new Set(values.map(({ text, glob }) => (glob ? `${text}` : text)))].slice(0, MAX_LOOP_VALUES);
    for (const value of distinct.length > 0 ? distinct : [UNKNOWN]) {
      scope.variables.set(name, value);
      this.#statements(body, scope);
    }
  }

  #command(node: Command, scope: Scope): void {
    const assignments = new Map<string, Arg>();
    for (const item of node.prefix)
      if (item.type === "Assignment") assignments.set(item.name, this.#value(item, scope));
    const { redirects, stdin } = this.#redirections(node.redirects, scope);
    const source = this.#textOf(node);
    if (!node.name) {
      for (const [name, value] of assignments) assign(scope, name, value);
      if (redirects.length > 0) this.#emit({ program: ":", args: [], redirects, stdin, env: new Map(), source }, scope);
      return;
    }
    const words = [
      ...this.#expand(node.name, scope),
      ...node.args.flatMap((item) =>
        item.type === "Word" ? this.#expand(item, scope) : [this.#assignmentWord(item, scope)],
      ),
    ];
    this.#run(words, { redirects, stdin, env: assignments, source }, scope);
  }

  /** Starts a program, or does what a builtin, a function or an alias of this very command line would do. */
  #run(words: readonly Arg[], rest: Pick<Invocation, "redirects" | "stdin" | "env" | "source">, scope: Scope): void {
    const [name, ...args] = words;
    if (!name) return;
    const alias = scope.aliases.get(name.text);
    if (alias !== undefined && scope.depth < MAX_DEPTH) {
      return this.script(
        `${alias} ${args.map(({ text }) => quoted(text)).join(" ")}`,
        deeper(scope, `alias ${name.text}`),
      );
    }
    const body = scope.functions.get(name.text);
    if (body && scope.depth < MAX_DEPTH) {
      const inner = deeper(scope, `function ${name.text}`);
      setPositionals(inner, args);
      inner.functions.delete(name.text);
      return this.#node(body, inner);
    }
    const [program, known] = inKnownCase(name.text.slice(name.text.lastIndexOf("/") + 1), args);
    const plain: Omit<Invocation, "cwd" | "via"> = { program, args: known, ...rest };
    const placed = name.text.includes("/") ? { ...plain, path: name } : plain;
    const invocation = name.from ? { ...placed, from: name.from } : placed;
    BUILTINS[program]?.(args, scope, this.#homeDir, rest.stdin);
    this.#emit(invocation, scope);
  }

  #emit(invocation: Omit<Invocation, "cwd" | "via">, scope: Scope): void {
    if (this.invocations.length > MAX_INVOCATIONS) return;
    if (this.invocations.length === MAX_INVOCATIONS)
      this.#give("starts more programs than can be looked at", invocation.source);
    const { cwd, via, elsewhere } = scope;
    const whole: Invocation = elsewhere ? { ...invocation, cwd, via, elsewhere } : { ...invocation, cwd, via };
    const script = this.#written.size > 0 ? scriptOf(whole) : undefined;
    const path = script && this.#fileName(script, scope);
    const written = path === undefined ? undefined : this.#written.get(path);
    const complete = written ? { ...whole, script: written } : whole;
    this.invocations.push(complete);
    for (const inner of unwrap(complete)) this.#inner(inner, complete, scope);
    if (written?.text !== undefined && complete.path && script === complete.path)
      this.#inner({ script: written.text, via: complete.program }, complete, scope);
    if (complete.redirects.length > 0 || complete.program === "tee" || isFetcher(complete.program))
      this.#noteFiles(complete, scope);
  }

  #fileName = ({ text }: Arg, { cwd }: Scope) => joined(cwd, arg(text.replace(/^~(?=\/|$)/, this.#homeDir)));

  /** What a program leaves in files that a later part of the line may run. */
  #noteFiles(invocation: Invocation, scope: Scope): void {
    for (const { path, from, text, append } of filesWrittenBy(invocation)) {
      const name = this.#fileName(path, scope);
      if (name === undefined) continue;
      const before = append ? this.#written.get(name) : undefined;
      const known = before
        ? before.text === undefined || text === undefined
          ? undefined
          : `${before.text}${text}`
        : text;
      this.#written.set(name, { text: known, from: [...(before?.from ?? []), ...from] });
    }
  }

  /** What a wrapper, a nested shell or an interpreter starts in its turn. */
  #inner(inner: Unwrapped, outer: Invocation, scope: Scope): void {
    const below = {
      ...deeper(scope, inner.via),
      ...(inner.elsewhere ? { elsewhere: inner.elsewhere, cwd: startingDir(inner.elsewhere) } : {}),
      ...(inner.cwd ? { cwd: joined(scope.cwd, inner.cwd) } : {}),
    };
    if (below.depth > MAX_DEPTH) return this.#give("nested too deeply", outer.source);
    if ("script" in inner)
      return this.script(inner.script, inner.inheritsStdin ? { ...below, stdin: outer.stdin } : below);
    this.#run(inner.words, { redirects: [], stdin: outer.stdin, env: outer.env, source: outer.source }, below);
  }

  #expand(word: Word, scope: Scope): Arg[] {
    if (!word.parts && !word.value.includes("{") && !word.value.startsWith("~")) return [arg(word.value)];
    const variables = {
      get: (name: string) => scope.variables.get(name),
      origin: (name: string) => scope.origins.get(name),
    };
    const args = expandWord(word, variables, (part) => this.#output(part, scope));
    if (!word.text.startsWith("~")) return args;
    return args.map((item) => ({ ...item, text: item.text.replace(/^~(?=\/|$)/, this.#homeDir) }));
  }

  #value(assignment: Assignment, scope: Scope): Arg {
    if (assignment.value.type === "ArrayValue") {
      const items = assignment.value.elements.flatMap((word) => this.#expand(word, scope));
      return arg(items.map(({ text }) => text).join(" "));
    }
    const [value = arg("")] = this.#expand(assignment.value, scope);
    const before = assignment.append ? (scope.variables.get(assignment.name) ?? UNKNOWN) : "";
    return { ...value, text: `${before}${value.text}` };
  }

  #assignmentWord(assignment: Assignment, scope: Scope): Arg {
    return arg(`${assignment.name}=${this.#value(assignment, scope).text}`);
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
    return { text: withoutFinalNewlines(printedText(ran)), from: ran };
  }

  #substitutions(node: SyntaxNode, scope: Scope): void {
    forEachChild(node, (child) => {
      if (child.type === "CommandExpansion" || child.type === "ProcessSubstitution") this.#output(child, scope);
      else if (child.type === "ArithmeticCommandExpansion") {
        if (child.script && scope.depth <= MAX_DEPTH)
          this.#statements(child.script, { ...copied(scope), depth: scope.depth + 1 });
      } else this.#substitutions(child, scope);
    });
  }

  #redirections(list: readonly Redirection[], scope: Scope): { redirects: FileRedirect[]; stdin: Stdin } {
    const redirects: FileRedirect[] = [];
    let stdin = scope.stdin;
    for (const item of list) {
      if (item.type === "HereDoc") {
        const { parts, text } = item.body;
        if (parts) for (const part of parts) this.#output(part, scope);
        stdin = { type: "text", text };
      } else if (item.type === "HereString") {
        const words = item.target ? this.#expand(item.target, scope) : [];
        const text = words.map((word) => word.text).join(" ");
        const from = text.includes(UNKNOWN) ? words.flatMap((word) => word.from ?? []) : [];
        stdin = from.length > 0 ? { type: "pipe", producers: from } : { type: "text", text };
      } else if (item.target) {
        const [target] = this.#expand(item.target, scope);
        const direction = DIRECTIONS[item.operator];
        if (!target || !direction || (item.operator.includes("&") && /^(\d+|-)$/.test(target.text))) continue;
        redirects.push({ direction, target });
        if (direction === "read")
          stdin =
            target.from && target.text === UNKNOWN
              ? { type: "pipe", producers: target.from }
              : { type: "file", path: target };
      }
    }
    return { redirects, stdin };
  }

  #textOf = ({ pos, end }: { pos: number; end: number }) => this.#source.slice(pos, end);
}

const DIRECTIONS: Readonly<Record<string, FileRedirect["direction"]>> = {
  ">": "write",
  ">|": "write",
  "&>": "write",
  ">&": "write",
  "<>": "write",
  ">>": "append",
  "&>>": "append",
  "<": "read",
};

function assign(scope: Scope, name: string, value: Arg): void {
  scope.variables.set(name, value.text);
  if (value.from) scope.origins.set(name, value.from);
  else scope.origins.delete(name);
}

function withoutFinalNewlines(text: string | undefined): string | undefined {
  let end = text?.length ?? 0;
  while (end > 0 && text?.[end - 1] === "\n") end--;
  return text?.slice(0, end);
}

/** A word as it can stand in a command line again. */
export const quoted = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
