/** Colours for a shell command. A reading aid only: what a command does is said by its effects. */
import { html, type Markup, visible } from "./markup.ts";

const TOKENS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ["comment", /#[^\n]*/y],
  ["string", /'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\$'(?:[^'\\]|\\[\s\S])*'/y],
  ["variable", /\$(?:\{[^}]*\}|\w+|[?!#@*$-])/y],
  ["operator", /\|\||&&|;;|\|&|[|;&()`\n]|\$\(/y],
  ["redirect", /\d*(?:>>|>\||>&|<<<|<<-?|<&|>|<)/y],
  ["flag", /-{1,2}[A-Za-z][\w-]*/y],
  ["word", /(?:\\[\s\S]|[^\s'"$|;&()`<>\\])+/y],
  ["blank", /[^\S\n]+/y],
];

/** After these a new program begins. */
const STARTS = /^(?:\|\||&&|\||\|&|;|;;|&|\(|\n|\$\(|`)$/;
/** Programs that run the next word as one. */
const RUNNERS = new Set(["sudo", "env", "exec", "nohup", "time", "xargs", "command", "then", "do", "else", "if", "!"]);

export function highlightedCommand(command: string): Markup {
  const parts: Markup[] = [];
  let isProgram = true;
  let isAfterBlank = true;
  for (let at = 0; at < command.length; ) {
    const { kind, text } = tokenAt(command, at, isAfterBlank);
    at += text.length;
    isAfterBlank = kind === "blank" || kind === "operator";
    if (kind === "blank") {
      parts.push(visible(text));
      continue;
    }
    const isAssignment = kind === "word" && /^\w+=/.test(text);
    const shown = kind === "word" && isProgram && !isAssignment ? "program" : kind;
    parts.push(shown === "word" ? visible(text) : html`<span class="sh-${shown}">${visible(text)}</span>`);
    if (kind === "operator") isProgram = STARTS.test(text);
    else if (kind === "word" && !isAssignment) isProgram = isProgram && RUNNERS.has(text);
  }
  return html`${parts}`;
}

function tokenAt(command: string, at: number, isAfterBlank: boolean): { kind: string; text: string } {
  for (const [kind, pattern] of TOKENS) {
    if ((kind === "comment" || kind === "flag") && !isAfterBlank) continue;
    pattern.lastIndex = at;
    const text = pattern.exec(command)?.[0];
    if (text) return { kind, text };
  }
  return { kind: "word", text: command[at] ?? "" };
}
