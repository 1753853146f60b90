import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sampleRun } from "../../scratch.fixture.ts";
import type { Modules } from "../engine.ts";
import { beforeAttempt, phases } from "../phases.fixture.ts";

const NO_MODULES: Modules = { describe: async () => [], judge: () => Promise.reject(new Error("no modules")) };

const git = (cwd: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
    cwd,
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: cwd },
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();

function repository(dir: string): string {
  mkdirSync(dir, { recursive: true });
  git(dir, "init", "-q", "-b", "main");
  git(dir, "commit", "-q", "--allow-empty", "-m", "first");
  return dir;
}

async function setup(collision: string, phase = "prepare", env: Record<string, string> = {}) {
  const made = phases(NO_MODULES, { env: { PATH: process.env.PATH, HOME: "/", ...env } });
  const repo = repository(join(made.scratch.dir, "repo"));
  const path = join(made.scratch.dir, "work");
  const hooks = await made.freeze(
    `hooks:\n  ${phase}: [{ builtin: git-worktree, with: { repo: ${repo}, from: main, branch: fix/one, path: ${path}${collision && `, collision: ${collision}`} } }]`,
  );
  const ask = (cwd = repo) =>
    made.run(phase === "prepare" ? { phase: "prepare", prompt: "go" } : beforeAttempt(), {
      hooks,
      run: sampleRun({ settings: { ...sampleRun().settings, cwd } }),
    });
  return { ...made, repo, path, ask };
}

describe("R-46 git-worktree", () => {
  test("makes a worktree on a new branch and moves the run there; prepare also sets worktree_path", async () => {
    const { ask, path } = await setup("");
    expect(await ask()).toMatchObject({
      end: { kind: "continue" },
      run: { settings: { cwd: path }, vars: { worktree_path: { source: "prepare", value: path } } },
    });
    expect(git(path, "symbolic-ref", "--short", "HEAD")).toBe("fix/one");
  });

  test("checks out a branch that is there", async () => {
    const { ask, path, repo } = await setup("");
    git(repo, "branch", "fix/one");
    git(repo, "commit", "-q", "--allow-empty", "-m", "second");
    await ask();
    expect(git(path, "log", "--format=%s")).toBe("first");
  });

  test("fails where the path exists, unless it is told otherwise", async () => {
    const { ask } = await setup("");
    await ask();
    expect((await ask()).end).toMatchObject({ kind: "error", message: expect.stringContaining("exists already") });
  });

  test("before each attempt, the run's own worktree is no collision", async () => {
    const { ask, path } = await setup("", "beforeAttempt");
    expect((await ask()).end).toEqual({ kind: "continue" });
    expect((await ask(path)).end).toEqual({ kind: "continue" });
  });

  test("reuses a worktree of that repository on that branch", async () => {
    const { ask, path } = await setup("reuse");
    await ask();
    writeFileSync(join(path, "kept.txt"), "");
    expect((await ask()).end).toEqual({ kind: "continue" });
    expect(existsSync(join(path, "kept.txt"))).toBe(true);
  });

  test("reuses nothing else: another branch, another repository, a plain directory", async () => {
    const branch = await setup("reuse");
    await branch.ask();
    git(branch.path, "switch", "-q", "-c", "other");
    expect((await branch.ask()).end).toMatchObject({ message: expect.stringContaining("is on other, not on fix/one") });

    const other = await setup("reuse");
    repository(other.path);
    expect((await other.ask()).end).toMatchObject({ message: expect.stringContaining("is no worktree of") });

    const plain = await setup("reuse");
    mkdirSync(plain.path);
    writeFileSync(join(plain.path, "mine.txt"), "");
    expect((await plain.ask()).end).toMatchObject({ message: expect.stringContaining("is no worktree of") });
  });

  test("replaces a worktree of that repository, and never anything else", async () => {
    const { ask, path } = await setup("replace");
    await ask();
    writeFileSync(join(path, "old.txt"), "");
    expect((await ask()).end).toEqual({ kind: "continue" });
    expect(existsSync(join(path, "old.txt"))).toBe(false);

    const plain = await setup("replace");
    mkdirSync(plain.path);
    writeFileSync(join(plain.path, "mine.txt"), "");
    expect((await plain.ask()).end).toMatchObject({ kind: "error" });
    expect(existsSync(join(plain.path, "mine.txt"))).toBe(true);
  });

  test("makes one again that was deleted by hand", async () => {
    const { ask, path } = await setup("");
    await ask();
    execFileSync("rm", ["-r", path]);
    expect((await ask()).end).toEqual({ kind: "continue" });
  });

  test("is not led astray by GIT_* of the caller", async () => {
    const { ask, path } = await setup("", "prepare", { GIT_DIR: "/nowhere", GIT_WORK_TREE: "/nowhere" });
    expect((await ask()).end).toEqual({ kind: "continue" });
    expect(git(path, "rev-parse", "--show-toplevel")).toBe(path);
  });

  test("says what git said where it fails", async () => {
    const made = phases(NO_MODULES, { env: { PATH: process.env.PATH } });
    const repo = repository(join(made.scratch.dir, "repo"));
    const hooks = await made.freeze(
      `hooks:\n  prepare: [{ builtin: git-worktree, with: { repo: ${repo}, from: nowhere, branch: x, path: ../w } }]`,
    );
    const { end } = await made.run({ phase: "prepare", prompt: "" }, { hooks });
    expect(end).toMatchObject({ kind: "error", message: expect.stringMatching(/git worktree add .* nowhere failed/) });
  });
});
