/**
 * Reads code as a sequence of expressions, keeps what names stand for, and notes the calls that reach the world.
 * No control flow: everything written is taken to happen. Each token is read once.
 */
import { type Arg, UNKNOWN } from "../arg.ts";
import { CALLS } from "./calls.ts";
import type { Call, Deed, Handler, Value } from "./deeds.ts";
import { METHODS, property } from "./methods.ts";
import { type Language, type Piece, type Token, tokens } from "./tokens.ts";
import { carried, joined, keptOf, moduleName } from "./values.ts";

const MAX_CODE = 200_000;
const MAX_NESTING = 120;
const MAX_CODE_DEPTH = 6;
const MAX_LOOPS = 20;
const LOOP_WINDOW = 200;
const NOTHING: Value = {};
const CALLS_WITHOUT_PARENS: readonly Language[] = ["ruby", "perl", "lua", "php", "elixir"];
const SKIPPED_WORDS =
  /^(new|await|return|const|let|var|my|our|local|yield|print|puts|echo|if|unless|while|until|else|elif|elsif|do|then|try|and|or|not|lambda|async|die|throw|raise|with|void|delete|typeof|p|warn|say|begin|rescue|ensure|case|when|use)$/;

export function deedsOf(code: string, language: Language): readonly Deed[] {
  const deeds: Deed[] = [];
  new Evaluator(language, deeds, new Map(), 0).code(code.slice(0, MAX_CODE));
  return deeds;
}

class Evaluator {
  readonly #language: Language;
  readonly #deeds: Deed[];
  readonly #names: Map<string, Value>;
  readonly #depth: number;
  readonly #starImports: string[] = [];
  #tokens: readonly Token[] = [];
  #at = 0;
  #nesting = 0;
  #inBrackets = 0;
  #directory = "";

  constructor(language: Language, deeds: Deed[], names: Map<string, Value>, depth: number) {
    this.#language = language;
    this.#deeds = deeds;
    this.#names = names;
    this.#depth = depth;
  }

