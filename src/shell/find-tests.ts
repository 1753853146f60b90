import type { Arg } from "./arg.ts";

/** Tests that pick some files out of many; `-type f` alone still means all of them. */
export const isNarrowed = (args: readonly Arg[]) =>
  args.some(({ text }) =>
    /^-(i?name|i?path|i?wholename|i?regex|mtime|mmin|size|empty|newer\w*|user|group|atime|amin|ctime|cmin|perm|inum)$/.test(
      text,
    ),
  );
