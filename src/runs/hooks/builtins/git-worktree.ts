/** `git-worktree`: a run works in a worktree of its own, on a branch of its own. */
import { lstatSync, readdirSync, realpathSync, rmdirSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import { HookFailure } from "../../../core/failure.ts";
import type { RunMachine } from "../engine.ts";
import { type AskedBuiltin, goesOn, type RunBuiltin } from "./builtin.ts";
import { runProgram } from "./program.ts";

const word = z.string().min(1).regex(/^[^-]/, "must not begin with -");

const config = z.strictObject({
  repo: word.describe("a directory of the repository"),
  from: word.describe("what a new branch begins at"),
  branch: word.describe("the branch; made where it is not there"),
  path: word.describe("where the worktree is to be; relative: from repo"),
  collision: z
    .enum(["fail", "reuse", "replace"])
    .optional()
    .describe("what to do where path exists; default fail. Only a worktree of this repository is reused or replaced"),
});
type WorktreeConfig = z.infer<typeof config>;

export const gitWorktree: RunBuiltin = {
  name: "git-worktree",
  doc: "gives the run a git worktree and moves it there; in prepare it also sets {{worktree_path}}",
  phases: ["prepare", "beforeAttempt"],
  config,
  timeoutSec: 300,
  async judge(asked, machine) {
    const { repo, from, branch, path: given, collision = "fail" } = asked.config as WorktreeConfig;
    const git = gitOf(asked, machine);
    const root = resolve(asked.event.run.cwd, repo);
    const path = resolve(root, given);
    await git(root, ["check-ref-format", "--branch", branch]);
    const isMine = exists(path) && realpathSync(path) === realOr(asked.event.run.cwd);
    const isThere = exists(path) && !isEmptyDirectory(path);
    if (isThere && collision === "fail" && !(isMine && asked.phase === "beforeAttempt")) {
      throw refused(`${path} exists already; let it be reused or replaced (collision), or take another path`);
    }
    if (isThere) await assertWorktreeOf(path, root, git);
    if (isThere && collision === "replace") await git(root, ["worktree", "remove", "--force", path]);
    if (isThere && collision !== "replace") await assertOnBranch(path, branch, git);
    else await addWorktree({ root, path, branch, from }, git);
    const vars = asked.phase === "prepare" ? { vars: { worktree_path: path } } : {};
    return goesOn(asked.phase, { run: { cwd: path }, ...vars });
  },
};

type Git = (cwd: string, args: readonly string[], mayFail?: true) => Promise<string | undefined>;

/** Without GIT_*: they would lead into another repository. undefined: it failed, and might. */
function gitOf({ signal }: AskedBuiltin, machine: RunMachine): Git {
  const kept = Object.entries(machine.env).filter(([name]) => !name.startsWith("GIT_"));
  const env = { ...Object.fromEntries(kept), GIT_TERMINAL_PROMPT: "0" };
  return async (cwd, args, mayFail) => {
    const result = await runProgram({ command: "git", args, cwd, env, stdin: "", signal });
    if (result.exitCode === 0) return result.stdout.trim();
    if (mayFail) return undefined;
    throw new HookFailure("exit", `git ${args.join(" ")} failed in ${cwd}: ${result.stderr.trim()}`);
  };
}

async function assertWorktreeOf(path: string, root: string, git: Git): Promise<void> {
  const commonDir = ["rev-parse", "--path-format=absolute", "--git-common-dir"];
  const [top, mine, theirs] = [
    await git(path, ["rev-parse", "--show-toplevel"], true),
    await git(path, commonDir, true),
    await git(root, commonDir),
  ];
  if (top !== undefined && realOr(top) === realOr(path) && mine !== undefined && realOr(mine) === realOr(theirs ?? ""))
    return;
  throw refused(`${path} exists and is no worktree of ${root}; move it away, or take another path`);
}

async function assertOnBranch(path: string, branch: string, git: Git): Promise<void> {
  const current = await git(path, ["symbolic-ref", "--short", "HEAD"], true);
  if (current === branch) return;
  throw refused(
    `the worktree ${path} is on ${current ?? "no branch"}, not on ${branch}; switch it, or let it be replaced`,
  );
}

async function addWorktree(
  { root, path, branch, from }: { root: string; path: string; branch: string; from: string },
  git: Git,
): Promise<void> {
  if (exists(path) && isEmptyDirectory(path)) rmdirSync(path);
  // One that was deleted by hand is still on git's list, and would be in the way.
  await git(root, ["worktree", "prune"]);
  const known = await git(root, ["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`], true);
  await git(root, known ? ["worktree", "add", path, branch] : ["worktree", "add", "-b", branch, path, from]);
}

const exists = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

const isEmptyDirectory = (path: string) => lstatSync(path).isDirectory() && readdirSync(path).length === 0;

const realOr = (path: string) => (exists(path) ? realpathSync(path) : path);

const refused = (message: string) => new HookFailure("crash", message);