  /** The value of the last expression. */
  code(text: string): Value {
    this.#tokens = tokens(text, this.#language);
    this.#bindLoops();
    let last = NOTHING;
    while (this.#at < this.#tokens.length) {
      const before = this.#at;
      if (!this.#declaration()) last = this.#expression();
      if (this.#at === before) this.#at++;
    }
    return last;
  }

  /** `f(x) for x in xs`: the name is used before the list is read. */
  #bindLoops(): void {
    if (this.#language !== "python") return;
    let found = 0;
    for (const [index, token] of this.#tokens.entries()) {
      if (token.kind !== "name" || token.text !== "for" || found++ > MAX_LOOPS) continue;
      const ahead = new Evaluator(this.#language, [], this.#names, this.#depth);
      ahead.#tokens = this.#tokens.slice(index, index + LOOP_WINDOW);
      ahead.#loop();
    }
  }

  #peek(ahead = 0): Token | undefined {
    if (this.#inBrackets > 0) while (this.#tokens[this.#at]?.kind === "newline") this.#at++;
    return this.#tokens[this.#at + ahead];
  }

  #is(text: string, ahead = 0): boolean {
    const token = this.#peek(ahead);
    return token !== undefined && (token.kind === "punct" || token.kind === "name") && token.text === text;
  }

  #name(ahead = 0): string | undefined {
    const token = this.#peek(ahead);
    return token?.kind === "name" ? token.text : undefined;
  }

  #take(text: string): boolean {
    if (!this.#is(text)) return false;
    this.#at++;
    return true;
  }

  /** Imports, destructuring and loops over a list. */
  #declaration(): boolean {
    if (this.#language === "python" && (this.#is("import") || this.#is("from"))) return this.#pythonImport();
    if (this.#language === "javascript" && this.#is("import") && !this.#is("(", 1)) return this.#javascriptImport();
    if (this.#language === "javascript" && this.#is("{") && this.#isDestructuring()) return this.#destructuring();
    if (this.#language === "javascript" && /^(const|let|var)$/.test(this.#name() ?? "") && this.#is("{", 1)) {
      this.#at++;
      return this.#isDestructuring() && this.#destructuring();
    }
    if (this.#is("for") || this.#is("foreach")) return this.#loop();
    return false;
  }

  #dotted(): string {
    let text = this.#name() ?? "";
    this.#at++;
    while (this.#is(".") && this.#name(1) !== undefined) {
      text += `.${this.#name(1)}`;
      this.#at += 2;
    }
    return text;
  }

  #pythonImport(): boolean {
    const from = this.#take("from");
    const module = from ? this.#dotted() : "";
    this.#take("import");
    this.#take("(");
    while (this.#name() !== undefined || this.#is("*")) {
      if (this.#take("*")) {
        this.#starImports.push(module);
        break;
      }
      const name = this.#dotted();
      const alias = this.#take("as") ? this.#dotted() : undefined;
      if (from) this.#names.set(alias ?? name, { symbol: `${module}.${name}` });
      else if (alias) this.#names.set(alias, { symbol: name });
      if (!this.#take(",")) break;
    }
    return true;
  }

  #javascriptImport(): boolean {
    this.#at++;
    const bound: [string, string][] = [];
    while (this.#at < this.#tokens.length && !this.#is("from") && this.#peek()?.kind !== "string" && !this.#is(";")) {
      const name = this.#name() ?? (this.#is("*") ? "*" : undefined);
      this.#at++;
      if (name === undefined) continue;
      const alias = this.#take("as") ? this.#name() : undefined;
      bound.push([alias ?? name, name]);
      if (alias) this.#at++;
    }
    this.#take("from");
    const module = this.#peek();
    if (module?.kind !== "string") return true;
    this.#at++;
    const from = moduleName(this.#pieces(module.pieces).text ?? "");
    for (const [alias, name] of bound)
      this.#names.set(alias, { symbol: name === "*" || isLikeModule(name, from) ? from : `${from}.${name}` });
    return true;
  }

  #isDestructuring(): boolean {
    for (let ahead = 1; ahead < 60; ahead++) {
      const token = this.#tokens[this.#at + ahead];
      if (token?.kind === "punct" && token.text === "}") return this.#is("=", ahead + 1);
      if (token?.kind !== "name" && !(token?.kind === "punct" && /^[,:]$/.test(token.text))) return false;
    }
    return false;
  }

  #destructuring(): boolean {
    const bound: [string, string][] = [];
    this.#at++;
    while (!this.#take("}") && this.#at < this.#tokens.length) {
      const name = this.#name();
      this.#at++;
      if (name === undefined) continue;
      const alias = this.#take(":") ? this.#name() : undefined;
      if (alias) this.#at++;
      bound.push([alias ?? name, name]);
    }
    this.#take("=");
    const { symbol } = this.#expression();
    if (symbol) for (const [alias, name] of bound) this.#names.set(alias, { symbol: `${symbol}.${name}` });
    return true;
  }

  /** `for x in xs`, `for (const x of xs)`: x stands for each; one that must stand for many is the first of them. */
  #loop(): boolean {
    this.#at++;
    const names: string[] = [];
    for (let steps = 0; steps < 12; steps++) {
      const name = this.#name();
      if (name === "in" || name === "of") {
        this.#at++;
        const list = this.#expression();
        const each = list.items ? mergeOf(list.items) : list;
        for (const bound of names) this.#names.set(bound, each);
        return true;
      }
      if (name !== undefined && !/^(const|let|var|my)$/.test(name)) names.push(name);
      if (name === undefined && !this.#is(",") && !this.#is("(")) return true;
      this.#at++;
    }
    return true;
  }

  #expression(): Value {
    if (this.#nesting > MAX_NESTING) {
      this.#at++;
      return NOTHING;
    }
    this.#nesting++;
    const value = this.#sum();
    this.#nesting--;
    return value;
  }

