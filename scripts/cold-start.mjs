// What makes a process of its own start fast: the bundle's machine code, and an image of a Node that has loaded it. Both
// belong to the Node that made them. A build without them is slower, not wrong.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./ensure.mjs";

/** Makes `dist/hook.cache` and `dist/hook.image`; returns what to tell a person. */
export async function makeColdStart(dist) {
  const scene = mkdtempSync(join(tmpdir(), "holdfast-build-"));
  try {
    const cache = spawnSync(process.execPath, [join(root, "scripts", "code-cache.cjs"), dist], {
      cwd: scene,
      env: environment(scene),
      input: payload(scene),
    });
    if (cache.status !== 0) return `no code cache, no image: ${cache.stderr}`;
    return await makeImage(dist, scene);
  } finally {
    rmSync(scene, { recursive: true, force: true });
  }
}

const payload = (cwd) =>
  JSON.stringify({
    session_id: "build",
    cwd,
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "git push --force origin main" },
  });

const environment = (scene) => ({
  PATH: process.env.PATH,
  HOME: scene,
  HOLDFAST_CONFIG_DIR: scene,
  HOLDFAST_STATE_DIR: join(scene, "state"),
  HOLDFAST_DAEMON: "off",
});

/** The call before it left a plan, so that the rehearsal need not compile one: an image cannot be made of that. */
async function makeImage(dist, scene) {
  const { IMAGE_OPTIONS: options } = await nativePart(dist, "image-options.js");
  const script = join(scene, "image.js");
  const image = join(dist, "hook.image");
  writeFileSync(script, imageScript(readFileSync(join(dist, "hook.cjs"), "utf8")));
  const made = spawnSync(process.execPath, [...options, "--snapshot-blob", image, "--build-snapshot", script], {
    cwd: scene,
    env: { ...environment(scene), HOLDFAST_REHEARSAL: JSON.stringify([scene, environment(scene), dist]) },
    encoding: "utf8",
  });
  if (made.status === 0) await trim(image, dist);
  const problem = made.status === 0 ? problemOf(image, options, dist, scene) : made.stderr;
  if (problem === undefined) return `dist/hook.image: ${Math.round(statSync(image).size / 1024)} KiB`;
  rmSync(image, { force: true });
  return `no image of a loaded Node: ${problem}`;
}

const nativePart = (dist, name) => import(pathToFileURL(join(dist, "entry", "native", name)).href);

async function trim(image, dist) {
  const { modulesLoadedLater, trimmedImage } = await nativePart(dist, "image-trim.js");
  const trimmed = trimmedImage(readFileSync(image), await modulesLoadedLater());
  if (trimmed) writeFileSync(image, trimmed);
}

const imageScript = (bundle) => `
"use strict";
const { setDeserializeMainFunction } = require("node:v8").startupSnapshot;
const { dirname, join } = require("node:path");
const hook = { exports: {} };
let importLazily;
(function (exports, require, module, importLazily) {${bundle}
})(hook.exports, require, hook, (name) => importLazily(name));
setDeserializeMainFunction(() => {
  const program = process.argv[1];
  const dist = join(dirname(program), "..", "dist");
  importLazily = (name) => {
    const { createRequire } = process.getBuiltinModule("node:module");
    return createRequire(program)("./import-lazily.cjs").importLazily(dist)(name);
  };
  hook.exports.main(process.argv.slice(3), dist);
});
// A timer that the image remembers, though it was ended, keeps later ones from ever being due: so none may be made.
const { setTimeout, setInterval } = globalThis;
globalThis.setTimeout = globalThis.setInterval = () => {
  throw new Error("a rehearsed call made a timer");
};
hook.exports
  .rehearse(...JSON.parse(process.env.HOLDFAST_REHEARSAL))
  .finally(() => Object.assign(globalThis, { setTimeout, setInterval }));
`;

/** An image that does not answer as it should is none. */
function problemOf(image, options, dist, scene) {
  symlinkSync(join(root, "bin"), join(scene, "bin"));
  symlinkSync(dist, join(scene, "dist"));
  const program = join(scene, "bin", "holdfast");
  const words = [...options, "--snapshot-blob", image, program, "hook", "--host", "claude-code"];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, {
    cwd: scene,
    env: environment(scene),
    input: payload(scene),
    encoding: "utf8",
  });
  return status === 0 && stdout.includes('"deny"') && stderr === "" ? undefined : `it does not answer: ${stderr}`;
}
