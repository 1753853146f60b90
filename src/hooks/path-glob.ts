// Globs over absolute paths, such as `infra/prod/**` and `.env*`. A relative glob with a slash starts at the project's
// root; one without matches a name anywhere.
import { below, normal } from "../shell/places.ts";

export type TextMatcher = (text: string) => boolean;

/** Whether a path matches any of the globs; made once, asked for every path of every call. */
export function pathMatcher(globs: readonly string[], rootDir: string): TextMatcher {
  const names = nameMatcher(globs.filter((glob) => !glob.includes("/")));
  const paths = globs.filter((glob) => glob.includes("/")).map((glob) => wholePath(glob, rootDir));
  const begin = commonBeginning(paths.map(({ fixed }) => fixed));
  return (path) =>
    names(path.slice(path.lastIndexOf("/") + 1)) ||
    (path.startsWith(begin) && paths.length > 0 && isAnyOf(paths, path));
}

function commonBeginning([first = "", ...others]: readonly string[]): string {
  let length = first.length;
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length -= 1;
  return first.slice(0, length);
}

export const globMatches = (glob: string, path: string, rootDir: string) => pathMatcher([glob], rootDir)(path);

/** `*` and `?` over any text, anchored at both ends. */
export const wildcardMatches = (pattern: string, text: string) => wildcardMatcher(pattern)(text);

function nameMatcher(globs: readonly string[]): TextMatcher {
  const exact = new Set(globs.filter((glob) => !WILDCARD.test(glob)));
  const simple = anyWithOneStar(globs.filter((glob) => ONE_STAR.test(glob)));
  const wild = globs.filter((glob) => WILDCARD.test(glob) && !ONE_STAR.test(glob)).map(wildcardMatcher);
  return (name) => {
    if (exact.has(name) || simple?.test(name)) return true;
    for (const matcher of wild) if (matcher(name)) return true;
    return false;
  };
}

const ONE_STAR = /^[^*?]*\*[^*?]*$/;

/** All of them in one look. With one star each it takes as long as the text is long; with more it might not. */
function anyWithOneStar(globs: readonly string[]): RegExp | undefined {
  return globs.length === 0 ? undefined : new RegExp(`^(?:${globs.map((glob) => escaped(glob, "[^]*")).join("|")})$`);
}

const escaped = (glob: string, star: string) => glob.replace(/[.+^${}()|[\]\\/-]/g, "\\$&").replace("*", () => star);

/** Whether one of the parts of a path, each with a slash in front, is named so. */
export function partMatcher(globs: readonly string[]): TextMatcher {
  const simple = globs.filter((glob) => !WILDCARD.test(glob) || ONE_STAR.test(glob));
  const wild = globs.filter((glob) => !simple.includes(glob)).map(wildcardMatcher);
  const any =
    simple.length > 0 ? new RegExp(`/(?:${simple.map((glob) => escaped(glob, "[^/]*")).join("|")})(?:/|$)`) : undefined;
  return (path) => any?.test(path) === true || wild.some((matches) => partsOf(path).some(matches));
}

interface WholePath {
  /** What every path that matches begins with, and a name that it holds. */
  readonly fixed: string;
  readonly name: string;
  readonly expected: readonly (TextMatcher | typeof ANY)[];
}

/** The path is taken apart once, and only if one of them could match. */
function isAnyOf(wanted: readonly WholePath[], path: string): boolean {
  let found: readonly string[] | undefined;
  for (const { fixed, name, expected } of wanted) {
    if (!path.startsWith(fixed) || !path.includes(name)) continue;
    found ??= partsOf(path);
    if (matches(expected, found)) return true;
  }
  return false;
}

function wholePath(glob: string, rootDir: string): WholePath {
  const pattern = glob.startsWith("/") ? glob : normal(below(rootDir, glob));
  const wild = WILDCARD.exec(pattern)?.index ?? pattern.length;
  const fixed = pattern.slice(0, pattern.lastIndexOf("/", wild));
  const all = partsOf(pattern);
  const name = all.findLast((part) => !WILDCARD.test(part)) ?? "";
  return { fixed, name, expected: all.map((part) => (part === "**" ? ANY : wildcardMatcher(part))) };
}

export function wildcardMatcher(pattern: string): TextMatcher {
  const first = WILDCARD.exec(pattern)?.index;
  if (first === undefined) return (text) => text === pattern;
  const last = Math.max(pattern.lastIndexOf("*"), pattern.lastIndexOf("?"));
  const [head, tail] = [pattern.slice(0, first), pattern.slice(last + 1)];
  const expected = [...pattern].map((character) =>
    character === "*" ? ANY : character === "?" ? () => true : (actual: string) => actual === character,
  );
  return (text) => text.startsWith(head) && text.endsWith(tail) && matches(expected, [...text]);
}

const WILDCARD = /[*?]/;

let last: { readonly path: string; readonly parts: readonly string[] } | undefined;

/** One path is held against many globs in turn. */
export function partsOf(path: string): readonly string[] {
  if (last?.path !== path) last = { path, parts: path.split("/").filter(Boolean) };
  return last.parts;
}

/** Any sequence, also an empty one. */
const ANY = Symbol("any");

/** At most pattern times subject steps: only the last wildcard is ever tried again. */
function matches(pattern: readonly (TextMatcher | typeof ANY)[], subject: readonly string[]): boolean {
  let p = 0;
  let s = 0;
  let star = -1;
  let mark = 0;
  while (s < subject.length) {
    const expected = pattern[p];
    if (expected === ANY) {
      star = p++;
      mark = s;
    } else if (expected?.(subject[s] as string)) {
      p += 1;
      s += 1;
    } else if (star >= 0) {
      p = star + 1;
      s = ++mark;
    } else return false;
  }
  while (pattern[p] === ANY) p += 1;
  return p === pattern.length;
}