  #sum(): Value {
    let left = this.#postfix();
    for (;;) {
      const token = this.#peek();
      if (token?.kind === "string" && left.text !== undefined && this.#language === "python") {
        // Strings side by side are one string.
        this.#at++;
        left = joined(left, this.#pieces(token.pieces));
        continue;
      }
      if (token?.kind !== "punct") return left;
      const { text } = token;
      if (text === "+" || text === ".." || (text === "&" && this.#language === "r") || text === "<>") {
        this.#at++;
        if (text === ".." && this.#is(".")) this.#at++;
        left = joined(left, this.#postfix());
      } else if (text === "." && this.#language === "lua" && this.#is(".", 1)) {
        this.#at += 2;
        left = joined(left, this.#postfix());
      } else if (text === "/" && this.#language === "python" && left.text !== undefined) {
        this.#at++;
        const right = this.#postfix();
        left = right.text?.startsWith("/") ? right : joined(joined(left, { text: "/" }), right);
      } else if (text === "%" && left.text !== undefined) {
        this.#at++;
        const right = this.#postfix();
        const values = right.items ?? [right];
        let index = 0;
        left = { text: left.text.replace(/%[sdr]/g, () => values[index++]?.text ?? UNKNOWN) };
      } else if (text === "*" && left.text !== undefined) {
        this.#at++;
        const times = Number(this.#postfix().text);
        left = { text: times > 0 && times * left.text.length < 1_000 ? left.text.repeat(times) : UNKNOWN };
      } else if (/^(&&|\|\||\?|==|===|!=|!==|<|>|<=|>=|-|\*|=~|\|)$/.test(text)) {
        this.#at++;
        const right = this.#postfix();
        left = text === "||" ? (left.text === undefined ? right : left) : keptOf(left, right);
      } else return left;
    }
  }

  #postfix(): Value {
    let self: Value | undefined;
    let value = this.#primary();
    for (;;) {
      const token = this.#peek();
      if (token?.kind === "punct" && token.text === "." && this.#name(1) !== undefined) {
        const name = this.#name(1) as string;
        this.#at += 2;
        self = value;
        value = this.#member(value, name);
        if (!this.#is("(") && !this.#takesBareArguments(value) && value.symbol) value = this.#resolved(value, self);
      } else if (token?.kind === "punct" && token.text === "(" && value !== NOTHING) {
        value = this.#call(value, self);
        self = undefined;
      } else if (
        token?.kind === "punct" &&
        (token.text === "[" || (token.text === "{" && this.#indexesWithBraces(value)))
      ) {
        const inner = this.#list(token.text === "[" ? "]" : "}");
        const [key] = inner.args;
        value = indexed(value, token.text === "{" && key?.symbol ? { text: key.symbol } : key);
        self = undefined;
      } else if (token?.kind === "string" && value.symbol && isShellTag(value.symbol)) {
        this.#at++;
        this.#deeds.push({ type: "script", text: this.#pieces(token.pieces).text ?? UNKNOWN, via: value.symbol });
        value = NOTHING;
      } else if (this.#takesBareArguments(value)) {
        value = this.#bareCall(value, self);
        self = undefined;
      } else if (token?.kind === "punct" && (token.text === "=" || token.text === "+=" || token.text === ":=")) {
        this.#at++;
        const right = this.#expression();
        const name = value.symbol;
        if (name !== undefined) {
          const before = token.text === "+=" ? this.#names.get(name) : undefined;
          this.#names.set(name, before ? joined(before, right) : right);
        }
        return right;
      } else return this.#known(value);
    }
  }

  /** A bare name becomes what it stands for once it is not assigned to. */
  #known(value: Value): Value {
    return value.symbol !== undefined ? (this.#names.get(value.symbol) ?? this.#resolved(value, undefined)) : value;
  }

  #primary(): Value {
    const token = this.#peek();
    if (!token) return NOTHING;
    this.#at++;
    switch (token.kind) {
      case "newline":
        return NOTHING;
      case "number":
        return { text: token.text };
      case "string":
        return this.#pieces(token.pieces);
      case "words":
        return { items: token.texts.map((text) => ({ text })) };
      case "shell":
        this.#deeds.push({ type: "script", text: this.#pieces(token.pieces).text ?? UNKNOWN, via: this.#language });
        return NOTHING;
      case "name": {
        // `p` prints in Ruby; where something was assigned to it, it is a name.
        if (SKIPPED_WORDS.test(token.text) && !this.#names.has(token.text) && !this.#is(".") && !this.#is("=")) {
          return this.#peek() && this.#peek()?.kind !== "newline" && !this.#is(")") ? this.#postfix() : NOTHING;
        }
        const bound = this.#is("=") && !this.#is("=", 1) ? undefined : this.#names.get(token.text);
        return bound ?? { symbol: token.text };
      }
      case "punct":
        return this.#bracketed(token.text);
    }
  }

  #bracketed(text: string): Value {
    if (text === "(" || text === "[" || text === "{") {
      this.#at--;
      const { args, fields } = this.#list(text === "(" ? ")" : text === "[" ? "]" : "}");
      if (text === "(") return args.length === 1 ? (args[0] as Value) : { items: args };
      return { ...(text === "[" ? { items: args } : {}), fields };
    }
    if (text === ":" && this.#language === "elixir" && this.#name() !== undefined) return this.#primary();
    if (/^[-!&*~:@%<]$/.test(text) || text === "...") {
      const inner = this.#peek() && !/^[)\]}]$/.test(this.#punct()) ? this.#postfix() : NOTHING;
      return text === "-" && inner.text !== undefined ? { text: `-${inner.text}` } : inner;
    }
    if (/^[)\]},;]$/.test(text) && this.#inBrackets > 0) this.#at--;
    return NOTHING;
  }

  #punct(): string {
    const token = this.#peek();
    return token?.kind === "punct" ? token.text : "";
  }

  /** `( … )`, `[ … ]`, `{ … }` from the opening on: values in order, named values by name. */
  #list(close: string): { args: Value[]; fields: Map<string, Value> } {
    const args: Value[] = [];
    const fields = new Map<string, Value>();
    this.#at++;
    this.#inBrackets++;
    if (this.#nesting > MAX_NESTING) {
      this.#inBrackets--;
      return { args, fields };
    }
    this.#nesting++;
    while (this.#at < this.#tokens.length) {
      if (this.#take(close)) break;
      const key = this.#peek();
      const keyText =
        key?.kind === "name"
          ? key.text
          : key?.kind === "string" && key.pieces.length === 1
            ? String(key.pieces[0])
            : "";
      if (keyText !== "" && (this.#is(":", 1) || this.#is("=>", 1) || (this.#is("=", 1) && key?.kind === "name"))) {
        this.#at += 2;
        fields.set(keyText, this.#expression());
        continue;
      }
      const before = this.#at;
      if (!this.#declaration()) {
        const value = this.#expression();
        if (this.#at > before) args.push(value);
      }
      if (this.#take(",") || this.#take(";") || this.#take("=>")) continue;
      if (this.#at === before) {
        // A bracket that belongs to somebody else ends this one too.
        if (/^[)\]}]$/.test(this.#punct())) {
          if (this.#punct() === close) continue;
          this.#at++;
          break;
        }
        this.#at++;
      }
    }
    this.#nesting--;
    this.#inBrackets--;
    return { args, fields };
  }

  #member(value: Value, name: string): Value {
    if (value.symbol !== undefined) return { ...value, symbol: `${value.symbol}.${name}` };
    return { ...value, symbol: `.${name}` };
  }

  /** `process.env.HOME`, `os.sep`: a member that is a value itself. */
  #resolved(value: Value, self: Value | undefined): Value {
    const symbol = value.symbol ?? "";
    return property(symbol) ?? (symbol.startsWith(".") && self ? { ...self, symbol } : value);
  }

  #handler(symbol: string): Handler | undefined {
    const calls = CALLS[this.#language];
    if (symbol.startsWith(".")) return METHODS[symbol.slice(1)];
    const parts = symbol.split(".");
    for (let from = 0; from < Math.min(parts.length, 4); from++) {
      const name = parts.slice(from).join(".");
      if (from > 0 && !name.includes(".")) break;
      const found = Object.hasOwn(calls, name) ? calls[name] : undefined;
      if (found) return found;
    }
    for (const module of this.#starImports) {
      const name = `${module}.${symbol}`;
      if (Object.hasOwn(calls, name)) return calls[name];
    }
    const last = parts.at(-1) as string;
    return parts.length > 1 && Object.hasOwn(METHODS, last) ? METHODS[last] : undefined;
  }

  #takesBareArguments(value: Value): boolean {
    if (!CALLS_WITHOUT_PARENS.includes(this.#language) || value.symbol === undefined) return false;
    const token = this.#tokens[this.#at];
    if (!token || token.kind === "newline" || token.kind === "number") return false;
    if (token.kind === "punct" && !(token.text === "[" && value.symbol.includes("."))) return false;
    if (token.kind === "name" && /^(if|unless|and|or|do|end|while|then|for|foreach|eq|ne|x)$/.test(token.text))
      return false;
    return this.#handler(value.symbol) !== undefined;
  }

  #bareCall(value: Value, self: Value | undefined): Value {
    const args: Value[] = [];
    const fields = new Map<string, Value>();
    do {
      if (this.#name() !== undefined && (this.#is(":", 1) || this.#is("=>", 1))) {
        const name = this.#name() as string;
        this.#at += 2;
        fields.set(name, this.#expression());
      } else args.push(this.#expression());
    } while (this.#take(","));
    return this.#called(value, self, args, fields);
  }

  #call(value: Value, self: Value | undefined): Value {
    const { args, fields } = this.#list(")");
    for (const { fields: inner } of args) if (inner) for (const [name, field] of inner) fields.set(name, field);
    return this.#called(value, self, args, fields);
  }

  #called(value: Value, self: Value | undefined, args: readonly Value[], fields: ReadonlyMap<string, Value>): Value {
    const symbol = value.symbol ?? "";
    const bound = this.#names.get(symbol);
    const handler = this.#handler(bound?.symbol ?? symbol);
    if (!handler) return carried([...args, self ?? NOTHING]);
    const call: Call = {
      args,
      fields,
      self: self?.symbol !== undefined ? { ...self, ...this.#names.get(self.symbol) } : self,
      name: symbol,
      emit: (deed) => this.#deeds.push(deed),
      nested: (code) => {
        if (this.#depth < MAX_CODE_DEPTH)
          new Evaluator(this.#language, this.#deeds, this.#names, this.#depth + 1).code(code);
      },
      changeDirectory: (path) => {
        this.#directory = path.endsWith("/") ? path : `${path}/`;
      },
      pathOf: (argument) => this.#path(argument),
    };
    return handler(call) ?? NOTHING;
  }

  #path(value: Value | undefined): Arg {
    const text = value?.text ?? UNKNOWN;
    const relative = this.#directory !== "" && !/^[/~]/.test(text);
    return { text: relative ? `${this.#directory}${text}` : text, glob: value?.glob === true };
  }

  #pieces(pieces: readonly Piece[]): Value {
    let text = "";
    let whole: Value = NOTHING;
    for (const piece of pieces) {
      if (typeof piece === "string") {
        text += piece;
        continue;
      }
      const value =
        this.#depth < MAX_CODE_DEPTH
          ? new Evaluator(this.#language, this.#deeds, this.#names, this.#depth + 1).code(piece.code)
          : NOTHING;
      text += value.text ?? UNKNOWN;
      whole = keptOf(whole, value);
    }
    return { ...whole, text };
  }

  #indexesWithBraces = ({ symbol }: Value) => this.#language === "perl" && symbol !== undefined && /^[$@]/.test(symbol);
}

const isShellTag = (symbol: string) => /^(\$|Bun\.\$|sh|shell|execa\.\$|zx\.\$|bun\.\$|.*\.\$)$/.test(symbol);

const isLikeModule = (name: string, module: string) =>
  name === "default" ||
  name.toLowerCase() === module.split("/").at(-1)?.replace(/\W/g, "_") ||
  /^(cp|fs|os|path)$/.test(name);

/** One value that stands for all: the worst a path can be is the one the rules shall see, so the shortest. */
function mergeOf(items: readonly Value[]): Value {
  const texts = items.flatMap(({ text }) => (text === undefined ? [] : [text]));
  if (texts.length === 0) return items[0] ?? NOTHING;
  const text = texts.reduce((a, b) => (b.length < a.length ? b : a));
  return { ...carried(items), text };
}

function indexed(value: Value, key: Value | undefined): Value {
  if (value.symbol !== undefined && key?.text !== undefined) {
    const found = property(`${value.symbol}.${key.text}`);
    if (found) return found;
    if (
      /^(globalThis|global|window|process|os|fs|subprocess|child_process|require|Deno|Bun|shutil)\b/.test(value.symbol)
    )
      return { symbol: `${value.symbol}.${key.text}` };
  }
  const at = Number(key?.text);
  const items = value.items;
  if (items && Number.isInteger(at)) return items.at(at) ?? NOTHING;
  if (key?.text !== undefined && value.fields?.has(key.text)) return value.fields.get(key.text) ?? NOTHING;
  return value.symbol !== undefined ? {} : keptOf(value, NOTHING);
}
