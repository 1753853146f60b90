/** The image of a loaded Node that the client starts where there is no daemon. */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { modulesIn } from "../../src/entry/native/image-trim.ts";

const root = join(import.meta.dirname, "../..");
const image = "dist/hook.image";
const hasImage = existsSync(join(root, image)) && existsSync(join(root, "dist/native/holdfast"));

let scratch: string;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), "holdfast-image-"));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** A checkout of its own, so that its image can be spoilt. */
function copyOf(name: string): string {
  const copy = join(scratch, name);
  for (const part of ["dist", "bin", "package.json"])
    cpSync(join(root, part), join(copy, part), { recursive: true, preserveTimestamps: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}

function call(checkout: string, command: string, env: NodeJS.ProcessEnv = {}) {
  const payload = { session_id: "s", cwd: scratch, hook_event_name: "PreToolUse", tool_name: "Bash" };
  const { status, stdout, stderr } = spawnSync(
    join(checkout, "dist/native/holdfast"),
    ["hook", "--host", "claude-code"],
    {
      cwd: scratch,
      env: {
        PATH: process.env.PATH,
        HOME: scratch,
        HOLDFAST_STATE_DIR: join(checkout, "state"),
        HOLDFAST_CONFIG_DIR: join(checkout, "config"),
        HOLDFAST_DAEMON: "off",
        ...env,
      },
      input: JSON.stringify({ ...payload, tool_input: { command } }),
      encoding: "utf8",
    },
  );
  return { status, stdout, stderr };
}

/** Every call is blocked with what a shell makes of the words. */
function hookThatSays(checkout: string, words: string): void {
  const script = join(checkout, "say.sh");
  writeFileSync(script, `printf '{"decision":"block","reason":"%s"}' "${words}"\n`);
  const hook = { type: "command", command: `exec sh '${script}'` };
  mkdirSync(join(checkout, "config"));
  writeFileSync(
    join(checkout, "config/holdfast.json"),
    JSON.stringify({ version: 1, hooks: { pre_tool_use: [{ hooks: [hook] }] } }),
  );
}

describe.runIf(hasImage)("a call without a daemon", () => {
  it("gets its answer on whatever processor: the image has no number by which Node would refuse it", () => {
    const header = readFileSync(join(root, image)).subarray(0, 100);
    const made = Buffer.from(process.platform);
    const number = header.subarray(header.indexOf(made) + made.length).subarray(0, 8);
    expect([...number]).toEqual([0, 0, 0, 0, 1, 0, 0, 0]);
    expect(call(copyOf("anywhere"), "rm -rf /").stdout).toContain('"deny"');
  });

  it("gets one answer, from the image, without it, and where image or Node are not those that fit", () => {
    const untouched = copyOf("untouched");
    const answer = call(untouched, "rm -rf /");
    expect(answer).toMatchObject({ status: 0, stdout: expect.stringContaining('"deny"'), stderr: "" });
    const without = copyOf("without");
    rmSync(join(without, image));
    const cut = copyOf("cut");
    truncateSync(join(cut, image), 1_000_000);
    const other = copyOf("other");
    writeFileSync(join(other, image), "no image");
    for (const checkout of [without, cut, other]) expect(call(checkout, "rm -rf /")).toEqual(answer);
    writeFileSync(join(scratch, "openssl.cnf"), "no = [ settings\n=\n");
    const refusedByNode = {
      NODE_OPTIONS: "--stack-size=900 --require ./nowhere.cjs",
      OPENSSL_CONF: join(scratch, "openssl.cnf"),
    };
    for (const checkout of [untouched, without]) expect(call(checkout, "rm -rf /", refusedByNode)).toEqual(answer);
  });

  it("records as this process and in this session, whatever was rehearsed", () => {
    const checkout = copyOf("records");
    for (const command of ["ls", "pwd"]) expect(call(checkout, command).status).toBe(0);
    const lines = readFileSync(join(scratch, ".holdfast/tracking/audit.jsonl"), "utf8").trim().split("\n");
    const records = lines.map((line) => JSON.parse(line)).slice(-2);
    expect(records.map(({ session, input }) => [session, input.tool.command])).toEqual([
      ["s", "ls"],
      ["s", "pwd"],
    ]);
    expect(new Set(records.map(({ id }) => id)).size).toBe(2);
    expect(records.every(({ timestamp }) => Math.abs(Date.parse(timestamp) - Date.now()) < 60_000)).toBe(true);
  });

  it("hands hooks the settings of the caller's Node, which ours was spared", () => {
    const checkout = copyOf("certificates");
    hookThatSays(checkout, "$NODE_EXTRA_CA_CERTS $NODE_OPTIONS");
    const answer = call(checkout, "ls", {
      NODE_EXTRA_CA_CERTS: "/nowhere/ca.pem",
      NODE_OPTIONS: "--no-deprecation",
    });
    expect(answer).toMatchObject({ status: 0, stdout: expect.stringContaining("/nowhere/ca.pem --no-deprecation") });
    // Node warns of a file that it cannot read.
    expect(answer.stderr).toBe("");
  });

  it("hands hooks the caller's settings of the C library, not those that make our Node start fast", () => {
    const checkout = copyOf("tunables");
    hookThatSays(checkout, "<$GLIBC_TUNABLES>");
    expect(call(checkout, "ls").stdout).toContain("<>");
    const own = { GLIBC_TUNABLES: "glibc.malloc.arena_max=2" };
    expect(call(checkout, "ls", own).stdout).toContain("<glibc.malloc.arena_max=2>");
  });

  it.runIf(process.platform === "linux")("is decided by a Node started on the image", () => {
    const checkout = copyOf("used");
    hookThatSays(checkout, "$(tr '\\0' ' ' < /proc/$PPID/cmdline)");
    expect(call(checkout, "ls").stdout).toContain("--snapshot-blob");
    rmSync(join(checkout, image));
    expect(call(checkout, "ls").stdout).not.toContain("--snapshot-blob");
  });

  it.runIf(process.platform === "linux")(
    "is not begun with an image that was written to, or has another bundle",
    () => {
      const spoilt: Readonly<Record<string, (checkout: string) => void>> = {
        // Node would end with a signal.
        "damaged in its place": (checkout) =>
          writeFileSync(join(checkout, image), readFileSync(join(checkout, image)).fill(7, 1_000_000, 1_000_100)),
        "of another Node": (checkout) => utimesSync(join(checkout, image), 1_000_000, 1_000_000),
        "of another bundle of the same size": (checkout) => {
          const bundle = join(checkout, "dist/hook.cjs");
          writeFileSync(bundle, readFileSync(bundle, "utf8").replace(/^\/\/ \w+/, `// ${"0".repeat(32)}`));
        },
      };
      for (const [name, spoil] of Object.entries(spoilt)) {
        const checkout = copyOf(name);
        hookThatSays(checkout, "$(tr '\\0' ' ' < /proc/$PPID/cmdline)");
        spoil(checkout);
        const { status, stdout } = call(checkout, "ls");
        expect({ name, status, isDenied: stdout.includes('"deny"') }).toEqual({ name, status: 0, isDenied: true });
        expect(stdout).not.toContain("--snapshot-blob");
      }
    },
  );
});

describe.runIf(hasImage)("the image of a loaded Node", () => {
  it("is read and copied by every call without a daemon: much more than this is a decision, not an accident", () => {
    expect(statSync(join(root, image)).size).toBeLessThan(5.5 * 1024 * 1024);
  });

  it("holds code of those modules of Node's that a call may still load, and of no others", () => {
    const modules = modulesIn(readFileSync(join(root, image)));
    expect(modules).toContain("child_process");
    expect(modules).toContain("internal/main/worker_thread");
    expect(modules).not.toContain("http2");
    expect(modules).not.toContain("internal/deps/acorn/acorn/dist/acorn");
  });

  it("holds the cases of the rules as text of the bundle only, not as values too", () => {
    const text = readFileSync(join(root, image)).toString("latin1");
    expect(text.split("git push --force origin maintenance").length - 1).toBe(1);
  });
});
