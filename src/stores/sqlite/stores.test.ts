import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { RightLost } from "../../approvals/actor.ts";
import { approvalOf, draftOf, personOf } from "../../approvals/approval.fixture.ts";
import type { Approval, HistoryEntry } from "../../approvals/approval.ts";
import { Approvals } from "../../approvals/service.ts";
import { storeConformance } from "../conformance.fixture.ts";
import { approvalColumns } from "../sql/approval-row.ts";
import { Bells } from "./bells.ts";
import { SqliteConnection } from "./connection.ts";
import { migrate, STEPS } from "./migrations.ts";
import { sqliteStores } from "./stores.ts";

const directory = mkdtempSync(join(tmpdir(), "holdfast-sqlite-"));
afterAll(() => rmSync(directory, { recursive: true }));
let files = 0;
const newFile = () => join(directory, `place-${++files}`, "approvals.db");
const ringOnce = (file: string, approval: Approval, body: Approval) => {
  const bells = new Bells(`${file}.bells`);
  bells.ring(approval, JSON.stringify(body));
  bells.close();
};
/** As a process does that knows no column for the initiator. */
const insertAsBefore = (connection: SqliteConnection, approval: Approval, id = approval.id) => {
  const { initiator: _, ...columns } = { ...approvalColumns(approval), id };
  const names = Object.keys(columns);
  connection.run(
    `insert into approvals (${names.join(", ")}) values (${names.map(() => "?")})`,
    ...Object.values(columns),
  );
};
const HOLD_FOR_EVER = `
  const held = new (require("libsql"))(process.argv[1]);
  held.exec("begin immediate");
  process.stdout.write("held");
  setInterval(() => {}, 1000);
`;
const modeOf = (path: string) => statSync(path).mode & 0o777;

storeConformance("SQLite", () => sqliteStores(join(directory, "approvals.db")));

