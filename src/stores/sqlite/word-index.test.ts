import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "libsql";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { draftOf, personOf } from "../../approvals/approval.fixture.ts";
import type { Approval } from "../../approvals/approval.ts";
import { Approvals } from "../../approvals/service.ts";
import type { Stores } from "../../approvals/store.ts";
import { sqliteStores } from "./stores.ts";
import { WordIndex } from "./word-index.ts";

const directory = mkdtempSync(join(tmpdir(), "holdfast-words-"));
afterAll(() => rmSync(directory, { recursive: true }));
let file = "";
let files = 0;
beforeEach(() => {
  file = join(directory, `${++files}.db`);
});

async function denied(stores: Stores, reason: string): Promise<Approval> {
  const approvals = new Approvals(stores);
  const asked = await approvals.request(draftOf());
  await approvals.vote(asked.id, { person: personOf("ada"), kind: "deny", reason, via: "web" });
  return asked;
}

const found = async (stores: Stores, { organisation }: Approval, search: string) =>
  (await stores.list({ organisation, search, limit: 100 })).approvals.map(({ id }) => id);

function raw<Row>(sql: string): Row[] {
  const database = new Database(file);
  const rows = database.prepare(sql).all() as Row[];
  database.close();
  return rows;
}

const wordsInIndex = () => raw<{ words: string }>("select words from approval_words").map(({ words }) => words);

describe("words of a decision", () => {
  it("are found, though whoever stored the decision ended before it put them in", async () => {
    const putIn = vi.spyOn(WordIndex.prototype, "catchUpSoon").mockImplementation(() => {});
    const first = await sqliteStores(file);
    const asked = await denied(first, "unbudgeted");
    await first.close();
    expect(putIn).toHaveBeenCalled();
    putIn.mockRestore();
    expect(wordsInIndex().some((words) => words.includes("unbudgeted"))).toBe(false);
    const second = await sqliteStores(file);
    expect(await found(second, asked, "unbudgeted")).toEqual([asked.id]);
    await second.close();
  });

  it("are all found, of more decisions than are put in at once", async () => {
    const stores = await sqliteStores(file);
    const asked = await Promise.all(Array.from({ length: 120 }, () => denied(stores, "unbudgeted")));
    const [one] = asked as [Approval];
    expect((await found(stores, one, "unbudgeted")).length).toBe(100);
    expect(wordsInIndex().filter((words) => words.includes("unbudgeted")).length).toBe(120);
    await stores.close();
  });

  it("are put in soon, without anybody's search", async () => {
    const stores = await sqliteStores(file);
    await denied(stores, "unbudgeted");
    while (!wordsInIndex().some((words) => words.includes("unbudgeted"))) await sleep(20);
    await stores.close();
  });

  it("cost a search no write while nobody said any, and the way to them stays short", async () => {
    const stores = await sqliteStores(file);
    const asked = await denied(stores, "unbudgeted");
    await found(stores, asked, "anything");
    const mark = () => raw<{ history: number }>("select history from words_put_in")[0]?.history ?? 0;
    const before = mark();
    const { id: approval, organisation } = asked;
    const note = () =>
      stores.note({ approval, organisation, version: 2, at: "", action: "refused", by: null, via: null, detail: {} });
    await note();
    await found(stores, asked, "anything");
    expect(mark()).toBe(before);
    await Promise.all(Array.from({ length: 1_001 }, note));
    await found(stores, asked, "anything");
    expect(mark()).toBe(before + 1_002);
    await stores.close();
  });

  it("that an earlier version of the tables has put in are not put in again", async () => {
    const first = await sqliteStores(file);
    const asked = await denied(first, "unbudgeted");
    await found(first, asked, "unbudgeted");
    await first.close();
    const database = new Database(file);
    database.exec("drop table words_put_in; drop view approval_changes; delete from migrations where version > 1;");
    database.exec(
      "drop trigger approvals_one_open; create index approvals_one_open on approvals (organisation, digest); " +
        "drop trigger approvals_of_initiator; drop index approvals_by_initiator; alter table approvals drop column initiator",
    );
    database.close();
    await (await sqliteStores(file)).close();
    expect(raw("select history - (select max(seq) from history) as behind from words_put_in")).toMatchObject([
      { behind: 0 },
    ]);
  });
});
