/** What SQL text would do. A small real tokenizer: strings, comments and quoted names are told from statements. */
import type { CommandEffect, DatabaseDeed } from "./effect.ts";

export interface SqlDeed {
  readonly deed: DatabaseDeed;
  /** `DROP TABLE users`. */
  readonly detail: string;
}

const MAX_SQL = 1_000_000;
const MAX_DETAIL = 60;

export const sqlEffects = (text: string): CommandEffect[] =>
  sqlDeeds(text).map(({ deed, detail }) => ({ type: "database", deed, detail }));

export function sqlDeeds(text: string): SqlDeed[] {
  return statements(text.slice(0, MAX_SQL)).flatMap((words) => {
    const deed = deedOf(words);
    return deed ? [{ deed, detail: words.join(" ").slice(0, MAX_DETAIL).trim() }] : [];
  });
}

/** Statements as their words. Strings stand as `'…'`, quoted names as their text. */
export function statements(text: string): string[][] {
  const all: string[][] = [];
  let words: string[] = [];
  let at = 0;
  const word = /[\p{L}_\p{N}$#@\u{FFFC}][\p{L}\p{N}_$#@.\u{FFFC}]*/uy;
  const dollar = /\$(\w*)\$/y;
  const end = () => {
    if (words.length > 0) all.push(words);
    words = [];
  };
  const until = (mark: string, from: number) => {
    const found = text.indexOf(mark, from);
    return found < 0 ? text.length : found;
  };
  while (at < text.length) {
    const char = text[at] as string;
    if (text.startsWith("--", at)) at = until("\n", at);
    else if (text.startsWith("/*", at)) at = until("*/", at + 2) + 2;
    else if (char === "#" && /^\s*$/.test(text.slice(Math.max(0, at - 1), at))) at = until("\n", at);
    else if (char === ";") {
      end();
      at++;
    } else if (char === "\\" && /[gG]/.test(text[at + 1] ?? "")) {
      end();
      at += 2;
    } else if (char === "'") {
      at = afterQuote(text, at, "'");
      words.push("'…'");
    } else if (char === '"' || char === "`") {
      const stop = afterQuote(text, at, char);
      words.push(text.slice(at + 1, stop - 1));
      at = stop;
    } else if (char === "[") {
      const stop = until("]", at);
      words.push(text.slice(at + 1, stop));
      at = stop + 1;
    } else if (char === "$" && match(dollar, text, at)) {
      const tag = match(dollar, text, at) as string;
      at = until(tag, at + tag.length) + tag.length;
      words.push("'…'");
    } else {
      const name = match(word, text, at);
      if (name !== undefined) words.push(name);
      else if (char > " ") words.push(char);
      at += name?.length ?? 1;
    }
  }
  end();
  return all;
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function afterQuote(text: string, from: number, quote: string): number {
  let at = from + 1;
  while (at < text.length) {
    if (text[at] === "\\") at += 2;
    else if (text[at] === quote) {
      if (text[at + 1] !== quote) return at + 1;
      at += 2;
    } else at++;
  }
  return text.length;
}

function deedOf(written: readonly string[]): DatabaseDeed | undefined {
  const words = afterPreamble(written.map((word) => word.toUpperCase()));
  const [verb, second = "", third = ""] = words;
  switch (verb) {
    case "DROP":
      if (/^(TABLE|DATABASE|SCHEMA|KEYSPACE|COLLECTION|TABLESPACE|OWNED|CATALOG)$/.test(second)) return "drop";
      if (second === "FOREIGN" || (second === "MATERIALIZED" && third === "VIEW")) return "drop";
      return /^(VIEW|INDEX|USER|ROLE|FUNCTION|PROCEDURE|SEQUENCE|TYPE|TRIGGER|EXTENSION|DOMAIN|POLICY|PUBLICATION|SUBSCRIPTION|SERVER|COLUMN|DICTIONARY|LOGIN)$/.test(
        second,
      )
        ? "drop-part"
        : undefined;
    case "TRUNCATE":
      return words.length > 1 ? "truncate" : undefined;
    case "DELETE":
      return second === "FROM" || third === "FROM" || words.length <= 3
        ? isNarrowed(words)
          ? undefined
          : "delete-all"
        : undefined;
    case "UPDATE":
      return words.includes("SET") && !isNarrowed(words) ? "update-all" : undefined;
    case "ALTER":
      if (/^(TABLE|KEYSPACE)$/.test(second) && words.includes("DROP"))
        return /^(PARTITION)$/.test(words[words.indexOf("DROP") + 1] ?? "") ? "drop" : "drop-part";
      return second === "TABLE" && words.includes("DELETE")
        ? isNarrowed(words)
          ? undefined
          : "delete-all"
        : undefined;
    case "GRANT":
      return second === "ALL" || /^(SUPERUSER|SYSDBA|DBA)$/.test(second) ? "grant" : undefined;
    case "FLUSHALL":
    case "FLUSHDB":
      return "flush";
    default:
      return undefined;
  }
}

/** `EXPLAIN DELETE …` only explains; `WITH … DELETE` deletes; `BEGIN` may stand before. */
function afterPreamble(words: readonly string[]): readonly string[] {
  if (words[0] === "EXPLAIN" && !words.slice(0, 4).includes("ANALYZE")) return [];
  if (words[0] === "EXPLAIN")
    return words.slice(words.findIndex((word) => /^(DELETE|UPDATE|SELECT|INSERT)$/.test(word)) >>> 0);
  if (words[0] === "WITH") {
    let depth = 0;
    const at = words.findIndex((word) => {
      if (word === "(") depth++;
      if (word === ")") depth--;
      return depth === 0 && /^(DELETE|UPDATE|SELECT|INSERT|MERGE)$/.test(word);
    });
    return at < 0 ? words : words.slice(at);
  }
  return words;
}

/** Has a WHERE that can leave rows out. */
function isNarrowed(words: readonly string[]): boolean {
  const at = words.indexOf("WHERE");
  if (at < 0) return words.includes("LIMIT");
  const [left, operator, right, next] = words.slice(at + 1);
  if (left === undefined) return false;
  const alone = next === undefined || next === "RETURNING" || next === "OR";
  if (/^(TRUE|1)$/.test(left) && (operator === undefined || operator === "OR")) return false;
  return !(operator === "=" && left === right && alone);
}
