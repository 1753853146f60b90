/** Words, assignments and redirections as they are expanded at a point of a script, and what runs inside them. */
import {
  type Assignment,
  forEachChild,
  type ParsedScript,
  type Redirection,
  type SyntaxNode,
  type Word,
  type WordPart,
} from "unbash";
import { type Arg, arg, UNKNOWN } from "./arg.ts";
import { assignedByArithmetic } from "./arithmetic.ts";
import type { Invocation } from "./invocation.ts";
import { printedText, withoutFinalNewlines } from "./printed-text.ts";
import { readRedirections } from "./redirections.ts";
import type { Scope } from "./scope.ts";
import { withoutTilde } from "./tilde.ts";
import { expandWord, type Output } from "./words.ts";

/** Runs a script in a shell of its own. */
type Run = (script: ParsedScript, scope: Scope) => readonly Invocation[];

export class WordsInShell {
  readonly #homeDir: string;
  readonly #assigned: Set<string>;
  readonly #run: Run;

  constructor(homeDir: string, assigned: Set<string>, run: Run) {
    this.#homeDir = homeDir;
    this.#assigned = assigned;
    this.#run = run;
  }

  expand(word: Word, scope: Scope): Arg[] {
    if (!word.parts && !word.value.includes("{") && !word.value.startsWith("~")) return [arg(word.value)];
    const variables = {
      get: (name: string) => scope.variables.get(name),
      set: (name: string, value: string) => {
        this.#assigned.add(name);
        scope.variables.set(name, value);
      },
      origin: (name: string) => scope.origins.get(name),
    };
    const args = expandWord(word, variables, (part) => this.#output(part, scope));
    if (!word.text.startsWith("~")) return args;
    return args.map((item) => ({ ...item, text: withoutTilde(item.text, this.#homeDir, scope) }));
  }

  value(assignment: Assignment, scope: Scope): Arg {
    this.#assigned.add(assignment.name);
    if (assignment.value.type === "ArrayValue") {
      const items = assignment.value.elements.flatMap((word) => this.expand(word, scope));
      return arg(items.map(({ text }) => text).join(" "));
    }
    const [value = arg("")] = this.expand(assignment.value, scope);
    const before = assignment.append ? (scope.variables.get(assignment.name) ?? UNKNOWN) : "";
    return { ...value, text: `${before}${value.text}` };
  }

  assignment(assignment: Assignment, scope: Scope): Arg {
    return arg(`${assignment.name}=${this.value(assignment, scope).text}`);
  }

  /** Runs the script inside `$(…)` or `<(…)`; its text is known only where it plainly prints what is known. */
  #output(part: WordPart, scope: Scope): Output | undefined {
    if (part.type !== "CommandExpansion" && part.type !== "ProcessSubstitution") {
      // Whatever else may hold one: arithmetic, braces, `${x/a/$(…)}`.
      if (part.type !== "Literal" && part.type !== "SingleQuoted") this.substitutions(part, scope);
      return undefined;
    }
    if (!part.script) return undefined;
    const from = this.#run(part.script, scope);
    if (part.type === "ProcessSubstitution") return { text: undefined, from };
    return { text: withoutFinalNewlines(printedText(from)), from };
  }

  substitutions(node: SyntaxNode, scope: Scope): void {
    const name = assignedByArithmetic(node);
    if (name !== undefined) {
      this.#assigned.add(name);
      scope.variables.set(name, UNKNOWN);
    }
    forEachChild(node, (child) => {
      if (child.type === "CommandExpansion" || child.type === "ProcessSubstitution") this.#output(child, scope);
      else if (child.type === "ArithmeticCommandExpansion") {
        if (child.script) this.#run(child.script, scope);
      } else this.substitutions(child, scope);
    });
  }

  redirections(list: readonly Redirection[], scope: Scope) {
    return readRedirections(list, scope.stdin, {
      expand: (word) => this.expand(word, scope),
      output: (part) => this.#output(part, scope),
    });
  }
}
