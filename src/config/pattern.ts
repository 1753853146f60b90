/** Matchers as data. Most are plain names and need no regular expression engine on the hot path. */
import type { Pattern } from "../core/match.ts";

export type PatternData =
  | { readonly type: "names"; readonly source: string; readonly exact: readonly string[] }
  | { readonly type: "part"; readonly source: string; readonly part: string }
  | { readonly type: "regex"; readonly source: string }
  | { readonly type: "glob"; readonly source: string };

/** A linear-time engine for what people write: RE2 has no back-references and cannot be made to hang. */
export interface LinearRegex {
  compile(source: string): { test(value: string): boolean };
}

export function patternData(source: string): PatternData {
  const [, name, names] = /^\^(?:([\w:/@-]+)|\(([\w:/@|-]+)\))\$$/.exec(source) ?? [];
  const exact = name ?? names;
  if (exact !== undefined) return { type: "names", source, exact: exact.split("|") };
  return /^[\w:/@ -]+$/.test(source) ? { type: "part", source, part: source } : { type: "regex", source };
}

export const globData = (source: string): PatternData => ({ type: "glob", source });

export function compilePattern(data: PatternData, regex: () => LinearRegex): Pattern {
  const { source } = data;
  switch (data.type) {
    case "names":
      return { source, test: (value) => data.exact.includes(value) };
    case "part":
      return { source, test: (value) => value.includes(data.part) };
    case "glob":
      return { source, test: remembered(regex().compile(globSource(source))) };
    case "regex":
      return { source, test: remembered(regex().compile(source)) };
  }
}

const REMEMBERED_LENGTH = 64;
const MOST_REMEMBERED = 16;

/** A session uses the same few tools over and over, and every hook with a matcher is asked about each of them. */
function remembered(compiled: { test(value: string): boolean }): Pattern["test"] {
  const known = new Map<string, boolean>();
  return (value) => {
    const before = known.get(value);
    if (before !== undefined) return before;
    const result = compiled.test(value);
    if (value.length > REMEMBERED_LENGTH) return result;
    if (known.size >= MOST_REMEMBERED) known.clear();
    known.set(value, result);
    return result;
  };
}

/** `*` within a path part, `**` across parts, `?` one character, `{a,b}` either. */
function globSource(glob: string): string {
  let source = "";
  let depth = 0;
  for (let i = 0; i < glob.length; i++) {
    const char = glob[i] as string;
    if (glob.startsWith("**/", i)) {
      source += "(?:.*/)?";
      i += 2;
    } else if (glob.startsWith("**", i)) {
      source += ".*";
      i += 1;
    } else if (char === "*") source += glob.includes("/") ? "[^/]*" : ".*";
    else if (char === "?") source += glob.includes("/") ? "[^/]" : ".";
    else if (char === "{") {
      depth += 1;
      source += "(?:";
    } else if (char === "}" && depth > 0) {
      depth -= 1;
      source += ")";
    } else if (char === "," && depth > 0) source += "|";
    else source += /[\w/-]/.test(char) ? char : `\\${char}`;
  }
  return `(?s)^${source}${")".repeat(depth)}$`;
}
