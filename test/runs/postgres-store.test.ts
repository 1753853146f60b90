import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outputFileOf } from "../../src/runs/files/attempt-file.ts";
import { LEASE_TIMES, type LeaseTimes } from "../../src/runs/files/lease.ts";
import { identityOf } from "../../src/runs/files/process-identity.ts";
import { summaryOf } from "../../src/runs/files/run-index.ts";
import { stored } from "../../src/runs/files/store.fixture.ts";
import type { Run } from "../../src/runs/run.ts";
import type { AttemptState, RunStore } from "../../src/runs/store.ts";
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

  const result: AttemptState["result"] = {
    ...{ exitCode: 0, signal: null, isTimedOut: false, isAborted: false, session: "s" },
    ...{ transcript: "done", stdout: "o", stderr: "e", isSessionUnknown: false },
  };
  const print = (store: RunStore, run: string, text: string) => {
    const file = outputFileOf(store.directoryOf(run), 1);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  const outputOf = async (store: RunStore, run: string) => {
    const output = await store.attemptOutput(run, 1);
    return output && { text: readFileSync(output.file, "utf8"), lostBytes: output.lostBytes };
  };
  const machines = () =>
    ["here", "there"].map((name) => open(LEASE_TIMES, join(directory, name))) as [RunStore, RunStore];

  it("has the end of a long output; the machine that made it keeps the whole, and knows so", async () => {
    const [here, there] = machines();
    const run = await stored(here);
    const text = `${"beginning ".repeat(600_000)}end`;
    print(here, run.id, text);
    await here.writeAttempt(run.id, { number: 1, prompt: "go", process: null, result });
    expect(await outputOf(there, run.id)).toEqual({
      text: text.slice(-4 * 1024 * 1024),
      lostBytes: 6_000_003 - 4_194_304,
    });
    const kept = await outputOf(here, run.id);
    expect([kept?.text === text, kept?.lostBytes]).toEqual([true, 0]);
    expect(readFileSync(outputFileOf(here.directoryOf(run.id), 1), "utf8") === text).toBe(true);
  });

  it("shows nothing of an attempt that a reset undid elsewhere, or that another machine is making", async () => {
    const [here, there] = machines();
    const run = await stored(here);
    print(there, run.id, "of before");
    await there.writeAttempt(run.id, { number: 1, prompt: "go", process: null, result });
    await here.change(next(run), { files: [{ remove: "attempts" }] });
    expect(await outputOf(there, run.id)).toBeUndefined();
    const elsewhere = { pid: 1, startedAt: null, scope: "another/machine" };
    await here.writeAttempt(run.id, { number: 1, prompt: "go", process: elsewhere, result: null });
    expect(await outputOf(there, run.id)).toBeUndefined();
    await here.writeAttempt(run.id, { number: 1, prompt: "go", process: identityOf(process.pid), result: null });
    print(here, run.id, "as it grows");
    expect(await outputOf(here, run.id)).toEqual({ text: "as it grows", lostBytes: 0 });
  });
});

describe("a worker of an older version, which knows nothing of later columns", () => {
  /** As it writes, word for word. */
  const writesAttempt = (run: string, output: Buffer) =>
    database.query(
      `insert into attempts (run, number, body, output) values ($1, 1, $2, $3)
       on conflict (run, number) do update set body = excluded.body, output = excluded.output`,
      [run, JSON.stringify({ number: 1, prompt: "go", process: null, result: {} }), output],
    );
  const changesRun = (run: Run) =>
    database.query("update runs set version = $2, summary = $3, body = $4 where id = $1", [
      ...[run.id, run.version, JSON.stringify(summaryOf(run)), JSON.stringify(run)],
    ]);
  const outputOf = async (run: string) => {
    const output = await open().attemptOutput(run, 1);
    return output && { text: readFileSync(output.file, "utf8"), lostBytes: output.lostBytes };
  };

  it("leaves outputs that are shown, also those of an attempt that a reset had undone before", async () => {
    const run = await stored(open());
    await writesAttempt(run.id, Buffer.from("of before"));
    expect(await outputOf(run.id)).toEqual({ text: "of before", lostBytes: 0 });
    await open().change(next(run), { files: [{ remove: "attempts" }] });
    await writesAttempt(run.id, Buffer.from("of after"));
    expect(await outputOf(run.id)).toEqual({ text: "of after", lostBytes: 0 });
  });

  it("leaves outputs of which it is known that they were cut", async () => {
    const run = await stored(open());
    await writesAttempt(run.id, Buffer.alloc(4 * 1024 * 1024, "x"));
    expect((await outputOf(run.id))?.lostBytes).toBeGreaterThan(0);
  });

  it("leaves runs that are found by the words they have now, and by those of nothing else", async () => {
    const group = `older-${Math.random()}`;
    const found = async (search: string) => (await open().list({ group, search })).map(({ id }) => id);
    const run = await stored(open(), { group, name: "Ringed plover" });
    const renamed = next(run, { name: "Curlew" });
    await changesRun(renamed);
    expect(await found("curlew")).toEqual([run.id]);
    expect(await found("plover")).toEqual([]);
    expect(await found("isArchived")).toEqual([]);
    await open().change(next(renamed, { name: "Dunlin" }));
    expect(await found("dunlin")).toEqual([run.id]);
    const strange = next(next(renamed), { name: "Knot\u0000 and \ud83d" });
    await changesRun(strange);
    expect(await found("knot")).toEqual([run.id]);
    expect(await found("dunlin")).toEqual([]);
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
