// Makes a fresh clone usable with nothing but Node and npm: installs and builds what is missing or old.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

export function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: "inherit", ...options });
  if (result.error) throw result.error;
  if (result.status !== 0) process.exit(result.status ?? 1);
}

/** Steps of a script, each named before it runs, so that long work is never silent. */
export function step(title, command, args, options) {
  console.log(`\n— ${title}`);
  const startedAt = Date.now();
  run(command, args, options);
  console.log(`  ${title}: done in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
}

export function ensureInstalled() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    console.error(`Holdfast needs Node 20.19 or newer; this is ${process.versions.node}.`);
    process.exit(3);
  }
  const stamp = join(root, "node_modules", ".package-lock.json");
  const installed =
    existsSync(stamp) && statSync(stamp).mtimeMs >= statSync(join(root, "package-lock.json")).mtimeMs - 1000;
  // Not `npm ci`: it refuses a lock file that lacks the packages of platforms nobody here has (decision 0011).
  const args = ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
  if (!installed) step("installing dependencies (npm install)", "npm", args);
}

export function ensureBuilt() {
  ensureInstalled();
  const built = join(root, "dist", "hook.cjs");
  if (
    existsSync(built) &&
    statSync(built).mtimeMs > newest(["src", "native", "scripts", "tsconfig.build.json", "package.json"])
  )
    return;
  step("building", process.execPath, [join(root, "scripts", "build.mjs")]);
}

function newest(paths) {
  let latest = 0;
  for (const path of paths) {
    const full = join(root, path);
    const stat = statSync(full);
    const inside = stat.isDirectory() ? newest(readdirSync(full).map((name) => join(path, name))) : stat.mtimeMs;
    latest = Math.max(latest, inside);
  }
  return latest;
}
