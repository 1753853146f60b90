/** The image of a loaded Node that `init` makes for an installed package, and the launcher where there is no compiler. */
import { createHash } from "node:crypto";
import {
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { describe, expect } from "vitest";
import { claudeShell } from "../payloads.ts";
import type { Machine } from "../program.ts";
import { canCompile } from "./client.fixture.ts";
import { calls, Installed, it, pathWithNodeOnly, pushes, registered } from "./installed.fixture.ts";

/** Blocks every call, and names the image that Node was started on. */
function hookThatTells(machine: Machine): void {
  const image = "$(tr '\\0' '\\n' < /proc/$PPID/cmdline | grep '[.]image$')";
  const script = machine.write("config/tell.sh", `printf '{"decision":"block","reason":"on <%s>"}' "${image}"\n`);
  const hook = { type: "command", command: `exec sh '${script}'` };
  machine.write("config/holdfast.json", JSON.stringify({ version: 1, hooks: { pre_tool_use: [{ hooks: [hook] }] } }));
}

/** The image that a call without a daemon began with; undefined: none. It is blocked either way. */
async function imageOfCall(machine: Machine): Promise<string | undefined> {
  const { code, stdout } = await calls(machine, "ls", { HOLDFAST_DAEMON: "off" });
  expect({ code, isDenied: stdout.includes('"deny"') }).toEqual({ code: 0, isDenied: true });
  const told = /on <(.*?)>/.exec(stdout);
  expect(told).not.toBeNull();
  return told?.[1] || undefined;
}

const images = (machine: Machine) =>
  readdirSync(dirname(registered(machine)))
    .filter((name) => name.endsWith(".image"))
    .sort()
    .map((name) => join(dirname(registered(machine)), name));

const digestOf = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");

/** Another version, with a bundle of the same size and, as in every package of npm's, of the same time. */
function upgrade(installed: Installed, word: string): void {
  const file = join(installed.distDir, "hook.cjs");
  const { atime, mtime } = lstatSync(file);
  const old = readFileSync(file, "utf8");
  const text = old.replace(/^.*\n/, "").replace(/\w{8} the history of /g, `${word} the history of `);
  const name = createHash("sha256").update(text).digest("hex").slice(0, 32);
  writeFileSync(file, `// ${name}\n${text}`);
  utimesSync(file, atime, mtime);
  // A package brings its own, and V8 tells sources by their length.
  rmSync(join(installed.distDir, "hook.cache"), { force: true });
  expect(lstatSync(file).size).toBe(Buffer.byteLength(old));
}

describe.runIf(process.platform === "linux" && canCompile)("for an installed package", () => {
  it("init makes an image beside the client, ours alone and named by what is in it; calls without a daemon begin with it", async ({
    machine,
    installed,
  }) => {
    hookThatTells(machine);
    const { stdout } = await installed.init(machine);
    expect(stdout).toContain("built  the native client, with an image of a loaded Node");
    expect(stdout).not.toContain("no image");
    const [image = "", ...others] = images(machine);
    expect(others).toEqual([]);
    expect(basename(image)).toBe(`hook.${digestOf(image).slice(0, 16)}.image`);
    expect(lstatSync(image).mode & 0o777).toBe(0o600);
    expect(await imageOfCall(machine)).toBe(image);
    expect((await installed.init(machine)).stdout).not.toContain("built");
    expect(images(machine)).toEqual([image]);
    expect((await installed.holdfast(machine, ["doctor"])).stdout).not.toContain("image of a loaded Node");
  });

  it("an image that was cut, written to or removed is not used; doctor says so, and init makes one", async ({
    machine,
    installed,
  }) => {
    hookThatTells(machine);
    await installed.init(machine);
    const spoilt: Readonly<Record<string, (image: string) => void>> = {
      cut: (image) => truncateSync(image, 1_000_000),
      // Node would end with a signal.
      "written to": (image) => writeFileSync(image, readFileSync(image).fill(7, 1_000_000, 1_000_100)),
      removed: (image) => rmSync(image),
    };
    for (const [name, spoil] of Object.entries(spoilt)) {
      spoil((await imageOfCall(machine)) ?? "");
      expect([name, await imageOfCall(machine)]).toEqual([name, undefined]);
      expect((await installed.holdfast(machine, ["doctor"])).stdout).toContain(
        "the image of a loaded Node does not fit any more: holdfast init makes one that does",
      );
      expect((await installed.init(machine)).stdout).toContain("built  the native client");
      expect([name, typeof (await imageOfCall(machine))]).toEqual([name, "string"]);
    }
  });

  it("another version's bundle is never mixed with the image's, though size and time are the same", async ({
    machine,
    installed,
  }) => {
    await installed.init(machine);
    const client = registered(machine);
    const first = images(machine);
    upgrade(installed, "VERSION2");
    const off = { HOLDFAST_DAEMON: "off" };
    expect((await pushes(machine, off)).stdout).toContain("VERSION2");
    await installed.holdfast(machine, ["doctor", "--fix", "--yes"]);
    expect(registered(machine)).toBe(client);
    // A call that looked at the one before may be just about to begin with it.
    expect(images(machine)).toHaveLength(2);
    expect(images(machine)).toEqual(expect.arrayContaining(first));
    upgrade(installed, "VERSION3");
    await installed.init(machine);
    expect(images(machine)).toHaveLength(2);
    expect(images(machine)).not.toEqual(expect.arrayContaining(first));
    expect((await pushes(machine, off)).stdout).toContain("VERSION3");
    hookThatTells(machine);
    expect(images(machine)).toContain(await imageOfCall(machine));
  });

  it("a Node that was exchanged in its place does not get its predecessor's image, until init makes it one", async ({
    machine,
    installed,
  }) => {
    hookThatTells(machine);
    const node = join(machine.dir, "a node");
    copyFileSync(process.execPath, node, constants.COPYFILE_FICLONE);
    const args = [installed.program, "init", "--hosts", "claude-code", "--yes"];
    await machine.run(args, { command: node });
    const image = await imageOfCall(machine);
    expect(images(machine)).toEqual([image]);
    utimesSync(node, 1_700_000_000, 1_700_000_000);
    expect(await imageOfCall(machine)).toBeUndefined();
    expect((await machine.run(args, { command: node })).stdout).toContain("built  the native client");
    expect(await imageOfCall(machine)).not.toBe(image);
    expect(images(machine)).toContain(await imageOfCall(machine));
  });

  it("where no image can be made the client is made without one, and init says why", async ({ machine, installed }) => {
    hookThatTells(machine);
    const nowhere = { TMPDIR: join(machine.dir, "nowhere") };
    for (const word of ["built  the native client, ", "already registered"]) {
      const { stdout } = await installed.init(machine, nowhere);
      expect(stdout).toContain(word);
      expect(stdout).toContain("no image of a loaded Node  ENOENT");
    }
    expect(images(machine)).toEqual([]);
    expect(await imageOfCall(machine)).toBeUndefined();
    expect((await installed.init(machine)).stdout).toContain("with an image of a loaded Node");
    expect(await imageOfCall(machine)).toBe(images(machine)[0]);
  });

  it("where the state directory takes neither, the Node program is registered, and init says why", async ({
    machine,
    installed,
  }) => {
    hookThatTells(machine);
    machine.write("state/clients", "no directory");
    expect((await installed.init(machine)).stdout).toMatch(/no native client {2}E\w+/);
    expect(registered(machine)).toBe(installed.program);
    expect(await imageOfCall(machine)).toBeUndefined();
  });

  it("an agent's init makes what is missing, and replaces nothing: what hosts call stays as a person made it", async ({
    machine,
    installed,
  }) => {
    const agent = { CLAUDECODE: "1" };
    await installed.init(machine, agent);
    const client = registered(machine);
    const before = digestOf(client);
    for (const image of images(machine)) rmSync(image);
    const compiler = machine.write("cc", "#!/bin/sh\nexit 1\n");
    const { stdout } = await installed.init(machine, { ...agent, CC: `sh ${compiler}` });
    expect(stdout).toContain("run `holdfast init` in a terminal of your own");
    expect([digestOf(client), images(machine)]).toEqual([before, []]);
    expect((await installed.init(machine)).stdout).toContain("built  the native client");
  });

  it("two inits at once leave one client, with its image", async ({ machine, installed }) => {
    hookThatTells(machine);
    const both = await Promise.all([installed.init(machine), installed.init(machine)]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(both.filter(({ stdout }) => stdout.includes("built  the native client, with"))).toHaveLength(1);
    expect(await imageOfCall(machine)).toBe(images(machine)[0]);
    const names = readdirSync(dirname(registered(machine))).sort();
    expect(names).toEqual(["holdfast", "holdfast.json", basename(images(machine)[0] ?? "")]);
  });

  it("without a compiler a launcher takes the client's place and begins with the image; a compiler changes no registration", async ({
    machine,
    installed,
  }) => {
    hookThatTells(machine);
    const alone = pathWithNodeOnly(machine);
    const { stdout } = await installed.init(machine, alone);
    expect(stdout).toContain("built  the launcher, with an image of a loaded Node");
    expect(stdout).toContain("no native client  no C compiler (cc, gcc, clang, or CC): every call starts Node");
    const launcher = registered(machine);
    expect(launcher.startsWith(join(machine.stateDir, "clients"))).toBe(true);
    expect(lstatSync(launcher).mode & 0o777).toBe(0o700);
    const [image] = images(machine);
    expect(await imageOfCall(machine)).toBe(image);
    expect((await installed.init(machine, alone)).stdout).not.toContain("built");
    expect((await installed.holdfast(machine, ["doctor"], alone)).stdout).toContain("there is no native client");

    expect((await installed.init(machine)).stdout).toContain("built  the native client, with");
    expect(registered(machine)).toBe(launcher);
    expect(readFileSync(launcher).subarray(1, 4).toString()).toBe("ELF");
    expect(images(machine)).toEqual([image]);
    expect(await imageOfCall(machine)).toBe(image);
  });

  it("the launcher does not begin with an image of another version or Node, or with a damaged one", async ({
    machine,
    installed,
  }) => {
    hookThatTells(machine);
    const alone = pathWithNodeOnly(machine);
    await installed.init(machine, alone);
    const image = (await imageOfCall(machine)) ?? "";
    const { atime, mtime } = lstatSync(image);
    utimesSync(image, atime, new Date(0));
    expect(await imageOfCall(machine)).toBeUndefined();
    utimesSync(image, atime, mtime);
    expect(await imageOfCall(machine)).toBe(image);
    upgrade(installed, "VERSION2");
    expect(await imageOfCall(machine)).toBeUndefined();
    await installed.init(machine, alone);
    expect(await imageOfCall(machine)).not.toBe(image);
    rmSync((await imageOfCall(machine)) ?? "");
    expect(await imageOfCall(machine)).toBeUndefined();
    rmSync(installed.program);
    expect((await pushes(machine)).code).toBe(2);
    expect(existsSync(registered(machine))).toBe(true);
  });

  it("init of another package removes the image of one that is gone, and says so; its client goes on to block", async ({
    machine,
    installed,
    packed,
  }) => {
    await installed.init(machine);
    const [gone, client] = [images(machine), registered(machine)];
    rmSync(installed.dir, { recursive: true });
    const other = new Installed(packed);
    const { stdout } = await other.init(machine);
    const said = `: the image of a package that is gone, ${installed.dir}\n`;
    expect(stdout).toContain(`removed  ${relative(machine.projectDir, gone[0] ?? "")}${said}`);
    expect(gone.map((image) => existsSync(image))).toEqual([false]);
    expect(images(machine)).toHaveLength(1);
    const stdin = JSON.stringify(claudeShell(machine, "ls"));
    const blocked = await machine.run(["hook", "--host", "claude-code"], { command: client, stdin });
    expect(blocked).toMatchObject({ code: 2, stderr: expect.stringContaining("bin/holdfast is missing") });
    rmSync(other.dir, { recursive: true });
    const doctor = await new Installed(packed).holdfast(machine, ["doctor"]);
    expect(doctor.stdout).toContain(`the image of a package that is gone, ${other.dir}`);
    expect(images(machine)).toEqual([]);
  });
});
