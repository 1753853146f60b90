// Other guards and runtimes, where they are: measured beside ours, never required.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

const SAFETY_NET = "cc-safety-net";

/** `install`: true brings the missing ones into a cache outside the repository. */
export function findPeers({ install, say }) {
  return [bun(), safetyNet(install, say)];
}

function bun() {
  const program = onPath("bun");
  return program
    ? { id: "bun", name: "bun -e 0", command: [program, "-e", "0"] }
    : { id: "bun", skipped: "Bun is not on the PATH" };
}

function safetyNet(install, say) {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "holdfast", "bench", SAFETY_NET);
  const packageDir = join(cache, "node_modules", SAFETY_NET);
  if (install && !existsSync(packageDir)) {
    say(`installing ${SAFETY_NET}`);
    mkdirSync(cache, { recursive: true });
    writeFileSync(join(cache, "package.json"), '{ "private": true }\n');
    const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", SAFETY_NET];
    const { status, stderr } = spawnSync("npm", args, { cwd: cache, encoding: "utf8" });
    if (status !== 0) throw new Error(`npm could not install ${SAFETY_NET}:\n${stderr}`);
  }
  const hook = ["hook", "--claude-code"];
  if (existsSync(packageDir)) {
    const { version, bin } = JSON.parse(readFileSync(join(packageDir, "package.json"), "utf8"));
    const script = join(packageDir, bin[SAFETY_NET]);
    return { id: SAFETY_NET, name: `${SAFETY_NET} ${version}`, command: [process.execPath, script, ...hook] };
  }
  const program = onPath(SAFETY_NET);
  return program
    ? { id: SAFETY_NET, name: SAFETY_NET, command: [program, ...hook] }
    : { id: SAFETY_NET, skipped: `${SAFETY_NET} is not installed: --peers installs it into a cache` };
}

const onPath = (name) =>
  (process.env.PATH ?? "")
    .split(delimiter)
    .map((directory) => join(directory, name))
    .find((file) => existsSync(file));
