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

/**
 * How often it was tried until nobody had waited for too long. The daemon waits for a lock for less than a second, and a
 * machine that is busy may not let the others have their turn by then.
 */
async function untilInTime(isInTime: (round: number) => Promise<boolean>): Promise<number> {
  for (let round = 1; round < 10; round++) if (await isInTime(round)) return round;
  throw new Error("somebody was held up every time");
}

const commandsIn = (machine: Machine, projectDir = machine.projectDir) =>
  machine.records("audit", projectDir).map(({ input }) => input.tool.command);

describe.skipIf(!hasClient)("a journal that another process holds", () => {
  it("holds up only who writes to it: calls of another project are answered meanwhile", async ({ machine }) => {
    const other = otherProject(machine);
    await startDaemon(machine);
    for (const cwd of [machine.projectDir, other]) await ask(machine, "first", { cwd });
    const rounds = await untilInTime(async () => {
      const holder = await holdLock(machine, machine.projectDir);
      const order: string[] = [];
      const held = ask(machine, "held").finally(() => order.push("held"));
      for (let index = 0; index < 5; index++) {
        expect(await ask(machine, `free ${index}`, { cwd: other })).toMatchObject({ code: 0, stderr: "" });
        order.push("free");
      }
      const isHeldYet = !order.includes("held");
      holder.child.stdin.write("let go");
      const { code, stderr } = (await held) ?? {};
      expect(code).toBe(0);
      await holder.ended;
      return isHeldYet && stderr === "";
    });
    expect(commandsIn(machine)).toEqual(["first", ...Array(rounds).fill("held")]);
    expect(commandsIn(machine, other)).toHaveLength(1 + 5 * rounds);
  });

  it("is written to once it is free, by all who waited, each line once and the chain whole", async ({ machine }) => {
    await startDaemon(machine);
    await ask(machine, "first");
    const other = otherProject(machine);
    const waited: string[] = [];
    await untilInTime(async (round) => {
      const holder = await holdLock(machine, machine.projectDir);
      const commands = Array.from({ length: 8 }, (_, index) => `waits ${round}.${index}`);
      waited.push(...commands);
      const waiting = commands.map((command) => ask(machine, command));
      await ask(machine, "elsewhere", { cwd: other });
      holder.child.kill("SIGKILL");
      const said = await Promise.all(waiting);
      expect(said.map((one) => one?.code)).toEqual(commands.map(() => 0));
      return said.every((one) => one?.stderr === "");
    });
    expect(commandsIn(machine).sort()).toEqual(["first", ...waited]);
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
