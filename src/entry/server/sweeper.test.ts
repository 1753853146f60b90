import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { draftOf } from "../../approvals/approval.fixture.ts";
import type { Approval } from "../../approvals/approval.ts";
import { Approvals } from "../../approvals/service.ts";
import type { Stores } from "../../approvals/store.ts";
import { memoryStores } from "../../stores/memory.ts";
import { startSweeper } from "./sweeper.ts";

const HOUR_MS = 3_600_000;

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 20_000; Date.now() < end; await sleep(10)) if (await isSo()) return;
  throw new Error("it did not come to that");
}

it("F-24 what is overdue expires by itself, once, with several servers side by side; what is settled stays", async () => {
  let aheadMs = 0;
  const stores = memoryStores({ now: () => new Date(Date.now() + aheadMs) });
  const approvals = new Approvals(stores);
  const sweepers = [1, 2, 3].map(() => startSweeper(stores, new Approvals(stores), () => {}));
  const asked: Approval[] = [];
  for (let count = 0; count < 20; count++)
    asked.push(await approvals.request(draftOf({ policy: { expiresAfterMs: 150 } })));
  // It is settled before it is due, however busy the machine is, and due long before the sweepers look again.
  const settled = await approvals.request(draftOf({ policy: { expiresAfterMs: HOUR_MS } }));
  await approvals.withdraw(settled.id, "not needed", null);
  aheadMs = 2 * HOUR_MS;
  await until(async () =>
    (await Promise.all(asked.map(({ id }) => stores.get(id)))).every((one) => one?.status === "expired"),
  );
  for (const { id } of asked) {
    const history = await stores.history(id);
    expect(history.map(({ action }) => action)).toEqual(["requested", "expired"]);
    expect((await stores.get(id))?.decidedAt).not.toBeNull();
  }
  expect((await stores.get(settled.id))?.status).toBe("withdrawn");
  await Promise.all(sweepers.map((sweeper) => sweeper.close()));
});

it("one that is due sooner than what was waited for is not late: a new approval wakes the sweeper", async () => {
  const stores = memoryStores();
  const approvals = new Approvals(stores);
  await approvals.request(draftOf({ policy: { expiresAfterMs: 600_000 } }));
  const sweeper = startSweeper(stores, approvals, () => {});
  await sleep(150);
  const soon = await approvals.request(draftOf({ policy: { expiresAfterMs: 600_000, remindEveryMs: 50 } }));
  await until(async () => ((await stores.get(soon.id))?.reminders ?? 0) > 1);
  await sweeper.close();
});

it("a sweeper survives a store that fails, and says so", async () => {
  const stores = memoryStores();
  const logged: string[] = [];
  const broken: Stores = { ...stores, due: async () => Promise.reject(new Error("gone")) };
  const sweeper = startSweeper(broken, new Approvals(broken), (line) => void logged.push(line));
  await until(async () => logged.length > 0);
  expect(logged[0]).toContain("gone");
  await sweeper.close();
});
