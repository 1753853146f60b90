import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished } from "vitest";
import { verifyJournal } from "../../src/records/verify.ts";
import { distDir, it, type Machine, type Started } from "../program.ts";
import { ask, hasClient, startDaemon } from "./started.ts";

/** Another process that holds the lock of the project's audit, until it is told to let go or is killed. */
async function holdLock(machine: Machine, projectDir: string): Promise<Started> {
  const lockFile = `${machine.journal("audit", projectDir).file}.lock`;
  const script = `
    import { tryFileLock } from ${JSON.stringify(pathToFileURL(join(distDir, "records/file-lock.js")).href)};
    for (let lock; !lock; await new Promise((done) => setTimeout(done, 5))) {
      lock = tryFileLock(${JSON.stringify(lockFile)}, { createDirectory: true });
      process.stdin.on("data", () => { lock.release(); process.exit(); });
    }
    process.stdout.write("held");
    setInterval(() => {}, 1000);`;
  const holder = machine.start(["--input-type=module", "-e", script], { command: process.execPath });
  onTestFinished(() => void holder.child.kill("SIGKILL"));
  await holder.printed("held");
  return holder;
}

function otherProject(machine: Machine): string {
  const dir = join(machine.dir, "other");
  mkdirSync(join(dir, ".git"), { recursive: true });
  return dir;
}

const commandsIn = (machine: Machine, projectDir = machine.projectDir) =>
  machine.records("audit", projectDir).map(({ input }) => input.tool.command);

describe.skipIf(!hasClient)("a journal that another process holds", () => {
  it("holds up only who writes to it: calls of another project are answered meanwhile", async ({ machine }) => {
    const other = otherProject(machine);
    await startDaemon(machine);
    for (const cwd of [machine.projectDir, other]) await ask(machine, "first", { cwd });
    const holder = await holdLock(machine, machine.projectDir);
    const order: string[] = [];
    const held = ask(machine, "held").finally(() => order.push("held"));
    for (let index = 0; index < 5; index++) {
      expect(await ask(machine, `free ${index}`, { cwd: other })).toMatchObject({ code: 0, stderr: "" });
      order.push("free");
    }
    expect(order.indexOf("held")).toBe(-1);
    holder.child.stdin.write("let go");
    expect(await held).toMatchObject({ code: 0, stderr: "" });
    expect(commandsIn(machine)).toEqual(["first", "held"]);
    expect(commandsIn(machine, other)).toHaveLength(6);
  });

  it("is written to once it is free, by all who waited, each line once and the chain whole", async ({ machine }) => {
    await startDaemon(machine);
    await ask(machine, "first");
    const holder = await holdLock(machine, machine.projectDir);
    const waiting = Array.from({ length: 8 }, (_, index) => ask(machine, `waits ${index}`));
    await ask(machine, "elsewhere", { cwd: otherProject(machine) });
    holder.child.kill("SIGKILL");
    for (const said of await Promise.all(waiting)) expect(said).toMatchObject({ code: 0, stderr: "" });
    expect(commandsIn(machine).sort()).toEqual(["first", ...waiting.map((_, index) => `waits ${index}`)]);
    expect((await verifyJournal(machine.journal("audit"))).problem).toBeUndefined();
  });

  it("for too long lets the record wait in the spool, and the next call adds it", async ({ machine }) => {
    await startDaemon(machine);
    await ask(machine, "first");
    const holder = await holdLock(machine, machine.projectDir);
    const said = await ask(machine, "spooled");
    expect(said).toMatchObject({ code: 0, stderr: expect.stringContaining("waits in") });
    holder.child.stdin.write("let go");
    await holder.ended;
    await ask(machine, "last");
    expect(commandsIn(machine)).toEqual(["first", "spooled", "last"]);
    expect((await verifyJournal(machine.journal("audit"))).problem).toBeUndefined();
  });
});
