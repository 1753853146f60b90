// Globs over absolute paths, such as `infra/prod/**` and `.env*`. A relative glob with a slash starts at the project's
// root; one without matches a name anywhere.
export function globMatches(glob: string, path: string, rootDir: string): boolean {
  if (!glob.includes("/")) return matchesName(glob, path.slice(path.lastIndexOf("/") + 1));
  const pattern = glob.startsWith("/") ? glob : `${rootDir}/${glob}`;
  const wild = /[*?]/.exec(pattern)?.index ?? pattern.length;
  if (!path.startsWith(pattern.slice(0, pattern.lastIndexOf("/", wild)))) return false;
  return matches(parts(pattern), parts(path), "**", matchesName);
}

/** `*` and `?` over any text, anchored at both ends. */
export const wildcardMatches = (pattern: string, text: string) => matchesName(pattern, text);

const parts = (path: string) => path.split("/").filter(Boolean);

const matchesName = (pattern: string, name: string) =>
  pattern === name ||
  (/[*?]/.test(pattern) &&
    matches([...pattern], [...name], "*", (expected, actual) => expected === "?" || expected === actual));

/** Wildcards over any sequence, at most pattern times subject steps: only the last wildcard is ever tried again. */
function matches(
  pattern: readonly string[],
  subject: readonly string[],
  wildcard: string,
  matchesOne: (expected: string, actual: string) => boolean,
): boolean {
  let p = 0;
  let s = 0;
  let star = -1;
  let mark = 0;
  while (s < subject.length) {
    if (pattern[p] === wildcard) {
      star = p++;
      mark = s;
    } else if (p < pattern.length && matchesOne(pattern[p] as string, subject[s] as string)) {
      p += 1;
      s += 1;
    } else if (star >= 0) {
      p = star + 1;
      s = ++mark;
    } else return false;
  }
  while (pattern[p] === wildcard) p += 1;
  return p === pattern.length;
}
