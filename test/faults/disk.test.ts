/** No room for the records: the answer is right, the person is told, and what can be kept arrives when there is room. */
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { askDaemon } from "../../src/entry/daemon/talk.ts";
import { verifyJournal } from "../../src/records/verify.ts";
import { signal } from "../processes.ts";
import { type Ended, type Entry, program } from "../program.ts";
import { client, commandOf, HOOK, hasClient, it, type Kind, type Scene, until } from "./scene.fixture.ts";

const canMount = spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;

function expectAnswer(kind: Kind, { code, stdout }: Ended): void {
  expect(code).toBe(0);
  expect(stdout.includes('"permissionDecision":"deny"')).toBe(kind === "block");
}

interface SmallDisks {
  /** A file as those see it who live on the disks. */
  seen(path: string): string;
  daemon(): Promise<number>;
  /** The process id of the one that serves. */
  serving(): Promise<number>;
  call(kind: Kind, name: string): Promise<Ended>;
  fill(): void;
  empty(): void;
  end(): void;
}

/** Disks of 256 KiB in a mount namespace of their own, with the client and the daemon in it. */
async function onSmallDisks({ machine, payload, socket }: Scene, places: readonly string[]): Promise<SmallDisks> {
  const script = `for place; do mkdir -p "$place" && mount -t tmpfs -o size=256k,mode=700 none "$place" || exit 9; done
echo mounted; exec sleep 600`;
  const holder = machine.start(["-m", "sh", "-c", script, "sh", ...places], { command: "unshare" });
  await holder.printed("mounted");
  const pid = String(holder.child.pid);
  const seen = (path: string) => `/proc/${pid}/root${path}`;
  const inside = (command: string, args: readonly string[], stdin?: string) => {
    const started = machine.start(["-t", pid, "-m", "--", command, ...args], { command: "nsenter" });
    started.child.stdin.end(stdin);
    return started;
  };
  const serving = async (): Promise<number> => {
    let said: string | undefined;
    await until(async () => {
      said = await askDaemon(seen(socket), "status");
      return said !== undefined;
    }, "a daemon serves");
    return JSON.parse(said ?? "").pid;
  };
  const fillers = places.map((place) => join(seen(place), "filler"));
  return {
    seen,
    daemon() {
      inside(program, ["daemon", "serve"]);
      return serving();
    },
    serving,
    call: (kind, name) => inside(client, HOOK, payload(kind, name)).ended,
    fill() {
      for (const filler of fillers) spawnSync("sh", ["-c", 'cat /dev/zero > "$0"', filler]);
    },
    empty() {
      for (const filler of fillers) rmSync(filler);
    },
    end: () => signal(holder.child.pid, "SIGKILL"),
  };
}

/** What stderr said to each call, by its name. What is left of a page takes a few lines yet. */
async function callUntil(disks: SmallDisks, expected: RegExp): Promise<ReadonlyMap<string, string>> {
  const remarks = new Map<string, string>();
  for (let index = 0; index < 100; index++) {
    const said = await disks.call("ran", `n${index}`);
    expectAnswer("ran", said);
    remarks.set(`n${index}`, said.stderr);
    if (expected.test(said.stderr)) return remarks;
  }
  throw new Error(`nobody was told ${expected}: ${[...remarks.values()].at(-1)}`);
}

const records = (file: string): Entry[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

const timesIn = (lines: readonly Entry[], name: string) =>
  lines.filter(({ input_summary }) => input_summary === commandOf("ran", name)).length;

describe.skipIf(!hasClient || !canMount).concurrent("a disk that is full (needs the right to mount)", () => {
  it("under the ledger: records wait in the spool and arrive once, through the same daemon", async ({ scene }) => {
    const disks = await onSmallDisks(scene, [join(scene.machine.projectDir, ".holdfast")]);
    const pid = await disks.daemon();
    expectAnswer("ran", await disks.call("ran", "before"));
    disks.fill();
    const remarks = await callUntil(disks, /the ledger could not be written \(.*\); the record waits in /);
    expectAnswer("block", await disks.call("block", "blocked"));
    expect([...remarks.values()].at(-1)).toMatch(/ENOSPC|disk is full/);
    disks.empty();
    const after = await disks.call("ran", "after");
    expect(after).toMatchObject({ code: 0, stdout: "", stderr: "" });
    const journal = scene.machine.journal("ledger");
    const lines = records(disks.seen(journal.file));
    for (const name of ["before", ...remarks.keys(), "after"]) expect([name, timesIn(lines, name)]).toEqual([name, 1]);
    for (const name of ["ledger", "audit"] as const) {
      const found = scene.machine.journal(name);
      const report = await verifyJournal({ ...found, file: disks.seen(found.file) });
      expect(report).toMatchObject({ ok: true, fragments: 0 });
    }
    expect(await disks.serving()).toBe(pid);
    disks.end();
  });

  it("under the spool too: the answer is right, the loss is told, and the chain goes on", async ({ scene }) => {
    const { machine } = scene;
    const disks = await onSmallDisks(scene, [join(machine.projectDir, ".holdfast"), machine.stateDir]);
    const pid = await disks.daemon();
    expectAnswer("ran", await disks.call("ran", "before"));
    disks.fill();
    const remarks = await callUntil(disks, /HF602 a record for the ledger is lost: /);
    expectAnswer("block", await disks.call("block", "blocked"));
    expect([...remarks.values()].at(-1)).toMatch(/ENOSPC|disk is full/);
    disks.empty();
    // The first is still told what could not be written before it, the next has nothing to be told.
    expect(await disks.call("ran", "after")).toMatchObject({ code: 0, stdout: "" });
    expect(await disks.call("ran", "later")).toMatchObject({ code: 0, stdout: "", stderr: "" });
    const found = machine.journal("ledger");
    const lines = records(disks.seen(found.file));
    expect(timesIn(lines, "before") + timesIn(lines, "after")).toBe(2);
    // Whoever was told of no loss is there.
    for (const [name, remark] of remarks)
      expect([name, timesIn(lines, name)]).toEqual([name, remark.includes("HF602 a record for the ledger") ? 0 : 1]);
    const report = await verifyJournal({
      ...found,
      file: disks.seen(found.file),
      headFile: disks.seen(found.headFile ?? ""),
    });
    expect(report).toMatchObject({ ok: true, fragments: 0 });
    expect(await disks.serving()).toBe(pid);
    disks.end();
  });
});

describe.skipIf(!hasClient).concurrent("a limit on the size of files", () => {
  it("that the daemon meets: records wait in the spool, and the next daemon brings them in", async ({ scene }) => {
    const { machine } = scene;
    machine.start(["-c", 'ulimit -f 8; exec "$0" daemon serve', program], { command: "bash" });
    const { pid } = await scene.serving();
    const names = Array.from({ length: 20 }, (_, index) => `n${index}`);
    let waits = 0;
    for (const name of names) {
      const said = await scene.call("ran", name).ended;
      expectAnswer("ran", said);
      waits += said.stderr.includes("the record waits in") ? 1 : 0;
    }
    expect(waits).toBeGreaterThan(0);
    expect(statSync(machine.journal("ledger").file).size).toBeLessThanOrEqual(8 * 1024);
    expect((await scene.serving()).pid).toBe(pid);
    await scene.expectRecordedOnce(names.map((name) => ["ran", name] as const));
  });
});
