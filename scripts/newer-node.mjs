// Node 24 from the package registry, in the cache outside the repository: for packages that need a newer one than ours.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

const name = `node-${process.platform}-${process.arch}`;

export function newerNode() {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  const directory = join(process.env.HOLDFAST_HOST_CACHE || join(cache, "holdfast", "hosts"), "node-24");
  if (!existsSync(directory)) install(directory);
  return join(directory, "node_modules", name, "bin", "node");
}

/** The directory appears whole or not at all. */
function install(directory) {
  mkdirSync(dirname(directory), { recursive: true });
  const staging = mkdtempSync(`${directory}.installing-`);
  try {
    writeFileSync(join(staging, "package.json"), '{ "private": true }\n');
    const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", `${name}@24`];
    execFileSync("npm", args, { cwd: staging, stdio: "inherit" });
    renameSync(staging, directory);
  } catch (error) {
    if (!existsSync(directory)) throw error;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}
