// Where the figures were taken. No name of the machine or its user.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { root } from "../../scripts/ensure.mjs";

export function describeMachine() {
  const processors = cpus();
  const model = processors[0]?.model.trim();
  const named = model && model !== "unknown" ? ` (${model})` : "";
  const memory = Math.round(totalmem() / 1024 ** 3);
  return {
    summary: `${processors.length} cores, ${process.arch}${named}, ${memory} GiB, Node ${process.versions.node}`,
    system: `${type()} ${release()}`,
    cores: processors.length,
    node: process.versions.node,
  };
}

export const loadNow = () => loadavg().map((value) => Number(value.toFixed(2)));

/** The version, and where this is a checkout the commit. */
export function describeBuild() {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const git = (...args) =>
    execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  try {
    const changed = git("status", "--porcelain", "--", "src", "native", "bin", "scripts").trim() !== "";
    return `${version}, commit ${git("rev-parse", "--short", "HEAD").trim()}${changed ? " with changes" : ""}`;
  } catch {
    return version;
  }
}
