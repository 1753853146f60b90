import { spawnSync } from "node:child_process";
import { chownSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { verifyJournal } from "../../src/records/verify.ts";
import { claudeShell, kiroShell } from "../payloads.ts";
import { it, type Machine, program } from "../program.ts";

/** Mounts are made in a namespace of their own and end with it. */
const canMount = spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;
const isRoot = process.getuid?.() === 0;

describe.skipIf(!canMount)("a disk of its own (needs the right to mount)", { concurrent: true }, () => {
  /** Long enough not to fit into the rest of a page that is already there. */
  const long = (machine: Machine, name: string) => JSON.stringify(kiroShell(machine, `${name} ${"x".repeat(6_000)}`));

  /** Runs a script on a small disk mounted at `$disk`; `call name` plays a payload and prints what came of it. */
  async function onDisk(machine: Machine, disk: string, steps: string, options = "size=256k"): Promise<string> {
    for (const name of ["one", "two", "three"]) machine.write(`payloads/${name}`, long(machine, name));
    const script = `set -u
disk=$1 program=$2 payloads=$3 keep=$4
mkdir -p "$disk"
mount -t tmpfs -o ${options} none "$disk" || exit 9
call() { "$program" hook --host kiro < "$payloads/$1" 2>&1; echo "$1: exit $?"; }
fill() { cat /dev/zero > "$disk/filler" 2>/dev/null; }
${steps}`;
    const args = ["-m", "sh", "-c", script, "sh", disk, program, join(machine.dir, "payloads"), machine.dir];
    const { code, stdout, stderr } = await machine.run(args, { command: "unshare" });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return stdout;
  }

  const keptCommands = (machine: Machine) =>
    machine
      .read("kept/tracking/audit.jsonl")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line).input.tool.command.slice(0, 5));

  it("full: the decision is right, the person is told, and the records arrive when there is room", async ({
    machine,
  }) => {
    const output = await onDisk(
      machine,
      join(machine.projectDir, ".holdfast"),
      `call one; fill; call two; rm "$disk/filler"; call three; cp -r "$disk" "$keep/kept"`,
    );
    expect(output).toMatch(
      /^one: exit 0\nholdfast: the audit could not be written \(.*(disk is full|ENOSPC|no space).*\ntwo: exit 0\nthree: exit 0\n$/,
    );
    expect(keptCommands(machine)).toEqual(["one x", "two x", "three"]);
    const journal = { ...machine.journal("audit"), file: join(machine.dir, "kept/tracking/audit.jsonl") };
    expect(await verifyJournal(journal)).toMatchObject({ ok: true, lines: 3 });
  });

  it("full where the state is: records are written, the person is told", async ({ machine }) => {
    const output = await onDisk(machine, machine.stateDir, "fill; call one; call two");
    expect(output).toMatch(/holdfast: the compiled plan could not be stored.*ENOSPC[\s\S]*one: exit 0\n/);
    expect(output).toMatch(/two: exit 0\n$/);
    expect(machine.records("audit")).toHaveLength(2);
  });

  it("read-only where the project is: the records wait with the person's own state", async ({ machine }) => {
    const output = await onDisk(
      machine,
      machine.projectDir,
      `cd "$disk"; call one; mount -o remount,ro "$disk"; call two; mount -o remount,rw "$disk"; call three; cp -r .holdfast "$keep/kept"`,
    );
    expect(output).toMatch(
      /^one: exit 0\nholdfast: the audit could not be written \(EROFS.*\ntwo: exit 0\nthree: exit 0\n$/,
    );
    expect(keptCommands(machine)).toEqual(["one x", "two x", "three"]);
  });
});

describe.skipIf(!isRoot)("a person without rights (needs root, to become somebody else)", { concurrent: true }, () => {
  const nobody = 65534;
  const giveAway = (...paths: string[]) => {
    for (const path of paths) chownSync(path, nobody, nobody);
  };

  it("in a project that is not theirs, the records wait and arrive later", async ({ machine }) => {
    giveAway(machine.dir, machine.stateDir, machine.home, machine.configDir);
    const one = await machine.hook("claude-code", claudeShell(machine, "one"), { uid: nobody });
    expect(one).toMatchObject({ code: 0, stdout: "" });
    expect(one.stderr).toMatch(/the audit could not be written \(EACCES.*waits in/);
    giveAway(machine.projectDir);
    const two = await machine.hook("claude-code", claudeShell(machine, "two"), { uid: nobody });
    expect(two).toMatchObject({ code: 0, stdout: "", stderr: "" });
    expect(machine.records("audit").map(({ input }) => input.tool.command)).toEqual(["one", "two"]);
  });

  it("with a state directory that is not theirs, decisions and records are right and the person is told", async ({
    machine,
  }) => {
    giveAway(machine.dir, machine.projectDir, machine.home, machine.configDir);
    const { code, stdout, stderr } = await machine.hook("claude-code", claudeShell(machine, "one"), { uid: nobody });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toMatch(/the compiled plan could not be stored.*EACCES/);
    expect(machine.records("audit")).toHaveLength(1);
  });
});
