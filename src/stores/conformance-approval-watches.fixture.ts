import { describe, expect, it } from "vitest";
import type { Approval } from "../approvals/approval.ts";
import type { Pair } from "./store-pair.fixture.ts";
import { moved, stored, yes } from "./stored-approval.fixture.ts";

export function approvalWatchRules({ one, other }: Pair): void {
  describe("watching", () => {
    it("X-11 a change by another process calls whoever watches that approval", async () => {
      const approval = await stored(one());
      const rung = deferred<readonly [string, Approval | undefined]>();
      const unwatch = await other().watch(approval.id, (changed, news) => rung.resolve([changed, news]));
      await moved(one(), yes(approval));
      const [id, news] = await rung.promise;
      expect(id).toBe(approval.id);
      if (news) expect(news).toEqual(await other().get(id));
      unwatch();
    });

    it("whoever watches all hears of new and of changed approvals", async () => {
      const heard: string[] = [];
      let check = () => {};
      const unwatch = await other().watch(null, (id) => {
        heard.push(id);
        check();
      });
      const until = (id: string) =>
        new Promise<void>((resolve) => {
          check = () => heard.includes(id) && resolve();
          check();
        });
      const approval = await stored(one());
      await until(approval.id);
      heard.length = 0;
      await moved(one(), yes(approval));
      await until(approval.id);
      unwatch();
    });

    it("nobody is called after unwatching", async () => {
      const approval = await stored(one());
      const heard: string[] = [];
      (await other().watch(approval.id, (id) => void heard.push(id)))();
      (await other().watch(null, (id) => void heard.push(id)))();
      const rung = deferred<string>();
      const unwatch = await other().watch(approval.id, (id) => rung.resolve(id));
      await moved(one(), yes(approval));
      await rung.promise;
      expect(heard).toEqual([]);
      unwatch();
    });
  });
}

function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
