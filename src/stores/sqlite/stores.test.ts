import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterAll, describe, expect, it } from "vitest";
import { approvalOf, draftOf } from "../../approvals/approval.fixture.ts";
import type { Approval, HistoryEntry } from "../../approvals/approval.ts";
import { Approvals } from "../../approvals/service.ts";
import { storeConformance } from "../conformance.fixture.ts";
import { Bells } from "./bells.ts";
import { SqliteConnection } from "./connection.ts";
import { migrate } from "./migrations.ts";
import { sqliteStores } from "./stores.ts";

const directory = mkdtempSync(join(tmpdir(), "holdfast-sqlite-"));
afterAll(() => rmSync(directory, { recursive: true }));
let files = 0;
const newFile = () => join(directory, `place-${++files}`, "approvals.db");
const modeOf = (path: string) => statSync(path).mode & 0o777;

storeConformance("SQLite", () => sqliteStores(join(directory, "approvals.db")));

describe("a SQLite store", () => {
  it("is for its owner only: the file, what SQLite lays beside it, the bells and the directory", async () => {
    const file = newFile();
    const stores = await sqliteStores(file);
    await new Approvals(stores).request(draftOf());
    expect(modeOf(join(file, ".."))).toBe(0o700);
    for (const suffix of ["", "-wal", "-shm"]) expect(modeOf(`${file}${suffix}`)).toBe(0o600);
    expect(modeOf(`${file}.bells`)).toBe(0o700);
    expect(modeOf(join(`${file}.bells`, "rung"))).toBe(0o600);
    await stores.close();
  });

  it("takes back a file that others could read", async () => {
    const file = newFile();
    mkdirSync(join(file, ".."));
    writeFileSync(file, "", { mode: 0o644 });
    await (await sqliteStores(file)).close();
    expect(modeOf(file)).toBe(0o600);
  });

  it("keeps everything when it is closed and opened again", async () => {
    const file = newFile();
    const first = await sqliteStores(file);
    const approval = await new Approvals(first).request(draftOf());
    await first.close();
    const second = await sqliteStores(file);
    expect(await second.get(approval.id)).toEqual(approval);
    await second.close();
  });

  it("stores all that a change says of itself, in its order, or nothing of it", async () => {
    const stores = await sqliteStores(newFile());
    const asked = await new Approvals(stores).request(draftOf());
    const entry = (detail: number): HistoryEntry => ({
      ...{ approval: asked.id, organisation: asked.organisation, version: 2, at: "2026-01-01T00:00:00.000Z" },
      ...{ action: "reminded", by: null, via: null, detail: { detail, text: "\u0000 'ü' \ud800" } },
    });
    const long = [1, 2, 3, 4].map(entry);
    const next: Approval = { ...asked, version: 2 };
    expect(await stores.change(next, long)).toBe(true);
    expect((await stores.history(asked.id)).slice(1)).toEqual(long);
    expect(await stores.change(next, [entry(5)])).toBe(false);
    expect(await stores.change(next, [5, 6, 7].map(entry))).toBe(false);
    expect(await stores.change({ ...asked, version: 3 }, [])).toBe(true);
    expect((await stores.history(asked.id)).slice(1)).toEqual(long);
    await stores.close();
  });

  it("rings nobody's bell without harm: a change is stored though the bells cannot be written", async () => {
    const file = newFile();
    const stores = await sqliteStores(file);
    writeFileSync(`${file}.bells`, "a file where the directory should be");
    const approvals = new Approvals(stores);
    const { id } = await approvals.request(draftOf());
    const waited = approvals.until(id, ({ status }) => status !== "pending", new AbortController().signal, 5);
    await approvals.withdraw(id, "", null);
    expect((await waited)?.status).toBe("withdrawn");
    await stores.close();
  });

  it("X-11 a yes that somebody wrote into the bells lets nothing run, and does not become the stored one", async () => {
    const file = newFile();
    const stores = await sqliteStores(file);
    const approvals = new Approvals(stores);
    const { approval, history } = approvalOf();
    await stores.insert(approval, history);
    const waiting = approvals.until(approval.id, ({ status }) => status !== "pending", new AbortController().signal);
    await stores.watch(approval.id, () => {});
    new Bells(`${file}.bells`).ring(approval, JSON.stringify({ ...approval, status: "approved" }));
    await waiting;
    const use = { digest: approval.digest, eventId: "e1" };
    expect(await approvals.use(approval.id, use)).toMatchObject({ kind: "refused" });
    expect(await stores.get(approval.id)).toEqual(approval);
    await stores.close();
  });

  it("X-11 news of another approval wakes nobody who waits for this one", async () => {
    const file = newFile();
    const stores = await sqliteStores(file);
    const approvals = new Approvals(stores);
    const { approval, history } = approvalOf();
    await stores.insert(approval, history);
    const controller = new AbortController();
    const waiting = approvals.until(approval.id, ({ status }) => status !== "pending", controller.signal);
    await stores.watch(approval.id, () => setTimeout(() => controller.abort(), 100));
    const other = { ...approval, id: "A-other", status: "approved" };
    new Bells(`${file}.bells`).ring(approval, JSON.stringify(other));
    expect(await waiting).toMatchObject({ id: approval.id, status: "pending" });
    await stores.close();
  });

  it("waits for another's lock without standing still, and then writes", async () => {
    const file = newFile();
    const stores = await sqliteStores(file);
    const other = await SqliteConnection.open(file);
    other.script("begin immediate");
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 1);
    const asked = new Approvals(stores).request(draftOf());
    while (ticks < 5) await new Promise((resolve) => setTimeout(resolve, 5));
    other.script("commit");
    expect((await stores.get((await asked).id))?.status).toBe("pending");
    clearInterval(ticking);
    other.close();
    await stores.close();
  });

  it("writes wanted at once are each stored or refused by themselves", async () => {
    const connection = await SqliteConnection.open(join(directory, "together.db"));
    connection.script("create table t (a text not null unique)");
    const add = (value: string | null) => connection.write(() => connection.run("insert into t values (?)", value));
    const answers = await Promise.allSettled([add("x"), add(null), add("y"), add("x"), add("z")]);
    expect(answers.map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    expect(connection.all("select a from t order by a")).toEqual([{ a: "x" }, { a: "y" }, { a: "z" }]);
    connection.close();
  });

  it("is refused with HF923 when a newer version made it, and stays as it was", async () => {
    const file = newFile();
    await (await sqliteStores(file)).close();
    const database = new Database(file);
    database.exec("insert into migrations values (99, 'tomorrow')");
    database.close();
    await expect(sqliteStores(file)).rejects.toMatchObject({ code: "HF923" });
  });

  it("is refused with HF924 when the file is something else, or no file can be there", async () => {
    const file = newFile();
    mkdirSync(join(file, ".."));
    writeFileSync(file, "This is a letter, and quite a long one, not a database at all.".repeat(50));
    await expect(sqliteStores(file)).rejects.toMatchObject({ code: "HF924" });
    await expect(sqliteStores(join(file, "below", "approvals.db"))).rejects.toMatchObject({ code: "HF924" });
    expect(existsSync(join(file, "below"))).toBe(false);
  });

  it("a step that fails is taken back whole, and the next attempt makes it", async () => {
    const connection = await SqliteConnection.open(join(directory, "steps.db"));
    const good = "create table one (a text);";
    await migrate(connection, "steps.db", [good]);
    await expect(migrate(connection, "steps.db", [good, "create table two (a text); nonsense;"])).rejects.toThrow();
    expect(connection.all("select name from sqlite_master where name = 'two'")).toEqual([]);
    await migrate(connection, "steps.db", [good, "create table two (a text);"]);
    expect(connection.all("select version from migrations order by version")).toEqual([{ version: 1 }, { version: 2 }]);
    connection.close();
  });
});
