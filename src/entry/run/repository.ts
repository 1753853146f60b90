/** The repository a directory belongs to, by the name people know: of the directory that holds its common git directory. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";

export const NO_REPOSITORY = "unknown";

/** Read from the files themselves: a listing of runs must not start git for it. */
export function repositoryOf(directory: string): string {
  for (let dir = resolve(directory); ; dir = dirname(dir)) {
    const git = join(dir, ".git");
    if (existsSync(git)) return basename(dirname(commonDirectory(git))).toLowerCase() || NO_REPOSITORY;
    if (dirname(dir) === dir) return NO_REPOSITORY;
  }
}

/** `.git` of a worktree is a file that leads to a directory of the repository's own. */
function commonDirectory(git: string): string {
  if (statSync(git).isDirectory()) return git;
  const target = /^gitdir: (.+)$/m.exec(readFileSync(git, "utf8"))?.[1]?.trim();
  if (target === undefined) return git;
  const own = isAbsolute(target) ? target : resolve(dirname(git), target);
  const shared = join(own, "commondir");
  return existsSync(shared) ? resolve(own, readFileSync(shared, "utf8").trim()) : own;
}
