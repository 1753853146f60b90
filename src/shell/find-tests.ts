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
