import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export const HOLDFAST = join(import.meta.dirname, "..", "..", "bin", "holdfast");

/** A repository with a folder deep inside, and an environment that knows nothing of this machine's rules. */
export function scratchRepository() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-mcp-")));
  const deep = join(root, "src", "deep");
  mkdirSync(join(root, ".git"), { recursive: true });
  mkdirSync(deep, { recursive: true });
  const home = join(root, ".home");
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: home,
    HOLDFAST_CONFIG_DIR: join(home, "config"),
    HOLDFAST_STATE_DIR: join(home, "state"),
  };
  return {
    root,
    deep,
    env,
    write(path: string, content: string) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    },
    run(args: readonly string[], cwd = root, input = "") {
      const { status, stdout, stderr } = spawnSync(process.execPath, [HOLDFAST, ...args], {
        cwd,
        env,
        input,
        encoding: "utf8",
      });
      return { status, stdout, stderr };
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
