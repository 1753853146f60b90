import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { NO_REPOSITORY, repositoryOf } from "./repository.ts";

const scratch = mkdtempSync(join(tmpdir(), "holdfast-repository-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

it("R-51 a run belongs to the repository, from any directory of it and from any worktree", () => {
  const repository = join(scratch, "Shop");
  mkdirSync(join(repository, "src", "deep"), { recursive: true });
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: repository, stdio: "ignore" });
  git("init");
  git("commit", "--allow-empty", "-m", "first");
  git("worktree", "add", join(scratch, "elsewhere"));

  expect(repositoryOf(join(repository, "src", "deep"))).toBe("shop");
  expect(repositoryOf(join(scratch, "elsewhere"))).toBe("shop");
  expect(repositoryOf(scratch)).toBe(NO_REPOSITORY);
});
