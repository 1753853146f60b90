/**
 * The image of a Node that has loaded the bundle and rehearsed a few calls (decision 0026). It belongs to the Node that
 * makes it: this one.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { forAnyProcessor } from "./image-header.ts";
import { IMAGE_OPTIONS } from "./image-options.ts";
import { makeScene } from "./image-scene.ts";
import { imageScript } from "./image-script.ts";
import { modulesLoadedLater, trimmedImage } from "./image-trim.ts";

export interface ImageOrder {
  readonly distDir: string;
  readonly binDir: string;
  readonly out: string;
}

/** What went wrong, or undefined. Where something did, there is no file. */
export async function makeImage(order: ImageOrder): Promise<string | undefined> {
  if (process.platform !== "linux" && process.platform !== "darwin") return `not for ${process.platform}`;
  // Exchanged without a sign at the program that calls it, it would end with 1, which hosts take for consent.
  if (isSharedLibrary()) return "this Node is a shared library";
  let scene: string | undefined;
  let problem: string | undefined = "it was not finished";
  try {
    scene = makeScene();
    problem = await makeIn(scene, order);
  } catch (error) {
    problem = (error as Error).message;
  } finally {
    if (problem !== undefined) rmSync(order.out, { force: true });
    if (scene) rmSync(scene, { recursive: true, force: true });
  }
  return problem;
}

const isSharedLibrary = () => (process.config.variables as { readonly node_shared?: boolean }).node_shared === true;

async function makeIn(scene: string, { distDir, binDir, out }: ImageOrder): Promise<string | undefined> {
  symlinkSync(binDir, join(scene, "bin"));
  symlinkSync(distDir, join(scene, "dist"));
  const program = join(scene, "bin", "holdfast");
  // Leaves a plan, so that the rehearsal need not compile one: an image cannot be made of that.
  const planned = callProblem(scene, ["--preserve-symlinks-main", program]);
  if (planned !== undefined) return `no call without an image ends well: ${planned}`;
  const script = join(scene, "image.js");
  writeFileSync(script, imageScript(readFileSync(join(distDir, "hook.cjs"), "utf8")));
  const rehearsal = JSON.stringify([scene, environment(scene), join(scene, "dist")]);
  const made = node(scene, [...IMAGE_OPTIONS, "--snapshot-blob", out, "--build-snapshot", script], {
    HOLDFAST_REHEARSAL: rehearsal,
  });
  if (made.status !== 0) return made.said;
  const whole = readFileSync(out);
  const image = trimmedImage(whole, await modulesLoadedLater()) ?? whole;
  const { arch, platform, versions } = process;
  if (!forAnyProcessor(image, { version: versions.node, arch, platform })) return "its header is not as we know it";
  writeFileSync(out, image);
  const silent = callProblem(scene, [...IMAGE_OPTIONS, "--snapshot-blob", out, program]);
  return silent === undefined ? datedAsNode(out) : `it does not answer: ${silent}`;
}

const LIMIT_MS = 120_000;

function node(scene: string, words: readonly string[], env: NodeJS.ProcessEnv = {}, input = "") {
  const { status, stdout, stderr, error } = spawnSync(process.execPath, words, {
    cwd: scene,
    env: { ...environment(scene), ...env },
    input,
    encoding: "utf8",
    timeout: LIMIT_MS,
  });
  return { status, stdout, stderr, said: error?.message ?? (stderr.trim().split("\n")[0] || `exit ${status}`) };
}

const environment = (scene: string) => ({
  PATH: process.env.PATH,
  HOME: scene,
  HOLDFAST_CONFIG_DIR: scene,
  HOLDFAST_STATE_DIR: join(scene, "state"),
  HOLDFAST_DAEMON: "off",
});

/** A call that must be denied, without a word besides. */
function callProblem(scene: string, words: readonly string[]): string | undefined {
  const payload = { session_id: "build", cwd: scene, hook_event_name: "PreToolUse", tool_name: "Bash" };
  const input = JSON.stringify({ ...payload, tool_input: { command: "git push --force origin main" } });
  const { status, stdout, stderr, said } = node(scene, [...words, "hook", "--host", "claude-code"], {}, input);
  return status === 0 && stdout.includes('"deny"') && stderr === "" ? undefined : said;
}

/** To the nanosecond, which Node's own means cannot set: shells compare times, and cannot read them. */
function datedAsNode(image: string): string | undefined {
  const path = [process.env.PATH, "/usr/bin", "/bin"].filter(Boolean).join(":");
  spawnSync("touch", ["-r", process.execPath, image], { env: { PATH: path } });
  const times = () => [process.execPath, image].map((file) => statSync(file, { bigint: true }).mtimeNs);
  const [wanted, given] = times();
  if (wanted === given) return undefined;
  const { atime, mtime } = statSync(process.execPath);
  utimesSync(image, atime, mtime);
  const [still, set] = times();
  return still === set ? undefined : "it cannot be given the time of its Node";
}
