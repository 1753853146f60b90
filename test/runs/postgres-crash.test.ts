import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LEASE_TIMES } from "../../src/runs/files/lease.ts";
import { eventsOf } from "../../src/runs/store-conformance.fixture.ts";
import { type PostgresRuns, postgresRuns } from "../../src/stores/postgres/runs/open.ts";
import { type Postgres, startPostgres } from "../approvals/postgres.ts";

const DRIVER = join(import.meta.dirname, "driven-run.mjs");

let postgres: Postgres;
let runs: PostgresRuns;
let dir: string;
beforeAll(async () => {
  postgres = await startPostgres();
  dir = mkdtempSync(join(tmpdir(), "holdfast-crash-"));
  runs = await postgresRuns({ url: postgres.url, directory: join(dir, "elsewhere"), leaseTimes: LEASE_TIMES });
});
afterAll(async () => {
  await runs.close();
  await postgres.stop();
  rmSync(dir, { recursive: true, force: true });
});

interface Driven {
  readonly signal: string | null;
  readonly end: { readonly id: string; readonly points: readonly string[] } | undefined;
}

const drive = (killAt: number): Promise<Driven> =>
  new Promise((done, fail) => {
    const args = [DRIVER, dir, String(killAt), postgres.url];
    execFile(process.execPath, args, { timeout: 120_000 }, (error, stdout, stderr) => {
      if (error && error.signal !== "SIGKILL") fail(new Error(`${error.message}\n${stderr}`));
      else done({ signal: error?.signal ?? null, end: error ? undefined : JSON.parse(stdout) });
    });
  });

/** Everything about the run that must not depend on where it was killed; seen from another machine. The run goes. */
async function remains() {
  const [listed, ...more] = await runs.store.list({});
  const run = await runs.store.read(listed?.id ?? "");
  if (!run) throw new Error("the run is gone");
  const events = await eventsOf(runs.store, run.id);
  const attached = [];
  for (const attachment of run.attachments) {
    const file = await runs.store.attachmentFile(run.id, attachment);
    attached.push([attachment.name, readFileSync(file, "utf8")]);
  }
  await runs.store.remove(run.id);
  return {
    others: more.length,
    status: run.status,
    progress: run.progress,
    tasks: run.tasks.map(({ id, status }) => `${id} ${status}`),
    state: run.state,
    note: run.note,
    attempts: run.attempts.map(({ number, exitCode, endedAt }) => [number, exitCode, endedAt !== null]),
    cursors: events.every(({ cursor }, at) => cursor === at + 1),
    events: events.map(({ type }) => type),
    audits: run.hookAudits.map(({ phase, outcome, attempt }) => `${phase} ${outcome} ${attempt}`),
    attached,
  };
}

// Every statement would take as long as all other tests together. An odd step meets both kinds of kill.
const STEP = 7;

it("R-54 RB-3 RB-13 killed before or within a statement, a run in a database ends as it would have", async () => {
  const whole = await drive(0);
  const expected = await remains();
  expect(expected).toMatchObject({
    status: "success",
    state: { prepared: 1, before: 3, after: 3, edits: 4, exits: 1 },
    attempts: [
      [1, 0, true],
      [2, 0, true],
      [3, 0, true],
    ],
    cursors: true,
    others: 0,
  });
  const statements = whole.end?.points ?? [];
  expect(statements.length).toBeGreaterThan(100);
  let kills = 0;
  for (let killAt = 1; killAt <= statements.length - STEP; killAt += STEP) {
    const where = `killed at statement ${killAt} of ${statements.length}: ${statements[killAt - 1]}`;
    const first = await drive(killAt);
    if (first.signal !== "SIGKILL") {
      // Which statements follow each other differs a little from time to time.
      expect(await remains(), where).toEqual(expected);
      continue;
    }
    kills += 1;
    await drive(0);
    expect(await remains(), where).toEqual(expected);
  }
  expect(kills).toBeGreaterThan(10);
}, 1_200_000);
