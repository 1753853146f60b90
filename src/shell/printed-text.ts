/** What a program prints, where that can be known without running it. */
import { type Arg, isKnown, UNKNOWN } from "./arg.ts";
import type { Invocation, Stdin } from "./invocation.ts";

/** The text a pipeline prints, where it is plainly that of echo, printf or cat of a here-document. */
export function printedText(invocations: readonly Invocation[]): string | undefined {
  const last = invocations.at(-1);
  if (!last || last.redirects.some(({ direction }) => direction !== "read")) return undefined;
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
    case "mktemp":
      return `/tmp/${UNKNOWN}\n`;
    case "tee":
      return inputText(last.stdin);
    case "base64":
      return decodes(words) ? fromBase64(inputText(last.stdin)) : undefined;
    case "xxd":
      return words.some(({ text }) => /^-\w*r/.test(text)) ? fromHex(inputText(last.stdin)) : undefined;
    case "rev":
      return inputText(last.stdin)
        ?.split("\n")
        .map((line) => [...line].reverse().join(""))
        .join("\n");
    default:
      return undefined;
  }
}

/** The text that arrives on stdin, where it can be known. */
export function inputText(stdin: Stdin): string | undefined {
  if (stdin.type === "text") return stdin.text;
  return stdin.type === "pipe" ? printedText(stdin.producers) : undefined;
}

const decodes = (words: readonly Arg[]) => words.some(({ text }) => /^(-d|-D|--decode|-di|-id)$/.test(text));

function fromBase64(text: string | undefined): string | undefined {
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

function formatted([format = "", ...values]: readonly string[]): string {
  let index = 0;
  return unescaped(format).replace(/%[-\d.]*([sdbq%])/g, (_, kind: string) =>
    kind === "%" ? "%" : (values[index++] ?? ""),
  );
}
