/** Races and kills, the same on every database that several processes share. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { draftOf, personOf } from "../../src/approvals/approval.fixture.ts";
import { Approvals } from "../../src/approvals/service.ts";
import { openStores } from "../../src/stores/open.ts";
import { allAgree, askMany, race, startRacer } from "./racers.ts";

export function raceRules(url: () => string): void {
  it("X-4 B14-15 of eight processes that all want something of 200 approvals each gets a true answer, and one winner is stored", async () => {
    const stores = await openStores({ url: url() });
    const asked = await askMany(stores, 200);
    const racers = Array.from({ length: 8 }, (_, index) => startRacer(url(), `racer-${index}`, asked));
    await race(racers);
    await Promise.all(racers.map(({ ended }) => ended));
    for (const { said } of racers) {
      expect(said.at(-1)?.did).toBe("end");
      expect(said.filter(({ kind }) => kind === "error")).toEqual([]);
    }
    const found = await allAgree(stores, asked, racers);
    const statuses = new Set(found.map(({ status }) => status));
    expect(statuses.has("pending")).toBe(false);
    expect([...statuses]).toEqual(expect.arrayContaining(["used", "denied", "expired"]));
    await stores.close();
  });

  it("SIGKILL in the middle of changes loses nothing that was told, halves nothing and locks nobody out", async () => {
    const stores = await openStores({ url: url() });
    const asked = await askMany(stores, 100);
    const racers = Array.from({ length: 6 }, (_, index) => startRacer(url(), `victim-${index}`, asked, 1_000));
    await race(racers);
    for (const racer of racers) {
      const before = racers.reduce((sum, { said }) => sum + said.length, 0);
      while (racers.reduce((sum, { said }) => sum + said.length, 0) < before + 40) await sleep(5);
      racer.child.kill("SIGKILL");
      await racer.ended;
    }
    const said = racers.flatMap((racer) => racer.said);
    expect(said.filter(({ kind }) => kind === "done").length).toBeGreaterThan(20);
    await allAgree(stores, asked, racers);

    const approvals = new Approvals(stores);
    const { id } = await approvals.request(draftOf());
    const after = await approvals.vote(id, { person: personOf("ada"), kind: "approve", reason: "", via: "api" });
    expect(after.kind).toBe("done");
    await stores.close();
  });

  it("eight processes that come at once to a store nobody has opened before find one set of tables", async () => {
    // The store's first use is theirs: what they ask about was stored nowhere.
    const racers = Array.from({ length: 8 }, (_, index) => startRacer(url(), `first-${index}`, []));
    await race(racers);
    await Promise.all(racers.map(({ ended }) => ended));
    for (const { said } of racers) expect(said.map(({ did }) => did)).toEqual(["end"]);
  });
}
