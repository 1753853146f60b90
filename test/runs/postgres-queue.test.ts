import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LEASE_TIMES } from "../../src/runs/files/lease.ts";
import { identityOf } from "../../src/runs/files/process-identity.ts";
import { stored } from "../../src/runs/files/store.fixture.ts";
import type { QueueRequest, TakenRun } from "../../src/runs/queue.ts";
import { migrate } from "../../src/stores/postgres/migrations.ts";
import { openRunDatabase, type RunDatabase } from "../../src/stores/postgres/runs/database.ts";
import { postgresRunQueue } from "../../src/stores/postgres/runs/run-queue.ts";
import { postgresRunStore } from "../../src/stores/postgres/runs/run-store.ts";
import { RUNS_SCHEMA, RUNS_STEPS } from "../../src/stores/postgres/runs/tables.ts";
import { type Postgres, startPostgres } from "../approvals/postgres.ts";

let postgres: Postgres;
let database: RunDatabase;
let directory: string;
beforeAll(async () => {
  postgres = await startPostgres();
  database = await openRunDatabase(await postgres.database("runs_queue"));
  directory = mkdtempSync(join(tmpdir(), "holdfast-runs-"));
});
afterAll(async () => {
  await database.close();
  await postgres.stop();
  rmSync(directory, { recursive: true, force: true });
});

const storeOn = (on = database) => postgresRunStore({ database: on, directory, leaseTimes: LEASE_TIMES });
const queueOn = (on = database) => postgresRunQueue({ database: on, leaseTimes: LEASE_TIMES });

const REQUEST: QueueRequest = { priority: 0, sessions: 0, resume: {}, notify: null };
const WORKER = { name: "here:1", except: [] };

async function queued(given: Parameters<typeof stored>[1] = {}): Promise<string> {
  const { id, settings } = await stored(storeOn(), given);
  await queueOn().add({ run: id, backend: settings.backend }, REQUEST);
  return id;
}

/** As after a commit whose answer was lost: everything is done once more. */
const twice: () => RunDatabase = () => ({
  ...database,
  async transaction(work) {
    await database.transaction(work);
    return database.transaction(work);
  },
});

const finish = async (taken: TakenRun | undefined) =>
  taken && (await queueOn().finish(taken, { state: "done", reason: "" }));

describe("what PostgreSQL's JSON and texts cannot hold", () => {
  const name = "caf\u0000e \ud800 menu";

  it("is no reason that runs are not found or not queued", async () => {
    const id = await queued({ name, group: "g\u0000h" });
    const found = await storeOn().list({ search: "MENU cafe" });
    expect(found.map((run) => [run.id, run.name])).toEqual([[id, name]]);
    expect(await storeOn().list({ search: "no\u0000where" })).toEqual([]);
    const taken = await queueOn().take(WORKER);
    expect(taken?.entry).toMatchObject({ run: id, backend: "command" });
    if (taken) await queueOn().finish(taken, { state: "failed", reason: "it said \u0000" });
    expect(await queueOn().find(id)).toMatchObject({ state: "failed", reason: "it said " });
  });

  it("was in tables of before without a column for words, and they are taken over", async () => {
    const url = await postgres.database("runs_of_before");
    const client = new pg.Client(url);
    await client.connect();
    await client.query(`create schema ${RUNS_SCHEMA}; set search_path to ${RUNS_SCHEMA}`);
    await migrate(client, RUNS_STEPS.slice(0, 2), RUNS_SCHEMA);
    for (const [id, called] of [
      ["aaaaaa", name],
      ["bbbbbb", "Plain Name"],
    ]) {
      const summary = JSON.stringify({ id, name: called, assignment: null, repo: "shop" });
      await client.query(
        `insert into ${RUNS_SCHEMA}.runs (id, version, bucket, status, is_archived, created_at, cursor, changes, summary, body, origin)
         values ($1, 1, 'shop', 'ready', false, $1, 0, '[]', $2, '{}', '{}')`,
        [id, summary],
      );
    }
    await client.end();
    const before = await openRunDatabase(url);
    const ids = async (search: string) => (await storeOn(before).list({ search })).map(({ id }) => id);
    expect([await ids("plain shop"), await ids("menu")]).toEqual([["bbbbbb"], ["aaaaaa"]]);
    await before.close();
  });
});

describe("the queue of a database", () => {
  it("a worker's repositories are meant as they are called, not as they are kept", async () => {
    const id = await queued({ repo: "My Shop" });
    const taken = await queueOn().take({ ...WORKER, repositories: ["My Shop"] });
    expect(taken?.entry.run).toBe(id);
    await finish(taken);
  });

  it("what is taken or leased is ours, also when the answer was lost and it is done again", async () => {
    const id = await queued();
    const taken = await queueOn(twice()).take(WORKER);
    expect(taken?.entry).toMatchObject({ run: id, takes: 1, state: "taken" });
    await finish(taken);
    const lease = await storeOn(twice()).lease(id);
    expect(lease).toMatchObject({ token: expect.any(String) });
    if ("release" in lease) await lease.release();
  });

  it("one whose worker is gone is cancelled at once; one whose worker lives is told to stop", async () => {
    const id = await queued();
    const taken = await queueOn().take(WORKER);
    expect(await queueOn().cancel(id)).toMatchObject({ state: "taken", isCancelled: true });
    const dead = { ...identityOf(process.pid), pid: spawnSync(process.execPath, ["-e", ""]).pid };
    await database.query("update leases set owner = $2 where run = $1", [id, JSON.stringify(dead)]);
    expect(await queueOn().cancel(id)).toMatchObject({ state: "cancelled", reason: "its worker was gone" });
    await taken?.lease.release();
    expect(await queueOn().take(WORKER)).toBeUndefined();
  });

  it("whether somebody wants a run stopped is asked once at a time, however slow the database is", async () => {
    let asking = 0;
    let most = 0;
    const slow: RunDatabase = {
      ...database,
      async query(text, values) {
        if (!text.includes("stop_by is not null")) return database.query(text, values);
        asking += 1;
        most = Math.max(most, asking);
        await sleep(2_500);
        asking -= 1;
        return [];
      },
    };
    const lease = await storeOn(slow).lease(await queued());
    await sleep(4_000);
    if ("release" in lease) await lease.release();
    expect(most).toBe(1);
  });
});