describe("a SQLite store", () => {
  it("is for its owner only: the file, what SQLite lays beside it, the bells and the directory", async () => {
    const file = newFile();
    const stores = await sqliteStores(file);
    await new Approvals(stores).request(draftOf());
    await stores.putPerson(personOf("ada"));
    expect(modeOf(join(file, ".."))).toBe(0o700);
    for (const suffix of ["", "-wal", "-shm", ".people"]) expect(modeOf(`${file}${suffix}`)).toBe(0o600);
    expect(modeOf(`${file}.bells`)).toBe(0o700);
    expect(modeOf(join(`${file}.bells`, "rung"))).toBe(0o600);
    await stores.close();
  });

  it("changes people again once a process that held somebody's right was killed", async () => {
    const file = newFile();
    const stores = await sqliteStores(file);
    onTestFinished(() => stores.close());
    const ada = personOf("ada");
    await stores.putPerson(ada);
    const holder = spawn(process.execPath, ["-e", HOLD_FOR_EVER, `${file}.people`]);
    await once(holder.stdout, "data");
    let isChanged = false;
    const changed = stores.putPerson({ ...ada, roles: [] }).then(() => {
      isChanged = true;
    });
    await new Promise((done) => setTimeout(done, 100));
    expect(isChanged).toBe(false);
    holder.kill("SIGKILL");
    await changed;
    expect((await stores.person(ada.organisation, "ada"))?.roles).toEqual([]);
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

  it("X-6 has what an admin changes wait for their removal that is under way, and refuses it", async () => {
    const file = newFile();
    const [stores, other] = [await sqliteStores(file), new Database(file)];
    onTestFinished(async () => {
      other.close();
      await stores.close();
    });
    const bob = personOf("bob", { organisation: "acme", roles: ["admin"] });
    await stores.putPerson(bob);
    other.exec("begin immediate; delete from people where id = 'bob'");
    const asked = stores.by({ organisation: "acme", id: "bob", roles: ["admin"] }).putPerson({ ...bob, id: "eve" });
    const answered = asked.catch((error: unknown) => error);
    // Whoever reads finds him there still.
    expect(await stores.person("acme", "bob")).toEqual(bob);
    other.exec("commit");
    expect(await answered).toBeInstanceOf(RightLost);
    expect(await stores.people("acme")).toEqual([]);
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
    ringOnce(file, approval, { ...approval, status: "approved" });
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
    const other: Approval = { ...approval, id: "A-other", status: "approved" };
    ringOnce(file, approval, other);
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

  it("keeps one open approval a call in a file that was made before, under a process that has it open", async () => {
    const file = newFile();
    const before = await SqliteConnection.open(file);
    await migrate(before, file, STEPS.slice(0, 3));
    const { approval } = approvalOf();
    insertAsBefore(before, approval);
    const stores = await sqliteStores(file);
    const again = approvalOf({ digest: approval.digest });
    expect(await stores.insert(again.approval, again.history)).toEqual({ stored: false, approval });
    expect(() => insertAsBefore(before, approval, "A-copy")).toThrow("there is an open approval of this call");
    expect(await stores.change({ ...approval, version: 2, status: "denied" }, [])).toBe(true);
    insertAsBefore(before, approval, "A-copy");
    expect((await stores.byDigest(approval.organisation, approval.digest))?.id).toBe(approval.id);
    const { organisation } = approval;
    const listed = await stores.list({ organisation, initiator: approval.call.initiator, limit: 9 });
    expect(listed.approvals.map(({ id }) => id)).toEqual([approval.id, approval.id]);
    before.close();
    await stores.close();
  });

  it("finds what an older process asks, by whom it was asked, and does not ask it twice", async () => {
    const file = newFile();
    const before = await SqliteConnection.open(file);
    await migrate(before, file, STEPS.slice(0, 4));
    const stores = await sqliteStores(file);
    for (const initiator of ["ina", "nul\0", null]) {
      const { approval } = approvalOf({ call: { initiator } });
      insertAsBefore(before, approval);
      const again = approvalOf({ digest: approval.digest, call: { initiator } });
      expect(await stores.insert(again.approval, again.history)).toEqual({ stored: false, approval });
      const { organisation, digest } = approval;
      expect(await stores.byDigest(organisation, digest, { agent: approval.call.agent, initiator })).toEqual(approval);
      const other = approvalOf({ digest, call: { initiator: "another" } });
      expect(await stores.insert(other.approval, other.history)).toMatchObject({ stored: true });
    }
    before.close();
    await stores.close();
  });

  it("opens a file that was made before, whatever stands in its calls, and knows whose each question was", async () => {
    const file = newFile();
    const before = await SqliteConnection.open(file);
    await migrate(before, file, STEPS.slice(0, 4));
    const deep = JSON.parse(`${"[".repeat(1_500)}${"]".repeat(1_500)}`);
    const inputs = [{ deep }, { lone: "\ud83d" }, { nul: "\0" }];
    const asked = inputs.map(
      (input) => approvalOf({ organisation: "acme", call: { initiator: "ina", input } }).approval,
    );
    for (const approval of asked) insertAsBefore(before, approval);
    before.close();
    const stores = await sqliteStores(file);
    const { approvals } = await stores.list({ organisation: "acme", initiator: "ina", limit: 9 });
    expect(approvals.map(({ id }) => id).toReversed()).toEqual(asked.map(({ id }) => id));
    for (const call of [
      { initiator: "ina", input: { deep } },
      { initiator: null, input: { deep } },
    ]) {
      const { approval, history } = approvalOf({ organisation: "acme", call });
      expect(await stores.insert(approval, history)).toEqual({ stored: true, approval });
      expect(await stores.insert(approval, history)).toEqual({ stored: false, approval });
    }
    await stores.close();
  });

  it("looks through all that one person ever asked only where nothing else is asked for", async () => {
    const file = newFile();
    const stores = await sqliteStores(file);
    const database = new Database(file);
    const executed = vi.spyOn(SqliteConnection.prototype, "execute");
    onTestFinished(() => executed.mockRestore());
    const indexesOf = async (read: Promise<unknown>) => {
      await read;
      const plans = executed.mock.calls.splice(0).flatMap(([text, parameters]) => {
        const steps = database.prepare(`explain query plan ${text}`).all(parameters) as { detail: string }[];
        return steps.flatMap(({ detail }) => /INDEX (\w+)/.exec(detail)?.[1] ?? detail);
      });
      return [...new Set(plans)];
    };
    for (const initiator of ["ina", null]) {
      const own = { organisation: "acme", initiator, limit: 9 };
      const asker = { agent: "coder", initiator };
      expect(await indexesOf(stores.byDigest("acme", "digest", asker))).toEqual(["approvals_by_digest"]);
      expect(await indexesOf(stores.list({ ...own, statuses: ["pending"] }))).toEqual(["approvals_by_status"]);
      expect(await indexesOf(stores.list({ ...own, session: "s" }))).toEqual(["approvals_by_session"]);
      expect(await indexesOf(stores.list({ ...own, sessionTree: "s" }))).not.toContain("approvals_by_initiator");
      expect(await indexesOf(stores.list(own))).toEqual(["approvals_by_initiator"]);
    }
    database.close();
    await stores.close();
  });

  it("changes no index of digests with a decision: whoever waits would wait for it", async () => {
    const file = newFile();
    const stores = await sqliteStores(file);
    const database = new Database(file);
    const partial =
      "select name from sqlite_master where type = 'index' and sql like '%digest%' and sql like '%status%'";
    expect(database.prepare(partial).all()).toEqual([]);
    database.close();
    await stores.close();
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
