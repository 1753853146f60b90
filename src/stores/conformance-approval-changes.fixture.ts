import { describe, expect, it } from "vitest";
import { approvalOf, personOf } from "../approvals/approval.fixture.ts";
import type { Approval, HistoryEntry } from "../approvals/approval.ts";
import { expire, use, vote, withdraw } from "../approvals/transition.ts";
import { type Pair, unique } from "./store-pair.fixture.ts";
import { changedBy, moved, stored, yes } from "./stored-approval.fixture.ts";

export function approvalChangeRules({ one, other }: Pair): void {
  describe("approvals", () => {
    it("what was stored comes back whole, in another connection too", async () => {
      const { approval, history } = approvalOf({
        reason: `quotes ' " \\ and ; -- and <b>markup</b>`,
        call: { tool: "mcp__x__写", input: { text: "a\u0000b \ud83d\ude00 \ud800 end", deep: [1, null, { a: 1.5 }] } },
        policy: { escalation: { afterMs: 5, people: ["e"], roles: [], channel: null } },
      });
      expect(await one().insert(approval, history)).toEqual({ stored: true, approval });
      expect(await other().get(approval.id)).toEqual(approval);
      expect(await other().history(approval.id)).toEqual(history);
    });

    it("an approval nobody stored is undefined, with no history", async () => {
      expect(await one().get("A-none")).toBeUndefined();
      expect(await one().byDigest("personal", unique("call"))).toBeUndefined();
      expect(await one().history("A-none")).toEqual([]);
    });

    it("F-16 the same call asked twice while pending is one approval", async () => {
      const first = await stored(one());
      const again = approvalOf({ digest: first.digest });
      expect(await other().insert(again.approval, again.history)).toEqual({ stored: false, approval: first });
      expect(await one().get(again.approval.id)).toBeUndefined();
      expect(await one().history(again.approval.id)).toEqual([]);
    });

    it("X-3 a yes that was not used is found by the same call, a used one is not", async () => {
      const first = await stored(one());
      const approved = await moved(one(), yes(first));
      const again = approvalOf({ digest: first.digest });
      expect(await other().insert(again.approval, again.history)).toEqual({ stored: false, approval: approved });
      await moved(one(), changedBy(use(approved, { digest: first.digest, eventId: "e" }, new Date())));
      expect((await other().insert(again.approval, again.history)).stored).toBe(true);
      expect((await one().byDigest("personal", first.digest))?.id).toBe(again.approval.id);
    });

    it.each([
      [
        "denied",
        (approval: Approval) =>
          vote(approval, { person: personOf("a"), kind: "deny", reason: "", via: "web" }, new Date()),
      ],
      ["expired", (approval: Approval) => expire(approval, new Date(Date.parse(approval.expiresAt)))],
      ["withdrawn", (approval: Approval) => withdraw(approval, "gone", null, new Date())],
    ])("a call whose approval is %s may be asked about anew", async (status, step) => {
      const first = await stored(one());
      expect((await moved(one(), changedBy(step(first)))).status).toBe(status);
      expect((await stored(other(), { digest: first.digest })).id).not.toBe(first.id);
    });

    it("of many who ask about one call at once, one is stored and all get it", async () => {
      const digest = unique("call");
      const asked = await Promise.all(
        Array.from({ length: 20 }, (_, index) => {
          const { approval, history } = approvalOf({ digest });
          return (index % 2 ? one() : other()).insert(approval, history);
        }),
      );
      expect(asked.filter((answer) => answer.stored)).toHaveLength(1);
      expect(new Set(asked.map(({ approval }) => approval.id)).size).toBe(1);
    });

    it("organisations are kept apart: the same digest elsewhere is another approval", async () => {
      const mine = await stored(one(), { organisation: "acme" });
      const theirs = await stored(one(), { organisation: "globex", digest: mine.digest });
      expect((await one().byDigest("acme", mine.digest))?.id).toBe(mine.id);
      expect((await one().byDigest("globex", mine.digest))?.id).toBe(theirs.id);
    });

    it("X-4 a change is stored only over the version it was made from, with its history", async () => {
      const first = await stored(one());
      const made = yes(first);
      expect(await one().change(made.approval, made.history)).toBe(true);
      const late = changedBy(withdraw(first, "too late", null, new Date()));
      expect(await other().change(late.approval, late.history)).toBe(false);
      expect(await other().get(first.id)).toEqual(made.approval);
      expect((await other().history(first.id)).map(({ action }) => action)).toEqual(["requested", "voted", "approved"]);
    });

    it("a change of what is not there is refused", async () => {
      const { approval } = approvalOf();
      const made = yes(approval);
      expect(await one().change(made.approval, made.history)).toBe(false);
      expect(await one().history(approval.id)).toEqual([]);
    });

    it("X-4 of many changes from one version exactly one is stored", async () => {
      const first = await stored(one());
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) => {
          const made = yes(first, `person-${index}`);
          return (index % 2 ? one() : other()).change(made.approval, made.history);
        }),
      );
      expect(results.filter(Boolean)).toHaveLength(1);
      expect((await one().get(first.id))?.votes).toHaveLength(1);
      expect(await one().history(first.id)).toHaveLength(3);
    });

    it("X-6 a vote is stored only while its voter is there, as they were read", async () => {
      const organisation = unique("org");
      const ada = personOf("ada", { organisation, name: "Ada \u00fc", roles: ["approver", "ops"] });
      await one().putPerson(ada);
      const first = await stored(one(), { organisation });
      const made = yes(first);
      await other().putPerson({ ...ada, roles: [] });
      expect(await one().change(made.approval, made.history, [ada])).toBe("members");
      await other().removePerson(organisation, "ada");
      expect(await one().change(made.approval, made.history, [ada])).toBe("members");
      expect(await one().get(first.id)).toEqual(first);
      expect(await one().history(first.id)).toHaveLength(1);
      await other().putPerson(ada);
      expect(await one().change(made.approval, made.history, [ada])).toBe(true);
      expect(await other().change(made.approval, made.history, [ada])).toBe(false);
      expect(await one().history(first.id)).toHaveLength(3);
    });

    it("X-6 of a vote and the removal of its voter at once, each ends, and what is stored is what was answered", async () => {
      for (let round = 0; round < 10; round++) {
        const organisation = unique("org");
        const ada = personOf("ada", { organisation, roles: ["admin"] });
        await one().putPerson(ada);
        await one().putPerson(personOf("bob", { organisation, roles: ["admin"] }));
        const first = await stored(one(), { organisation });
        const made = yes(first);
        let isRemoved = false;
        const [answer] = await Promise.all([
          one().change(made.approval, made.history, [ada]),
          other()
            .removePerson(organisation, "ada", "admin")
            .then(() => {
              isRemoved = true;
            }),
        ]);
        expect(isRemoved).toBe(true);
        expect((await one().get(first.id))?.status).toBe(answer === true ? "approved" : "pending");
        expect([true, "members"]).toContain(answer);
      }
    });

    it("what changes nothing is noted in order, and leaves the approval as it is", async () => {
      const first = await stored(one());
      const entry: HistoryEntry = {
        approval: first.id,
        organisation: first.organisation,
        version: 1,
        at: new Date().toISOString(),
        action: "refused",
        by: "eve",
        via: "web",
        detail: { code: "not-approver" },
      };
      await other().note(entry);
      expect((await one().history(first.id)).at(-1)).toEqual(entry);
      expect(await one().get(first.id)).toEqual(first);
    });

    it("B14-16 what happened outlives the channel and the people it names", async () => {
      const organisation = unique("org");
      const channel = unique("channel");
      await one().putPerson(personOf("ada", { organisation }));
      const at = new Date().toISOString();
      await one().putChannel({
        id: channel,
        organisation,
        type: "slack",
        name: "ops",
        isActive: true,
        sealedConfig: "",
        createdAt: at,
        updatedAt: at,
      });
      const decided = await moved(one(), yes(await stored(one(), { organisation, channel })));
      await one().removeChannel(channel);
      await one().removePerson(organisation, "ada");
      expect(await other().get(decided.id)).toEqual(decided);
      expect((await other().history(decided.id)).map(({ by }) => by)).toEqual(["ina", "ada", "ada"]);
    });

    it("the time of the store is near this machine's", () => {
      expect(Math.abs(one().now().getTime() - Date.now())).toBeLessThan(60_000);
    });
  });
}
