import type { Arg } from "./arg.ts";

const TESTS =
  /^-(i?name|i?path|i?wholename|i?regex|mtime|mmin|size|empty|newer\w*|user|group|atime|amin|ctime|cmin|perm|inum)$/;

/** Tests that pick some files out of many. `-type f`, `-name '*'` and `! -name keep` still mean nearly all of them. */
export const isNarrowed = (all: readonly Arg[]) => {
  // What comes after an `-o` is not held back by what stands before it.
  const args = all.slice(all.findLastIndex(({ text }) => text === "-o" || text === "-or") + 1);
  return args.some(({ text }, index) => {
    if (!TESTS.test(text) || /^(!|-not)$/.test(args[index - 1]?.text ?? "")) return false;
    return !/^(\*|\.\*|\*\.\*)$/.test(args[index + 1]?.text ?? "");
  });
};

/**
 * The files that `-name`, `-path` and `-regex` ask for, at any depth below a starting point, where that is not nearly
 * every one. In them `**` stands for any directories.
 */
export const filesWanted = (args: readonly Arg[], root: string): string[] =>
  args.flatMap(({ text: test }, index) => {
    const wanted = /^(!|-not)$/.test(args[index - 1]?.text ?? "") ? undefined : args[index + 1]?.text;
    if (wanted === undefined || !/[^*?./]/.test(wanted)) return [];
    const below = root.replace(/\/+$/, "");
    if (/^-i?name$/.test(test))
      return [...new Set([wanted, test === "-iname" ? wanted.toLowerCase() : wanted])].map(
        (name) => `${below}/**/${name}`,
      );
    if (/^-i?(path|wholename)$/.test(test)) return anywhereBelow(wanted, below);
    return /^-i?regex$/.test(test) ? anywhereBelow(wanted.replace(/\.[*+]/g, "*").replaceAll("\\", ""), below) : [];
  });

/** A wildcard of `-path` also stands for slashes. */
function anywhereBelow(pattern: string, root: string): string[] {
  const deep = pattern
    .split("/")
    .map((part) => (part === "*" ? "**" : part))
    .join("/");
  const placed = deep.startsWith("*") ? `${root}/${deep.replace(/^\*(?!\*)/, "**/*")}` : deep;
  return /[^/]\*$/.test(placed) && !placed.endsWith("**") ? [placed, `${placed}/**`] : [placed];
}
