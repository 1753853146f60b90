/** Markdown with YAML in front: the form of nodes, session logs, conflicts and what is generated. */
import { parse, stringify } from "yaml";
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { readPlainYaml } from "./plain-yaml.ts";

export interface FrontMatter {
  readonly data: JsonObject;
  /** Everything after the closing line, as it stands there. */
  readonly body: string;
}

/** undefined: the text has none. */
export function splitFrontMatter(text: string): { yaml: string; body: string } | undefined {
  const plain = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const opening = /^---[ \t]*\r?\n/.exec(plain);
  if (!opening) return undefined;
  const closing = /^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/m.exec(plain.slice(opening[0].length));
  if (!closing) return undefined;
  const end = opening[0].length + closing.index;
  return { yaml: plain.slice(opening[0].length, end), body: plain.slice(end + closing[0].length) };
}

/** A text says what is wrong. */
export function parseFrontMatter(text: string): FrontMatter | string {
  const split = splitFrontMatter(text);
  if (!split) return "has no front matter between two lines of ---";
  const plain = readPlainYaml(split.yaml);
  if (plain) return { data: plain, body: split.body };
  try {
    // Few aliases: a small file must not become a large value.
    const data: unknown = parse(split.yaml, { maxAliasCount: 20, prettyErrors: false, schema: "core" });
    if (!isJsonObject(data)) return "has front matter that is no list of keys and values";
    return { data, body: split.body };
  } catch (error) {
    return `has front matter that is not valid YAML: ${(error as Error).message.split("\n")[0]}`;
  }
}

// Blocks of lines would lose blanks at their edges.
const FORM = { lineWidth: 0, schema: "core", aliasDuplicateObjects: false, blockQuote: false } as const;

/** Keys in the order given, one form for one value: the same data are the same bytes. */
export function frontMatterText(data: { readonly [key: string]: Json }): string {
  return `---\n${stringify(data, FORM)}---\n`;
}
