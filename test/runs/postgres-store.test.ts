import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LEASE_TIMES, type LeaseTimes } from "../../src/runs/files/lease.ts";
import { stored } from "../../src/runs/files/store.fixture.ts";
import { event, next, runStoreConformance, texts } from "../../src/runs/store-conformance.fixture.ts";
import { openRunDatabase, type RunDatabase } from "../../src/stores/postgres/runs/database.ts";
import { postgresRuns } from "../../src/stores/postgres/runs/open.ts";
import { postgresRunStore } from "../../src/stores/postgres/runs/run-store.ts";
import { type Postgres, startPostgres } from "../approvals/postgres.ts";

let postgres: Postgres;
let database: RunDatabase;
let directory: string;

beforeAll(async () => {
  postgres = await startPostgres();
  database = await openRunDatabase(postgres.url);
  directory = mkdtempSync(join(tmpdir(), "holdfast-runs-"));
});
afterAll(async () => {
  await database.close();
  await postgres.stop();
  rmSync(directory, { recursive: true, force: true });
});

const open = (leaseTimes: LeaseTimes = LEASE_TIMES, on = directory) =>
  postgresRunStore({ database, directory: on, leaseTimes });

runStoreConformance(open);

describe("another machine", () => {
  it("has the attachments and the output of a run that was driven elsewhere", async () => {
    const [here, there] = [open(LEASE_TIMES, join(directory, "here")), open(LEASE_TIMES, join(directory, "there"))];
    const run = await stored(here);
    writeFileSync(join(here.directoryOf(run.id), "staged"), "bytes");
    const attachment = { id: "att-1", name: "a.txt", mimeType: "text/plain", bytes: 5, sha256: "5f", addedAt: "" };
    await here.change(next(run, { attachments: [attachment] }), {
      files: [{ from: "staged", to: "attachments/att-1/5f/a.txt" }],
    });
    expect(readFileSync(await there.attachmentFile(run.id, attachment), "utf8")).toBe("bytes");
  });
});

describe("a database that is restarted", () => {
  it("interrupts nothing: what was being written is there once, in order", async () => {
    const runs = await postgresRuns({ url: postgres.url, directory, leaseTimes: LEASE_TIMES });
    const run = await stored(runs.store);
    const writing = Promise.all(
      Array.from({ length: 40 }, async (_, at) => {
        await new Promise((done) => setTimeout(done, at * 25));
        await runs.store.append(run.id, [event(String(at))]);
      }),
    );
    await new Promise((done) => setTimeout(done, 200));
    await postgres.kill();
    await postgres.restart();
    await writing;
    const written = await texts(runs.store, run.id);
    expect(written.map((text) => Number(text.split(" ")[0]))).toEqual(written.map((_, at) => at + 1));
    expect(new Set(written.map((text) => text.split(" ")[1])).size).toBe(40);
    expect(written).toHaveLength(40);
    await runs.close();
  });

  it("a wrong address is said at once, without the password", async () => {
    const opened = openRunDatabase("postgres://holdfast:hunter22@127.0.0.1:1/none");
    await expect(opened).rejects.toThrow(/PostgreSQL at 127.0.0.1:1\/none/);
    await expect(opened).rejects.not.toThrow(/hunter22/);
  });
});
