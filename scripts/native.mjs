// The native client: which compilers there are, what is baked in, and one compilation.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./ensure.mjs";

export const source = join(root, "native", "holdfast.c");

/** The socket of a daemon is named by it: one of another version or checkout is never reached. */
export function buildIdOf(distDir) {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const hash = createHash("sha256");
  for (const file of ["hook.cjs", "plugin.cjs", "daemon.cjs"]) hash.update(readFileSync(join(distDir, file)));
  return hash.update(realpathSync(root)).update(version).digest("hex").slice(0, 16);
}

/** `command`: words, because `CC="zig cc"` and targets have several. */
export const isThere = ([program, ...args]) => spawnSync(program, [...args, "--version"]).status === 0;

export function hostCompiler() {
  if (process.platform !== "linux" && process.platform !== "darwin") return { problem: `not for ${process.platform}` };
  const named = process.env.CC?.trim().split(/\s+/);
  const candidates = [...(named?.[0] ? [named] : []), ["cc"], ["gcc"], ["clang"]];
  const command = candidates.find(isThere);
  return command ? { command } : { problem: "no C compiler (cc, gcc, clang, or CC)" };
}

/** By which the client knows that node and image are still those that fit together. */
function imageMarks(node, image) {
  const made = statSync(node);
  return {
    HOLDFAST_IMAGE_SIZE: statSync(image).size,
    HOLDFAST_NODE_SIZE: made.size,
    HOLDFAST_NODE_MTIME: Math.floor(made.mtimeMs / 1000),
  };
}

/** Returns what went wrong, or undefined. `node`, `image`: left out where the client runs on another machine. */
export function compile([program, ...args], { buildId, node, image, out }) {
  mkdirSync(dirname(out), { recursive: true });
  const baked = {
    HOLDFAST_BUILD_ID: JSON.stringify(buildId),
    ...(node === undefined ? {} : { HOLDFAST_NODE: JSON.stringify(node) }),
    ...(node === undefined || image === undefined || !existsSync(image) ? {} : imageMarks(node, image)),
  };
  const defines = Object.entries(baked).map(([name, value]) => `-D${name}=${value}`);
  const flags = ["-O2", "-std=c11", "-Wall", "-Wextra", "-Werror", "-s"];
  const attempt = (...more) =>
    spawnSync(program, [...args, ...flags, ...more, ...defines, source, "-o", out], { encoding: "utf8" });
  // Loading libc is a third of the client's time. Not every system has one to link statically.
  if (process.platform === "linux" && attempt("-static").status === 0) return undefined;
  const { status, error, stderr } = attempt();
  if (status === 0) return undefined;
  return `${program} failed: ${(error?.message ?? stderr).trim().split("\n")[0]}`;
}
