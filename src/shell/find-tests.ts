import type { Arg } from "./arg.ts";

const TESTS =
  /^-(i?name|i?path|i?wholename|i?regex|mtime|mmin|size|empty|newer\w*|user|group|atime|amin|ctime|cmin|perm|inum)$/;

/** Tests that pick some files out of many. `-type f`, `-name '*'` and `! -name keep` still mean nearly all of them. */
export const isNarrowed = (args: readonly Arg[]) =>
  args.some(({ text }, index) => {
    if (!TESTS.test(text) || /^(!|-not)$/.test(args[index - 1]?.text ?? "")) return false;
    return !/^(\*|\.\*|\*\.\*)$/.test(args[index + 1]?.text ?? "");
  });
