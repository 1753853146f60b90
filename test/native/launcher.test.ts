/** What hosts call in a build without a native client. */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hookProgram } from "../../src/entry/cli/registration.ts";
import { launcherOf, writeLauncher } from "../../src/entry/native/launcher.ts";

const root = join(import.meta.dirname, "../..");
const shells = ["sh", "bash", "dash"].filter((shell) => spawnSync(shell, ["-c", ":"]).status === 0);

let scratch: string;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), "holdfast-launcher-"));
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

/** A checkout with an image of its own, whose launcher is for this Node, or for another. */
function checkoutFor(node: string): string {
  const checkout = mkdtempSync(join(scratch, "checkout-"));
  const dist = join(checkout, "dist");
  for (const part of ["bin", "package.json"]) cpSync(join(root, part), join(checkout, part), { recursive: true });
  mkdirSync(dist);
  const shared = readdirSync(join(root, "dist")).filter((name) => name !== "native" && name !== "hook.image");
  for (const name of shared) symlinkSync(join(root, "dist", name), join(dist, name));
  // Not by Node, which keeps times to the microsecond only.
  spawnSync("cp", ["-p", join(root, "dist/hook.image"), dist]);
  symlinkSync(join(root, "node_modules"), join(checkout, "node_modules"));
  writeLauncher(dist, node);
  return checkout;
}

function call(checkout: string, env: NodeJS.ProcessEnv = {}, shell = "sh") {
  const payload = { session_id: "s", cwd: scratch, hook_event_name: "PreToolUse", tool_name: "Bash" };
  const script = launcherOf(join(checkout, "dist")) as string;
  const { status, stdout, stderr } = spawnSync(shell, [script, "hook", "--host", "claude-code"], {
    cwd: scratch,
    env: {
      PATH: process.env.PATH,
      HOME: scratch,
      HOLDFAST_STATE_DIR: join(scratch, "state"),
      HOLDFAST_CONFIG_DIR: join(scratch, "config"),
      ...env,
    },
    input: JSON.stringify({ ...payload, tool_input: { command: "rm -rf /" } }),
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

/** Says before all others how Node was started, and what hooks see of its settings. */
function hookThatTells(): void {
  const script = join(scratch, "tell.sh");
  const words = `<$NODE_OPTIONS> <$GLIBC_TUNABLES> $(tr '\\0' ' ' < /proc/$PPID/cmdline)`;
  writeFileSync(script, `printf '{"decision":"block","reason":"%s"}' "${words}"\n`);
  const hook = { type: "command", command: `exec sh ${script}` };
  mkdirSync(join(scratch, "config"));
  const config = { version: 1, hooks: { pre_tool_use: [{ hooks: [hook] }] } };
  writeFileSync(join(scratch, "config/holdfast.json"), JSON.stringify(config));
}

/** Node would end with a signal. */
const damage = (image: string) => writeFileSync(image, readFileSync(image).fill(7, 1_000_000, 1_000_100));

function otherBundle(file: string): void {
  const text = readFileSync(file, "utf8").replace(/^\/\/ \w+/, `// ${"0".repeat(32)}`);
  rmSync(file);
  writeFileSync(file, text);
}

describe.runIf(existsSync(join(root, "dist/hook.image")))("without a native client", () => {
  it("hosts are registered with the launcher of the build, and with bin/holdfast where nothing was made", () => {
    const dist = join(checkoutFor(process.execPath), "dist");
    expect(hookProgram(dist, join(scratch, "state"))).toBe(join(dist, "native/launcher/holdfast"));
    expect(hookProgram(join(scratch, "dist"), join(scratch, "state"))).toBe(join(scratch, "bin/holdfast"));
  });

  it.runIf(process.platform === "linux")("Node is started on the image, and hooks do not see what that takes", () => {
    hookThatTells();
    const { status, stdout, stderr } = call(checkoutFor(process.execPath), { NODE_OPTIONS: "--no-deprecation" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain("--snapshot-blob");
    expect(stdout).toContain("<--no-deprecation> <>");
  });

  it.runIf(process.platform === "linux")("an image is not used that Node may not have made", () => {
    hookThatTells();
    const spoilt: Readonly<Record<string, (dist: string) => void>> = {
      "a newer Node": (dist) => utimesSync(join(dist, "hook.image"), 1_000_000, 1_000_000),
      "an older Node": (dist) => utimesSync(join(dist, "hook.image"), 9_000_000_000, 9_000_000_000),
      "another image": (dist) => truncateSync(join(dist, "hook.image"), 1_000_000),
      "one damaged in its place": (dist) => damage(join(dist, "hook.image")),
      "no image": (dist) => rmSync(join(dist, "hook.image")),
      "one of another bundle of the same size": (dist) => otherBundle(join(dist, "hook.cjs")),
    };
    for (const [name, spoil] of Object.entries(spoilt)) {
      const checkout = checkoutFor(process.execPath);
      spoil(join(checkout, "dist"));
      const { status, stdout } = call(checkout);
      expect({ name, status }).toEqual({ name, status: 0 });
      expect(stdout).toContain('"deny"');
      expect(stdout).not.toContain("--snapshot-blob");
      rmSync(checkout, { recursive: true, force: true });
    }
  });

  it("options that Node refuses open nothing", () => {
    const checkout = checkoutFor(process.execPath);
    const answer = call(checkout);
    expect(answer).toMatchObject({ status: 0, stdout: expect.stringContaining('"deny"') });
    for (const options of ["--stack-size=900 --require ./nowhere.cjs", "--no-such-option"])
      expect(call(checkout, { NODE_OPTIONS: options })).toEqual(answer);
  });

  it.each(shells)("%s blocks where there is no Node, none that runs, or no program", (shell) => {
    const broken = join(scratch, "node");
    writeFileSync(broken, "\x7fELF, and then nothing", { mode: 0o755 });
    const checkout = checkoutFor(broken);
    const nowhere = { PATH: join(scratch, "nowhere") };
    expect(call(checkout, nowhere, `/bin/${shell}`)).toMatchObject({ status: 2, stdout: "" });
    // A shell runs what the kernel does not take for a program as a script: an empty one would end well.
    writeFileSync(broken, "");
    for (const path of [nowhere.PATH, scratch])
      expect(call(checkout, { PATH: path }, `/bin/${shell}`)).toMatchObject({ status: 2, stdout: "" });
    rmSync(broken);
    expect(call(checkout, nowhere, `/bin/${shell}`)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("there is no node"),
    });
    rmSync(join(checkout, "bin/holdfast"));
    expect(call(checkout, {}, `/bin/${shell}`)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("bin/holdfast is missing"),
    });
  });
});
