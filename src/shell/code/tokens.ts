/** Source text of a one-liner -> tokens. Knows just enough of each language to tell strings from code. Linear time. */

export type Language = "python" | "javascript" | "ruby" | "perl" | "php" | "lua" | "r" | "julia" | "elixir" | "awk";

/** A piece of a string: text, or code whose value goes there. */
export type Piece = string | { readonly code: string };

export type Token =
  | { readonly kind: "name"; readonly text: string }
  | { readonly kind: "number"; readonly text: string }
  | { readonly kind: "string"; readonly pieces: readonly Piece[] }
  /** Text between backticks, `%x()`, `qx{}`: a shell runs it. */
  | { readonly kind: "shell"; readonly pieces: readonly Piece[] }
  /** Words of `%w[]`, `qw()`. */
  | { readonly kind: "words"; readonly texts: readonly string[] }
  | { readonly kind: "punct"; readonly text: string }
  | { readonly kind: "newline" };

const LINE_COMMENTS: Readonly<Record<Language, readonly string[]>> = {
  python: ["#"],
  javascript: ["//"],
  ruby: ["#"],
  perl: ["#"],
  php: ["#", "//"],
  lua: ["--"],
  r: ["#"],
  julia: ["#"],
  elixir: ["#"],
  awk: ["#"],
};

const HAS_REGEX: readonly Language[] = ["javascript", "ruby", "perl", "awk"];
const BACKTICK_SHELL: readonly Language[] = ["ruby", "perl", "php", "julia"];
const ARROW_MEMBER: readonly Language[] = ["perl", "php"];
const MAX_PATTERN = 2_000;
const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}", "<": ">" };
const NAME = /[\p{L}_$@][\p{L}\p{N}_$]*[!?]?/uy;
const PLAIN_NAME = /[\p{L}_$@][\p{L}\p{N}_$]*/uy;
const NUMBER = /\d[\d_.a-fA-FxXoO]*/y;
const PUNCT = /===|!==|\*\*=|\.\.\.|=>|==|!=|<=|>=|=~|!~|&&|\|\||\?\.|->|::|<<|>>|\+=|\.=|-=|\*=|\/\/|:=|[^\s\w]/uy;

export function tokens(text: string, language: Language): Token[] {
  return new Lexer(text, language).all();
}

class Lexer {
  readonly #text: string;
  readonly #language: Language;
  readonly #tokens: Token[] = [];
  #at = 0;

  constructor(text: string, language: Language) {
    this.#text = text;
    this.#language = language;
  }

