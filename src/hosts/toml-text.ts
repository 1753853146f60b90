/**
 * Editing TOML that a person keeps by hand: tables of ours go to the end, and taking them out gives the very bytes from
 * before. Each begins with the line break that it brought along, so one at the very start tells that the file is ours.
 */
import { isDeepStrictEqual } from "node:util";
import { parse, type TomlTable } from "smol-toml";

export interface OwnTable {
  readonly path: readonly string[];
  readonly fields: Readonly<Record<string, string | readonly string[]>>;
  /** Stands behind each value, where others write the same: only what has it is taken out again. */
  readonly mark?: string;
}

/** What to take out, by its names. */
export interface OwnFields extends Pick<OwnTable, "path" | "mark"> {
  readonly fields: readonly string[];
}

export function readToml(text: string): TomlTable {
  return parse(text.replace(/^\uFEFF/, ""), { integersAsBigInt: "asNeeded" });
}

export function valueAt(table: TomlTable, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (isTable(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    table,
  );
}

export const isTable = (value: unknown): value is TomlTable =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** The text with these tables in it; a field that is there already is changed in its place. Throws where the form does not allow it. */
export function withTables(text: string | undefined, tables: readonly OwnTable[]): string {
  const eol = text?.includes("\r\n") ? "\r\n" : "\n";
  const result = tables.reduce((body, table) => withTable(body, table, eol), text ?? "");
  const read = readToml(result);
  for (const { path, fields } of tables) {
    const found = valueAt(read, path);
    for (const [name, value] of Object.entries(fields)) {
      if (!isTable(found) || !isDeepStrictEqual(found[name], value))
        throw new Error(`${path.join(".")} cannot be changed`);
    }
  }
  return text === undefined ? result.slice(eol.length) : result;
}

/** The text without these fields, and without their tables where nothing else is in them; undefined: nothing is left of what we created. */
export function withoutTables(text: string, tables: readonly OwnFields[]): string | undefined {
  const first = headersIn(text)[0];
  const created = first?.start === 0 && tables.some(({ path }) => isDeepStrictEqual(path, first.path));
  const result = tables.reduce(withoutTable, text);
  return result === "" && created ? undefined : result;
}

function withTable(text: string, { path, fields, mark }: OwnTable, eol: string): string {
  const lineOf = (name: string, value: OwnTable["fields"][string]) =>
    `${name} = ${literal(value)}${mark === undefined ? "" : ` # ${mark}`}${eol}`;
  const header = headersIn(text).find((candidate) => isDeepStrictEqual(candidate.path, path));
  const lines = Object.entries(fields).map(([name, value]) => lineOf(name, value));
  if (!header) return `${text}${eol}[${path.map(keyText).join(".")}]${eol}${lines.join("")}`;
  return Object.entries(fields).reduce((body, [name, value]) => {
    const now = headersIn(body).find((candidate) => isDeepStrictEqual(candidate.path, path)) ?? header;
    const line = linesIn(body, now).find((candidate) => candidate.key === name);
    if (!line) return splice(body, now.bodyStart, now.bodyStart, lineOf(name, value));
    const same = isDeepStrictEqual(readToml(body.slice(line.start, line.end))[name], value);
    return same ? body : splice(body, line.start, line.end, lineOf(name, value));
  }, text);
}

function withoutTable(text: string, { path, fields, mark = "" }: OwnFields): string {
  const header = headersIn(text).find((candidate) => isDeepStrictEqual(candidate.path, path));
  if (!header) return text;
  const lines = linesIn(text, header);
  const isOurs = ({ key, start, end }: Line) =>
    key !== undefined && fields.includes(key) && text.slice(start, end).includes(mark);
  const ours = lines.filter(isOurs);
  const others = lines.some((line) => line.key !== undefined && !isOurs(line));
  const cleaned = [...ours].reverse().reduce((body, { start, end }) => splice(body, start, end, ""), text);
  if (others || ours.length === 0) return cleaned;
  return takenOut(cleaned.slice(0, header.start), cleaned.slice(header.bodyStart));
}

/** Its line break goes with a table, unless two lines would become one. */
function takenOut(before: string, after: string): string {
  const [, rest = before] = /^([\s\S]*?)\r?\n$/.exec(before) ?? [];
  return /(^|\n)$/.test(rest) || /^(\r?\n|$)/.test(after) ? rest + after : before + after;
}

interface Header {
  /** Undefined: a list of tables. */
  readonly path: readonly string[] | undefined;
  readonly start: number;
  readonly bodyStart: number;
  readonly end: number;
}

function headersIn(text: string): Header[] {
  const starts = statementsIn(text).filter(({ start }) => /^[ \t]*\[/.test(text.slice(start, start + 200)));
  return starts.map(({ start, end }, index) => ({
    path: headerPath(text.slice(start, end)),
    start,
    bodyStart: end,
    end: starts[index + 1]?.start ?? text.length,
  }));
}

function headerPath(line: string): string[] | undefined {
  if (/^[ \t]*\[\[/.test(line)) return undefined;
  const path: string[] = [];
  for (let table: unknown = readToml(line); isTable(table); ) {
    const [key] = Object.keys(table);
    if (key === undefined) return path;
    path.push(key);
    table = table[key];
  }
  return undefined;
}

interface Line extends Statement {
  /** Undefined: blank, or a comment. */
  readonly key: string | undefined;
}

/** The statements below a header. */
function linesIn(text: string, { bodyStart, end }: Header): Line[] {
  return statementsIn(text)
    .filter(({ start }) => start >= bodyStart && start < end)
    .map((line) => ({ ...line, key: /^[ \t]*([\w-]+)[ \t]*=/.exec(text.slice(line.start, line.end))?.[1] }))
    .map((line) => ({ ...line, key: line.key ?? (isBlank(text.slice(line.start, line.end)) ? undefined : "") }));
}

const isBlank = (line: string) => /^[ \t]*(#.*)?\r?\n?$/.test(line);

interface Statement {
  readonly start: number;
  /** Behind its line break. */
  readonly end: number;
}

/** Lines, but what goes over several is one: strings with three quotes, lists, inline tables. */
function statementsIn(text: string): Statement[] {
  const found: Statement[] = [];
  const piece =
    /"""(?:\\[\s\S]|[^\\])*?"{3,5}|'''[\s\S]*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|#[^\n]*|[[{]|[\]}]|\n|[^"'#[\]{}\n]+|["']/g;
  let start = 0;
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(piece)) {
    if (token === "[" || token === "{") depth += 1;
    else if (token === "]" || token === "}") depth -= 1;
    else if (token === "\n" && depth <= 0) {
      found.push({ start, end: index + 1 });
      start = index + 1;
    }
  }
  return start < text.length ? [...found, { start, end: text.length }] : found;
}

const literal = (value: string | readonly string[]): string =>
  typeof value === "string" ? JSON.stringify(value) : `[${value.map((item) => JSON.stringify(item)).join(", ")}]`;

const keyText = (key: string) => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key));

const splice = (text: string, from: number, to: number, insert: string) =>
  text.slice(0, from) + insert + text.slice(to);
