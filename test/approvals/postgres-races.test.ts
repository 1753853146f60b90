import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { draftOf, personOf } from "../../src/approvals/approval.fixture.ts";
import { Approvals } from "../../src/approvals/service.ts";
import { openStores } from "../../src/stores/open.ts";
import { type Postgres, startPostgres } from "./postgres.ts";
import { allAgree, askMany, race, startRacer } from "./racers.ts";
import { raceRules } from "./races.ts";

let postgres: Postgres;
let url = "";
let databases = 0;
beforeAll(async () => {
  postgres = await startPostgres();
});
beforeEach(async () => {
  url = await postgres.database(`store_${++databases}`);
});
afterAll(() => postgres?.stop());

const yes = (by: string) => ({ person: personOf(by), kind: "approve", reason: "", via: "api" }) as const;
const FOREVER_MS = 1_000_000;
const never = () => new AbortController().signal;

describe("PostgreSQL among processes", () => raceRules(() => url));

describe("PostgreSQL that fails", () => {
  it("X-11 a decision made while the listening connection was lost wakes its waiter when it is back", async () => {
    const [waiting, deciding] = [await openStores({ url }), await openStores({ url })];
    const { id } = await new Approvals(waiting).request(draftOf());
    const waited = new Approvals(waiting).until(id, ({ status }) => status !== "pending", never(), FOREVER_MS);
    const admin = new pg.Client(url);
    await admin.connect();
    const listening = () =>
      admin.query("select pid from pg_stat_activity where query like 'listen%' and datname = current_database()");
    while ((await listening()).rowCount === 0) await sleep(10);
    await admin.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%' and datname = current_database()",
    );
    expect((await new Approvals(deciding).vote(id, yes("ada"))).kind).toBe("done");
    expect((await waited)?.status).toBe("approved");
    await admin.end();
    await Promise.all([waiting.close(), deciding.close()]);
  });

  it("killed and started again: errors are errors, what was told is kept, and who waited is woken", async () => {
    const stores = await openStores({ url });
    const asked = await askMany(stores, 60);
    const approvals = new Approvals(stores);
    const { id } = await approvals.request(draftOf());
    const waited = approvals.until(id, ({ status }) => status !== "pending", never(), FOREVER_MS);
    const racers = Array.from({ length: 4 }, (_, index) => startRacer(url, `caller-${index}`, asked, 3));
    await race(racers);
    while (racers.some(({ said }) => said.length < 20)) await sleep(5);

    await postgres.kill();
    await expect(approvals.vote(id, yes("ada"))).rejects.toMatchObject({ code: "HF925" });
    await expect(stores.get(id)).rejects.toThrow(/PostgreSQL at 127\.0\.0\.1:\d+\/store_\d+ failed: \S/);
    await expect(openStores({ url })).rejects.toMatchObject({ code: "HF924" });
    await postgres.restart();

    const patient = async () => {
      for (;;) {
        const outcome = await approvals.vote(id, yes("ada")).catch(() => undefined);
        if (outcome) return outcome;
        await sleep(50);
      }
    };
    expect((await patient()).kind).toBe("done");
    expect((await waited)?.status).toBe("approved");
    await Promise.all(racers.map(({ ended }) => ended));
    for (const { said } of racers) expect(said.at(-1)?.did).toBe("end");
    expect(racers.some(({ said }) => said.some(({ kind }) => kind === "error"))).toBe(true);
    await allAgree(stores, asked, racers);
    await stores.close();
  });

  it("a store that is watched and idle survives the loss of every connection, and works on", async () => {
    const stores = await openStores({ url });
    const unwatch = await stores.watch(null, () => {});
    await Promise.all(Array.from({ length: 5 }, () => stores.get("A-none")));
    await postgres.kill();
    await postgres.restart();
    const again = async () => {
      for (;;) {
        try {
          return await stores.get("A-none");
        } catch {
          await sleep(20);
        }
      }
    };
    expect(await again()).toBeUndefined();
    unwatch();
    await stores.close();
  });

  it("clock skew: a machine whose clock is an hour ahead goes by the database's", async () => {
    const real = Date.now;
    const skewed = vi.spyOn(Date, "now").mockImplementation(() => real() + 3_600_000);
    const stores = await openStores({ url });
    expect(Math.abs(stores.now().getTime() - real())).toBeLessThan(60_000);
    const { requestedAt } = await new Approvals(stores).request(draftOf());
    expect(Math.abs(Date.parse(requestedAt) - real())).toBeLessThan(60_000);
    skewed.mockRestore();
    await stores.close();
  });

  it("tables of a newer version are left alone, with HF923", async () => {
    await (await openStores({ url })).close();
    const client = new pg.Client(url);
    await client.connect();
    await client.query("insert into holdfast.migrations (version) values (99)");
    await client.end();
    await expect(openStores({ url })).rejects.toMatchObject({ code: "HF923" });
  });

  it("an address that nobody answers at is HF924, without the password", async () => {
    const refused = openStores({ url: "postgres://me:secret@127.0.0.1:1/nothing" });
    await expect(refused).rejects.toMatchObject({ code: "HF924" });
    await expect(refused).rejects.toThrow(/127\.0\.0\.1:1\/nothing/);
    await expect(refused).rejects.not.toThrow(/secret/);
  });
});