  all(): Token[] {
    while (this.#at < this.#text.length) this.#next();
    return this.#tokens;
  }

  #next(): void {
    const text = this.#text;
    const char = text[this.#at] as string;
    if (char === "\n") {
      this.#tokens.push({ kind: "newline" });
      this.#at++;
      return;
    }
    if (char <= " " || char === "\\") {
      this.#at++;
      return;
    }
    if (this.#comment()) return;
    if (this.#quoted(char)) return;
    if (char >= "0" && char <= "9") {
      const number = this.#match(NUMBER) ?? char;
      this.#tokens.push({ kind: "number", text: number });
      return;
    }
    const name = this.#match(this.#language === "ruby" || this.#language === "elixir" ? NAME : PLAIN_NAME);
    if (name !== undefined) {
      this.#tokens.push({ kind: "name", text: name });
      return;
    }
    const punct = this.#match(PUNCT) ?? char;
    if (punct.length === 0 || this.#at >= text.length + 1) this.#at++;
    this.#tokens.push({ kind: "punct", text: this.#member(punct) });
  }

  /** `->`, `::` and `?.` lead to members; where `.` joins strings, it is a plus. */
  #member(punct: string): string {
    if (punct === "::" || punct === "?." || (punct === "->" && ARROW_MEMBER.includes(this.#language))) return ".";
    if (punct === "." && ARROW_MEMBER.includes(this.#language)) return "+";
    if (punct === ".." && this.#language === "lua") return "+";
    if (punct === ".=") return "+=";
    return punct;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #comment(): boolean {
    const text = this.#text;
    if (text.startsWith("/*", this.#at) && (this.#language === "javascript" || this.#language === "php")) {
      const end = text.indexOf("*/", this.#at + 2);
      this.#at = end < 0 ? text.length : end + 2;
      return true;
    }
    if (!LINE_COMMENTS[this.#language].some((mark) => text.startsWith(mark, this.#at))) return false;
    const end = text.indexOf("\n", this.#at);
    this.#at = end < 0 ? text.length : end;
    return true;
  }

  /** Whether a value may begin here, and so `/` begins a pattern and not a division. */
  #valueMayBegin(): boolean {
    const last = this.#tokens.at(-1);
    if (!last || last.kind === "newline") return true;
    if (last.kind === "punct") return last.text !== ")" && last.text !== "]";
    return (
      last.kind === "name" && /^(return|typeof|case|in|of|and|or|not|if|unless|when|split|grep|print)$/.test(last.text)
    );
  }

  #quoted(char: string): boolean {
    const text = this.#text;
    const language = this.#language;
    if (char === '"' || char === "'") {
      if (
        (language === "python" || language === "julia" || language === "elixir") &&
        text.startsWith(char.repeat(3), this.#at)
      ) {
        return this.#string(char.repeat(3), 3, "string", char === '"' || language === "python");
      }
      return this.#string(char, 1, "string", char === '"' || language === "python" || language === "javascript");
    }
    if (char === "`") {
      return this.#string("`", 1, BACKTICK_SHELL.includes(language) ? "shell" : "string", true);
    }
    if (char === "/" && HAS_REGEX.includes(language) && this.#valueMayBegin()) return this.#regex("/", 1, 1);
    if (language === "lua" && text.startsWith("[[", this.#at)) return this.#string("]]", 2, "string", false);
    if (language === "python") {
      const prefix = /[rRbBuUfF]{1,2}(?=["'])/y;
      prefix.lastIndex = this.#at;
      const found = prefix.exec(text)?.[0];
      if (found === undefined) return false;
      this.#at += found.length;
      const quote = text[this.#at] as string;
      const triple = text.startsWith(quote.repeat(3), this.#at);
      const end = triple ? quote.repeat(3) : quote;
      return this.#string(end, end.length, "string", !/r/i.test(found), /f/i.test(found));
    }
    if (language === "perl") return this.#perlQuote();
    if (language === "ruby") return this.#percentLiteral();
    if (language === "elixir" && /^~[swcSWC][[({"'|/]/.test(text.slice(this.#at, this.#at + 3))) {
      this.#at += 2;
      const open = text[this.#at] as string;
      return this.#string(CLOSING[open] ?? open, 1, "string", true);
    }
    return false;
  }

  #perlQuote(): boolean {
    const start = /(qq|qx|qw|qr|q|m|s|tr|y)(?=\s*[^\w\s,;=)])/y;
    start.lastIndex = this.#at;
    const found = start.exec(this.#text)?.[0];
    if (found === undefined || /[\w$@%&>{-]/.test(this.#text[this.#at - 1] ?? " ")) return false;
    let at = this.#at + found.length;
    while (this.#text[at] === " ") at++;
    const open = this.#text[at] as string;
    if (open === "=" || (open === "-" && this.#text[at + 1] === ">")) return false;
    this.#at = at;
    const close = CLOSING[open] ?? open;
    if (found === "m" || found === "qr") return this.#regex(open, 1, 1);
    if (found === "s" || found === "tr" || found === "y") return this.#regex(open, 1, 2);
    if (found === "qw") return this.#wordList(close);
    return this.#string(close, 1, found === "qx" ? "shell" : "string", found !== "q", undefined, open);
  }

  #percentLiteral(): boolean {
    const start = /%([xqQwWi]?)([({[<|!/])/y;
    start.lastIndex = this.#at;
    const found = start.exec(this.#text);
    if (!found || !this.#valueMayBegin()) return false;
    const [whole, kind, open] = found as unknown as [string, string, string];
    this.#at += whole.length - 1;
    const close = CLOSING[open] ?? open;
    if (/[wWi]/.test(kind)) return this.#wordList(close);
    return this.#string(close, 1, kind === "x" ? "shell" : "string", kind !== "q", undefined, open);
  }

  #wordList(close: string): boolean {
    const end = this.#text.indexOf(close, this.#at + 1);
    const stop = end < 0 ? this.#text.length : end;
    const words = this.#text
      .slice(this.#at + 1, stop)
      .split(/\s+/)
      .filter(Boolean);
    this.#tokens.push({ kind: "words", texts: words });
    this.#at = stop + 1;
    return true;
  }

  /** A pattern is data; `count` bodies, as in `s/a/b/`. */
  #regex(open: string, skip: number, count: number): boolean {
    const text = this.#text;
    const close = CLOSING[open] ?? open;
    let at = this.#at + skip;
    for (let body = 0; body < count; body++) {
      if (body > 0 && close !== open) at = Math.max(text.indexOf(open, at), at) + 1;
      let inClass = false;
      while (at < text.length && (text[at] !== close || inClass)) {
        if ((text[at] === "\n" && this.#language === "javascript") || at - this.#at > MAX_PATTERN) {
          // No pattern after all: a division.
          this.#at++;
          this.#tokens.push({ kind: "punct", text: "/" });
          return true;
        }
        if (text[at] === "[" && open === "/") inClass = true;
        else if (text[at] === "]") inClass = false;
        if (text[at] === "\\") at++;
        at++;
      }
      at++;
    }
    while (/[a-z]/.test(text[at] ?? "")) at++;
    this.#tokens.push({ kind: "string", pieces: [""] });
    this.#at = Math.min(at, text.length);
    return true;
  }

  #string(
    close: string,
    skip: number,
    kind: "string" | "shell",
    escapes: boolean,
    braces?: boolean,
    open?: string,
  ): boolean {
    const text = this.#text;
    const nests = open !== undefined && open !== close;
    const pieces: Piece[] = [];
    let value = "";
    let depth = 0;
    let at = this.#at + skip;
    while (at < text.length) {
      if (text.startsWith(close, at) && depth === 0) break;
      const char = text[at] as string;
      if (nests && char === open) depth++;
      if (nests && char === close) depth--;
      if (char === "\\" && at + 1 < text.length) {
        const next = text[at + 1] as string;
        value += escapes ? escaped(next, text, at) : next === close || next === "\\" ? next : `\\${next}`;
        at += 2 + (escapes ? escapedLength(next, text, at) : 0);
        continue;
      }
      const code = this.#interpolation(at, close, escapes, braces);
      if (code) {
        pieces.push(value, { code: code.code });
        value = "";
        at = code.end;
        continue;
      }
      value += char;
      at++;
    }
    pieces.push(value);
    this.#tokens.push({ kind, pieces });
    this.#at = Math.min(at + close.length, text.length);
    return true;
  }

  #interpolation(
    at: number,
    close: string,
    escapes: boolean,
    braces?: boolean,
  ): { code: string; end: number } | undefined {
    const text = this.#text;
    const language = this.#language;
    const char = text[at];
    if (language === "python") return braces && char === "{" && text[at + 1] !== "{" ? this.#braced(at + 1) : undefined;
    if (language === "javascript")
      return close === "`" && char === "$" && text[at + 1] === "{" ? this.#braced(at + 2) : undefined;
    if (!escapes) return undefined;
    if (language === "ruby" || language === "elixir")
      return char === "#" && text[at + 1] === "{" ? this.#braced(at + 2) : undefined;
    if (language === "perl" || language === "php" || language === "julia") {
      if (char === "{" && text[at + 1] === "$" && language === "php") return this.#braced(at + 1);
      if (char !== "$") return undefined;
      const name = /\$\{?\w+\}?(\{['"]?\w+['"]?\}|\[['"]?\w+['"]?\])?/y;
      name.lastIndex = at;
      const found = name.exec(text)?.[0];
      return found ? { code: found.replace(/^\$\{(\w+)\}/, "$$$1"), end: at + found.length } : undefined;
    }
    return undefined;
  }

  #braced(from: number): { code: string; end: number } {
    let depth = 1;
    let at = from;
    while (at < this.#text.length) {
      if (this.#text[at] === "{") depth++;
      else if (this.#text[at] === "}" && --depth === 0) break;
      at++;
    }
    return { code: this.#text.slice(from, at), end: Math.min(at + 1, this.#text.length) };
  }
}

const LETTERS: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "0": "\0", "\n": "" };

function escaped(next: string, text: string, at: number): string {
  if (next === "x" || next === "u") {
    const code = Number.parseInt(text.slice(at + 2, at + 2 + escapedLength(next, text, at)), 16);
    return Number.isNaN(code) ? next : String.fromCharCode(code);
  }
  return LETTERS[next] ?? next;
}

function escapedLength(next: string, text: string, at: number): number {
  if (next !== "x" && next !== "u") return 0;
  const digits = /^[0-9a-fA-F]+/.exec(text.slice(at + 2, at + 2 + (next === "x" ? 2 : 4)));
  return digits?.[0].length ?? 0;
}
