/** A script of sed, read command by command as GNU sed reads it: which programs it runs and which files it writes. */
import { UNKNOWN } from "../arg.ts";

export type SedDeed =
  | { readonly type: "run"; readonly command: string }
  /** `e` alone, and the flag of `s`: the line itself is run. */
  | { readonly type: "run-line" }
  | { readonly type: "write"; readonly path: string };

/** Each character is looked at a few times at most. */
export function sedDeeds(script: string): SedDeed[] {
  const reader = new Reader(script);
  const deeds: SedDeed[] = [];
  while (reader.skipBetween()) {
    reader.skipAddress();
    const found = readCommand(reader);
    if (found === undefined) break;
    deeds.push(...found);
  }
  return deeds;
}

/** undefined: nothing can be read from here on. */
function readCommand(reader: Reader): readonly SedDeed[] | undefined {
  const command = reader.take();
  switch (command) {
    case "e": {
      const text = reader.restOfLine();
      return [text === "" ? { type: "run-line" } : { type: "run", command: text }];
    }
    case "w":
    case "W":
      return [{ type: "write", path: reader.restOfLine() }];
    case "r":
    case "R":
    case "#":
      reader.restOfLine();
      return [];
    case "a":
    case "i":
    case "c":
      reader.skipText();
      return [];
    case "s":
      return readSubstitution(reader);
    case "y": {
      const delimiter = reader.take();
      return reader.until(delimiter) === undefined || reader.until(delimiter) === undefined ? undefined : [];
    }
    case ":":
    case "b":
    case "t":
    case "T":
    case "v":
      reader.skipWord();
      return [];
    default:
      return [];
  }
}

function readSubstitution(reader: Reader): readonly SedDeed[] | undefined {
  const delimiter = reader.take();
  if (!reader.skipPattern(delimiter)) return undefined;
  const replacement = reader.until(delimiter);
  if (replacement === undefined) return undefined;
  const deeds: SedDeed[] = [];
  for (;;) {
    const flag = reader.peek();
    if (flag === "w") {
      reader.take();
      deeds.push({ type: "write", path: reader.restOfLine() });
    } else if (flag === "e") {
      reader.take();
      deeds.push({ type: "run", command: replacementText(replacement) }, { type: "run-line" });
    } else if (/^[gpiImM\d]$/.test(flag)) reader.take();
    else return deeds;
  }
}

/** What was matched stands in it as something unknown. */
const replacementText = (text: string) =>
  text.replace(/\\(.)|&/gs, (whole, escaped: string | undefined) => {
    if (whole === "&" || /^\d$/.test(escaped ?? "")) return UNKNOWN;
    return escaped === "n" ? "\n" : (escaped ?? "");
  });

class Reader {
  at = 0;
  readonly #text: string;
  #hasBrackets = true;

  constructor(text: string) {
    this.#text = text;
  }

  peek = () => this.#text[this.at] ?? "";
  take = () => this.#text[this.at++] ?? "";

  /** Whether a command follows. */
  skipBetween(): boolean {
    while (/^[\s;{}]$/.test(this.peek())) this.at++;
    return this.at < this.#text.length;
  }

  skipAddress(): void {
    while (this.at < this.#text.length) {
      const char = this.peek();
      if (/^[\d$,+~!\s]$/.test(char)) this.at++;
      else if (char === "/" || char === "\\") {
        this.at++;
        const delimiter = char === "\\" ? this.take() : "/";
        if (!this.skipPattern(delimiter)) return;
        while (/^[IM]$/.test(this.peek())) this.at++;
      } else if (char === "{") this.at++;
      else return;
    }
  }

  /** In `[…]` a delimiter is a character like others; where that cannot be meant, it is not asked for again. */
  skipPattern(delimiter: string): boolean {
    if (this.#hasBrackets && this.until(delimiter, true) !== undefined) return true;
    this.#hasBrackets = false;
    return this.until(delimiter) !== undefined;
  }

  /** The text up to a delimiter that is not escaped. */
  until(delimiter: string, brackets = false): string | undefined {
    if (delimiter === "" || delimiter === "\n") return undefined;
    const start = this.at;
    for (let at = start; at < this.#text.length; at++) {
      const char = this.#text[at];
      if (char === "\\") at++;
      else if (char === delimiter) {
        this.at = at + 1;
        return this.#text.slice(start, at);
      } else if (brackets && char === "[") {
        // A bracket right after `[` or `[^` is one of the characters.
        const first = at + (this.#text[at + 1] === "^" ? 2 : 1);
        const close = this.#text.indexOf("]", first + 1);
        if (close < 0) return undefined;
        at = close;
      }
    }
    return undefined;
  }

  restOfLine = () => this.#line().trim();

  #line(): string {
    const end = this.#text.indexOf("\n", this.at);
    const line = this.#text.slice(this.at, end < 0 ? undefined : end);
    this.at = end < 0 ? this.#text.length : end + 1;
    return line;
  }

  /** `a text`, `a\` and the text in the next line; a line that ends in a backslash, itself not escaped, goes on. */
  skipText(): void {
    while (goesOn(this.#line()) && this.at < this.#text.length);
  }

  skipWord(): void {
    while (/^[ \t]$/.test(this.peek())) this.at++;
    while (this.at < this.#text.length && !/^[\s;}]$/.test(this.peek())) this.at++;
  }
}

function goesOn(line: string): boolean {
  let backslashes = 0;
  while (line[line.length - 1 - backslashes] === "\\") backslashes += 1;
  return backslashes % 2 === 1;
}
