/** A repository of a scratch project, for tests; no settings of the person who runs them reach it. */
import { execFileSync } from "node:child_process";

const SETTINGS = ["user.name=Test", "user.email=test@example.com", "commit.gpgsign=false", "core.hooksPath=/dev/null"];
const ENV = {
  PATH: process.env.PATH ?? "",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
  HOME: "/nonexistent",
};

export function git(root: string, ...args: readonly string[]): string {
  const settings = SETTINGS.flatMap((setting) => ["-c", setting]);
  return execFileSync("git", [...settings, ...args], {
    cwd: root,
    env: ENV,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

export function commitAll(root: string, message: string): void {
  git(root, "add", "-A");
  git(root, "commit", "-q", "-m", message);
}
