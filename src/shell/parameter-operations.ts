/** `${x%.txt}`, `${x/a/b}`, `${x,,}`, `${x:0:3}`: what becomes of a value that is known. */
import type { Word, WordPart } from "unbash";
import { UNKNOWN } from "./arg.ts";

type Operation = NonNullable<Extract<WordPart, { type: "ParameterExpansion" }>["operation"]>;
type TextOf = (word: Word) => string;

/** With one wildcard in a pattern and so short a value, a search is over at once. */
const MAX_VALUE = 256;
const MAX_PATTERN = 64;

/** undefined: nobody can say. */
export function operated(value: string, operation: Operation, textOf: TextOf): string | undefined {
  if (value.length > MAX_VALUE || value.includes(UNKNOWN)) return undefined;
  switch (operation.type) {
    case "Remove": {
      const { operator, operand } = operation;
      const pattern = patternOf(operand, textOf, operator === "##" ? "longest" : "shortest");
      if (pattern === undefined) return undefined;
      if (operator.startsWith("#")) return value.replace(new RegExp(`^${pattern}`, "s"), "");
      const kept = operator === "%" ? "(.*)" : "(.*?)";
      return value.replace(new RegExp(`^${kept}${pattern}$`, "s"), "$1");
    }
    case "Replace": {
      const { operator, replacement } = operation;
      const pattern = patternOf(operation.pattern, textOf, "longest");
      const text = textOf(replacement);
      if (!pattern || /[&\\]/.test(text) || text.includes(UNKNOWN)) return undefined;
      const found = `${operator === "/#" ? "^" : ""}${pattern}${operator === "/%" ? "$" : ""}`;
      return value.replace(new RegExp(found, operator === "//" ? "gs" : "s"), () => text);
    }
    case "Slice": {
      const [offset, length] = [operation.offset, operation.length].map((word) => word && textOf(word).trim());
      if (!/^-?\d{1,4}$/.test(offset ?? "") || !/^\d{0,4}$/.test(length ?? "")) return undefined;
      const rest = -Number(offset) > value.length ? "" : value.slice(Number(offset));
      return length === undefined ? rest : rest.slice(0, Number(length));
    }
    case "CaseModification": {
      if (operation.operand) return undefined;
      const changed = operation.operator.startsWith("^") ? value.toUpperCase() : value.toLowerCase();
      return operation.operator.length === 2 ? changed : `${changed.slice(0, 1)}${value.slice(1)}`;
    }
    default:
      return undefined;
  }
}

function patternOf(word: Word, textOf: TextOf, size: "longest" | "shortest"): string | undefined {
  const text = textOf(word);
  const wildcards = text.match(/[*?[]/g)?.length ?? 0;
  const isQuoted = word.parts?.some(({ type }) => /Quoted/.test(type)) || word.text.includes("\\");
  if (text.length > MAX_PATTERN || text.includes(UNKNOWN) || text.includes("[") || text.includes("(")) return undefined;
  if (wildcards > 1 || (wildcards > 0 && isQuoted)) return undefined;
  return text
    .replace(/[\\^$.+|{}\])]/g, "\\$&")
    .replace("*", size === "longest" ? ".*" : ".*?")
    .replace("?", (mark, at: number, all: string) => (all[at - 1] === "*" ? mark : "."));
}
