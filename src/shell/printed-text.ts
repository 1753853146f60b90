/** What a program prints, where that can be known without running it. */
import { type Arg, isKnown, UNKNOWN } from "./arg.ts";
import type { Invocation, Stdin } from "./invocation.ts";

/** The text a pipeline prints, where it is plainly that of echo, printf or cat of a here-document. */
export function printedText(invocations: readonly Invocation[]): string | undefined {
  const last = invocations.at(-1);
  if (!last || last.redirects.some(({ direction }) => direction !== "read")) return undefined;
  return outputText(last);
}

const cache = new WeakMap<Invocation, { readonly text: string | undefined }>();

/** What a program writes to its standard output, wherever that goes. */
export function outputText(invocation: Invocation): string | undefined {
  const before = cache.get(invocation);
  if (before) return before.text;
  const text = computed(invocation);
  cache.set(invocation, { text });
  return text;
}

function computed(last: Invocation): string | undefined {
  const words = last.args;
  if (!words.every(isKnown)) return undefined;
  switch (last.program) {
    case "echo": {
      const shown = words.filter(({ text }, index) => !(index === 0 && /^-[neE]+$/.test(text)));
      const escapes = words[0] && /^-\w*e/.test(words[0].text);
      const text = shown.map((word) => word.text).join(" ");
      return `${escapes ? unescaped(text) : text}\n`;
    }
    case "printf":
      return words[0] ? formatted(words.map(({ text }) => text)) : undefined;
    case "cat":
      return words.length === 0 || (words.length === 1 && words[0]?.text === "-") ? inputText(last.stdin) : undefined;
    case "pwd":
      return last.cwd === undefined ? undefined : `${last.cwd}\n`;
    case "which":
      return placedSomewhere(words);
    case "command":
    case "type":
      return /^-[vP]$/.test(words[0]?.text ?? "") ? placedSomewhere(words.slice(1)) : undefined;
    case "dirname":
      return words.length === 1 ? `${directoryOf(words[0]?.text ?? "")}\n` : undefined;
    case "basename":
      return baseName(words.map(({ text }) => text));
    case "realpath":
      return words.length === 1 ? `${words[0]?.text}\n` : undefined;
    case "readlink":
      return words.length === 2 && /^-[fem]$/.test(words[0]?.text ?? "") ? `${words[1]?.text}\n` : undefined;
    case "mktemp":
      return `/tmp/${UNKNOWN}\n`;
    case "tee":
      return inputText(last.stdin);
    case "base64":
      return decodes(words) ? fromBase64(inputText(last.stdin)) : undefined;
    case "xxd":
      return words.some(({ text }) => /^-\w*r/.test(text)) ? fromHex(inputText(last.stdin)) : undefined;
    case "tr":
      return translated(words, inputText(last.stdin));
    case "openssl":
      return decodesWithOpenssl(words) ? fromBase64(inputText(last.stdin)) : undefined;
    case "rev":
      return inputText(last.stdin)
        ?.split("\n")
        .map((line) => [...line].reverse().join(""))
        .join("\n");
    default:
      return undefined;
  }
}

/** Where a program lies: nobody knows in which directory, but under its name. */
const placedSomewhere = (words: readonly Arg[]) =>
  words.length === 1 && /^[\w.+-]+$/.test(words[0]?.text ?? "") ? `${UNKNOWN}/${words[0]?.text}\n` : undefined;

const directoryOf = (path: string) => {
  const plain = path.replace(/(?<=.)\/+$/, "");
  const slash = plain.lastIndexOf("/");
  return slash < 0 ? "." : plain.slice(0, slash) || "/";
};

function baseName([path, suffix = "", ...others]: readonly string[]): string | undefined {
  if (path === undefined || path.startsWith("-") || others.length > 0) return undefined;
  const name = path.replace(/(?<=.)\/+$/, "");
  const base = name.slice(name.lastIndexOf("/") + 1);
  return `${base !== suffix && base.endsWith(suffix) ? base.slice(0, base.length - suffix.length) : base}\n`;
}

/** The text that arrives on stdin, where it can be known. */
export function inputText(stdin: Stdin): string | undefined {
  if (stdin.type === "text") return stdin.text;
  return stdin.type === "pipe" ? printedText(stdin.producers) : undefined;
}

const decodesWithOpenssl = (words: readonly Arg[]) =>
  words.some(({ text }) => text === "base64" || text === "-base64" || text === "-a") &&
  words.some(({ text }) => text === "-d") &&
  !words.some(({ text }) => /^-(aes|des|camellia|pbkdf2|k|pass)/.test(text));

/** tr with plain sets: letters, ranges, -d. */
function translated(words: readonly Arg[], text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const [first, second] = words;
  if (first?.text === "-d" && second) return deleted(text, charactersOf(second.text));
  if (!first || !second || first.text.startsWith("-")) return undefined;
  const from = charactersOf(first.text);
  const to = charactersOf(second.text);
  if (!from || !to || to.length === 0) return undefined;
  return [...text]
    .map((char) => {
      const at = from.lastIndexOf(char);
      return at < 0 ? char : (to[Math.min(at, to.length - 1)] as string);
    })
    .join("");
}

const deleted = (text: string, set: readonly string[] | undefined) =>
  set && [...text].filter((char) => !set.includes(char)).join("");

function charactersOf(set: string): string[] | undefined {
  if (/\[[:=.]/.test(set) || set.length > 200) return undefined;
  return unescaped(set)
    .replace(/(.)-(.)/gs, (_, a: string, b: string) => {
      const [low, high] = [a.charCodeAt(0), b.charCodeAt(0)];
      return high < low || high - low > 256
        ? a
        : String.fromCharCode(...Array.from({ length: high - low + 1 }, (_, i) => low + i));
    })
    .split("");
}

const decodes = (words: readonly Arg[]) => words.some(({ text }) => /^(-d|-D|--decode|-di|-id)$/.test(text));

export function fromBase64(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    const bytes = Uint8Array.from(atob(text.replace(/\s/g, "")), (char) => char.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function fromHex(text: string | undefined): string | undefined {
  const digits = text?.replace(/^[0-9a-f]+:|\s/gim, "");
  if (!digits || !/^([0-9a-f]{2})+$/i.test(digits)) return undefined;
  return new TextDecoder().decode(Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)));
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "\\": "\\",
  a: "",
  e: "\u001b",
  "0": "\0",
};

const unescaped = (text: string) =>
  text
    .replace(/\\x([0-9a-fA-F]{1,2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\0?([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
    .replace(/\\([ntrae0\\])/g, (_, letter: string) => ESCAPES[letter] ?? letter);

const MOST_FORMATTED = 200_000;

/** The format is used again for as long as there are values left; what would be too long ends in something unknown. */
export function formatted(words: readonly string[]): string {
  const [given = "", ...values] = words[0] === "--" ? words.slice(1) : words;
  const format = unescaped(given);
  let text = "";
  let index = 0;
  let used: number;
  do {
    used = index;
    text += format.replace(/%[-\d.]*([sdbq%])/g, (_, kind: string) => (kind === "%" ? "%" : (values[index++] ?? "")));
    if (text.length > MOST_FORMATTED && index < values.length) return `${text}${UNKNOWN}`;
  } while (index > used && index < values.length);
  return text;
}

/** As `$(…)` takes what a program prints. */
export function withoutFinalNewlines(text: string | undefined): string | undefined {
  let end = text?.length ?? 0;
  while (end > 0 && text?.[end - 1] === "\n") end--;
  return text?.slice(0, end);
}
