import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runCommandLine } from "./main.ts";
import { assertForEverybody, managedProgram } from "./managed-program.ts";
import { registrations } from "./registration.ts";

let dir: string;
let distDir: string;
const write = (path: string, mode: number) => {
  const file = join(dir, "package", path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "");
  chmodSync(file, mode);
  return file;
};

/** As an installed package is: nothing native in it. */
beforeEach(() => {
  dir = mkdtempSync(join(realpathSync(tmpdir()), "holdfast-managed-"));
  chmodSync(dir, 0o755);
  write("dist/hook.cjs", 0o644);
  write("dist/entry/cli/main.js", 0o644);
  write("bin/holdfast", 0o755);
  distDir = join(dir, "package", "dist");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const check = (homeDir = "/nowhere") => assertForEverybody(distDir, { homeDir, node: "/bin/sh" });
const refused = (message: RegExp) =>
  expect.objectContaining({ code: "HF404", message: expect.stringMatching(message) });

it("what everybody runs is the package's own program, whatever was made in the state of whoever registers it", () => {
  const state = join(dir, "state");
  const call = { distDir, env: { HOME: dir, HOLDFAST_STATE_DIR: state }, cwd: dir } as never;
  const project = { projectDir: dir, homeDir: dir, stateDir: state };
  const own = join(state, "clients", "1", "holdfast");
  const [user, managed] = registrations(call, project, ["claude-code"], ["user", "managed"], own);
  expect(user?.target.program).toBe(own);
  expect(managed?.target.program).toBe(join(dir, "package", "bin", "holdfast"));
  const client = write("dist/native/holdfast", 0o755);
  expect(managedProgram(distDir)).toBe(client);
});

it.runIf(process.platform === "linux")("a package that everybody can run is registered for everybody", () => {
  expect(() => check()).not.toThrow();
});

it.runIf(process.platform === "linux")(
  "a directory on the way that others may not enter is a refusal that names it",
  () => {
    chmodSync(join(dir, "package"), 0o700);
    expect(() => check()).toThrow(refused(/not everybody may enter .*\/package, /));
  },
);

it.runIf(process.platform === "linux")("a program or a bundle that others may not run or read is a refusal", () => {
  chmodSync(join(dir, "package/bin/holdfast"), 0o750);
  expect(() => check()).toThrow(refused(/bin\/holdfast/));
  chmodSync(join(dir, "package/bin/holdfast"), 0o755);
  chmodSync(join(distDir, "hook.cjs"), 0o600);
  expect(() => check()).toThrow(refused(/hook\.cjs/));
});

it.runIf(process.platform === "linux")("a directory on the way that anybody may change is a refusal", () => {
  chmodSync(join(dir, "package"), 0o777);
  expect(() => check()).toThrow(refused(/anybody may change/));
});

it.runIf(process.platform !== "win32")(
  "nothing in a home is registered for everybody, however open it is, also by a link",
  () => {
    expect(() => check(dir)).toThrow(refused(/is in a home/));
    symlinkSync(dir, `${dir}-link`);
    try {
      expect(() => check(`${dir}-link`)).toThrow(refused(/is in a home/));
    } finally {
      rmSync(`${dir}-link`);
    }
  },
);

it.runIf(process.platform !== "win32")(
  "init --managed refuses before it writes or builds anything, and says what to do",
  async () => {
    chmodSync(join(dir, "package"), 0o700);
    const said = { stdout: "", stderr: "" };
    const stream = (name: "stdout" | "stderr") => ({ write: (text: string) => (said[name] += text) });
    const env = {
      HOME: join(dir, "home"),
      HOLDFAST_STATE_DIR: join(dir, "state"),
      HOLDFAST_CONFIG_DIR: join(dir, "config"),
    };
    const args = ["init", "--managed", "--hosts", "claude-code", "--dry-run"];
    const code = await runCommandLine(args, { env, cwd: dir, distDir }, {
      stdout: stream("stdout"),
      stderr: stream("stderr"),
    } as never);
    expect(code).not.toBe(0);
    expect(said.stderr).toContain("HF404");
    expect(said.stderr).toContain("npm install -g");
    expect(said.stdout).not.toContain("clients");
  },
);
