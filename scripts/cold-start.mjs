// What makes a process of its own start fast: the bundle's machine code, and an image of a Node that has loaded it. Both
// belong to the Node that made them. A build without them is slower, not wrong.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./ensure.mjs";

/** Makes `dist/hook.cache` and `dist/hook.image`; returns what to tell a person. */
export async function makeColdStart(dist) {
  const { makeImage } = await import(pathToFileURL(join(dist, "entry", "native", "make-image.js")).href);
  const image = join(dist, "hook.image");
  const problem = makeCodeCache(dist) ?? (await makeImage({ distDir: dist, binDir: join(root, "bin"), out: image }));
  if (problem !== undefined) return `no image of a loaded Node: ${problem}`;
  return `dist/hook.image: ${Math.round(statSync(image).size / 1024)} KiB`;
}

function makeCodeCache(dist) {
  const scene = mkdtempSync(join(tmpdir(), "holdfast-build-"));
  const payload = { session_id: "build", cwd: scene, hook_event_name: "PreToolUse", tool_name: "Bash" };
  try {
    const { status, stderr } = spawnSync(process.execPath, [join(root, "scripts", "code-cache.cjs"), dist], {
      cwd: scene,
      env: {
        PATH: process.env.PATH,
        HOME: scene,
        HOLDFAST_CONFIG_DIR: scene,
        HOLDFAST_STATE_DIR: join(scene, "state"),
        HOLDFAST_DAEMON: "off",
      },
      input: JSON.stringify({ ...payload, tool_input: { command: "git push --force origin main" } }),
      encoding: "utf8",
    });
    return status === 0 ? undefined : `no code cache either: ${stderr}`;
  } finally {
    rmSync(scene, { recursive: true, force: true });
  }
}
