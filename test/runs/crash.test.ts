import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isAlive } from "../../src/runs/files/process-identity.ts";
import { storeIn } from "../../src/runs/files/store.fixture.ts";
import type { RunEvent } from "../../src/runs/store.ts";

// A kill loses nothing that was written, synced or not: a disk in memory shows the same, sooner.
const FAST = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

const DRIVER = join(import.meta.dirname, "driven-run.mjs");

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(FAST, "holdfast-crash-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

interface Driven {
  readonly signal: string | null;
  readonly end: { readonly id: string; readonly exitCode: number; readonly points: readonly string[] } | undefined;
}

const drive = (killAt: number): Promise<Driven> =>
  new Promise((done, fail) => {
    execFile(process.execPath, [DRIVER, dir, String(killAt)], { timeout: 120_000 }, (error, stdout, stderr) => {
      if (error && error.signal !== "SIGKILL") fail(new Error(`${error.message}\n${stderr}`));
      else done({ signal: error?.signal ?? null, end: error ? undefined : JSON.parse(stdout) });
    });
  });

/** Everything about a run that must not depend on where it was killed. */
async function remains(id: string) {
  const store = storeIn(join(dir, "runs"));
  const run = await store.read(id);
  if (!run) throw new Error("the run is gone");
  const events: RunEvent[] = [];
  for await (const event of store.events(id)) events.push(event);
  const directory = store.directoryOf(id);
  const attached = [];
  for (const { name, sha256, ...attachment } of run.attachments) {
    const path = await store.attachmentFile(id, { name, sha256, ...attachment });
    const bytes = readFileSync(path);
    attached.push([name, bytes.toString(), createHash("sha256").update(bytes).digest("hex") === sha256]);
  }
  const inDirectory = (name: string) => (existsSync(join(directory, name)) ? readdirSync(join(directory, name)) : []);
  return {
    status: run.status,
    progress: run.progress,
    tasks: run.tasks.map(({ id: task, status }) => `${task} ${status}`),
    state: run.state,
    note: run.note,
    sessions: run.sessions.length,
    attempts: run.attempts.map(({ number, session, indexInSession, exitCode, endedAt }) => [
      number,
      session,
      indexInSession,
      exitCode,
      endedAt !== null,
    ]),
    cursors: events.every(({ cursor }, index) => cursor === index + 1),
    events: events.map(({ type }) => type),
    audits: run.hookAudits.map(({ phase, outcome, attempt }) => `${phase} ${outcome} ${attempt}`),
    attached,
    orphans: inDirectory("attachments").filter(
      (name) => ![...run.attachments, ...(run.seed?.attachments ?? [])].some(({ id: known }) => known === name),
    ),
    staged: inDirectory("staging"),
    files: readdirSync(directory)
      .filter((name) => !["attachments", "staging"].includes(name))
      .sort(),
    listed: (await store.list({})).map(({ status }) => status),
    runs: readdirSync(join(dir, "runs", "shop")).length,
  };
}

describe("a process that drives a run is killed", () => {
  it("R-54 RB-3 RB-13 before every single write: resumed, it ends as it would have, nothing lost, nothing doubled", async () => {
    const whole = await drive(0);
    const expected = await remains(whole.end?.id ?? "");
    expect(expected).toMatchObject({
      status: "success",
      state: { prepared: 1, before: 3, after: 3, edits: 4, exits: 1 },
      attempts: [
        [1, 0, 0, 0, true],
        [2, 0, 1, 0, true],
        [3, 0, 2, 0, true],
      ],
      cursors: true,
      orphans: [],
      staged: [],
      runs: 1,
    });
    const writes = whole.end?.points ?? [];
    expect(writes.length).toBeGreaterThan(60);
    for (let killAt = 1; killAt <= writes.length; killAt += 1) {
      rmSync(join(dir, "runs"), { recursive: true, force: true });
      const where = `killed before write ${killAt} of ${writes.length}: ${writes[killAt - 1]}`;
      expect((await drive(killAt)).signal, where).toBe("SIGKILL");
      const { end } = await drive(0);
      expect(await remains(end?.id ?? ""), where).toEqual(expected);
    }
  }, 1_200_000);

  it("again and again, every few writes, until it gets through", async () => {
    const whole = await drive(0);
    const expected = await remains(whole.end?.id ?? "");
    rmSync(join(dir, "runs"), { recursive: true, force: true });
    let kills = 0;
    for (let end: Driven["end"]; end === undefined; kills += 1) {
      expect(kills, "each time it gets a little further").toBeLessThan(80);
      ({ end } = await drive(12 + (kills % 5)));
    }
    expect(kills).toBeGreaterThan(5);
    expect(await remains((await drive(0)).end?.id ?? "")).toEqual(expected);
  });

  it("RB-6 while its agent works: the agent is ended before another one is started", async () => {
    writeFileSync(join(dir, "hang"), "");
    const store = storeIn(join(dir, "runs"));
    const driver = spawn(process.execPath, [DRIVER, dir, "0"], { stdio: "ignore" });
    const agent = await soon(async () => {
      const [run] = await store.list({});
      return run && (await store.readAttempt(run.id, 1))?.process;
    });
    driver.kill("SIGKILL");
    await new Promise((done) => driver.once("exit", done));
    rmSync(join(dir, "hang"));
    const { end } = await drive(0);
    expect(end?.exitCode).toBe(0);
    expect(isAlive(agent)).toBe(false);
    expect((await remains(end?.id ?? "")).attempts).toHaveLength(3);
  });
});

async function soon<T>(look: () => Promise<T | null | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found) return found;
    await new Promise((done) => setTimeout(done, 20));
  }
}
