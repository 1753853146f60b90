import { describe, expect, it } from "vitest";
import { personOf } from "../approvals/approval.fixture.ts";
import type { Person } from "../approvals/approval.ts";
import { Approvals } from "../approvals/service.ts";
import type { Stores } from "../approvals/store.ts";
import { type Pair, unique } from "./store-pair.fixture.ts";
import { stored } from "./stored-approval.fixture.ts";

export function delegationRules({ one, other }: Pair): void {
  const asked = async () => {
    const organisation = unique("org");
    const [ada, bob] = [personOf("ada", { organisation }), personOf("bob", { organisation, name: "Bob \0 \u00fc" })];
    for (const person of [ada, bob]) await one().putPerson(person);
    return { organisation, ada, bob, first: await stored(one(), { organisation }) };
  };
  const leave = (stores: Stores, { organisation, id }: Person) => stores.removePerson(organisation, id);

  describe("a decision that is handed on", () => {
    it("X-6 is handed on by a member to a member", async () => {
      const { ada, bob, first } = await asked();
      expect(await new Approvals(one()).delegate(first.id, ada, bob)).toMatchObject({ kind: "done" });
      expect((await other().get(first.id))?.delegations).toMatchObject([{ from: "ada", to: "bob" }]);
    });

    it.each(["ada", "bob"] as const)("X-6 stays where it is if %s left, or got other roles, meanwhile", async (who) => {
      const { ada, bob, first, ...people } = await asked();
      const leaver = { ada, bob }[who];
      for (const change of [
        () => other().putPerson({ ...leaver, roles: ["guest"] }),
        () => leave(other(), leaver),
        () => other().putPerson({ ...leaver, organisation: `${people.organisation}-elsewhere` }),
      ]) {
        await change();
        const outcome = await new Approvals(one()).delegate(first.id, ada, bob);
        expect(outcome).toMatchObject({ kind: "refused", code: "not-approver" });
        expect(await other().get(first.id)).toEqual(first);
        expect(await other().history(first.id)).toHaveLength(1);
      }
    });

    it("X-6 of handing on and two removals at once each ends, and what is stored is what was answered", async () => {
      for (let round = 0; round < 10; round++) {
        const { ada, bob, first } = await asked();
        const [outcome, ...haveLeft] = await Promise.all([
          new Approvals(one()).delegate(first.id, ada, bob),
          leave(other(), round % 2 ? ada : bob),
          leave(other(), round % 2 ? bob : ada),
        ]);
        expect(haveLeft).toEqual([true, true]);
        expect((await one().get(first.id))?.delegations).toHaveLength(outcome.kind === "done" ? 1 : 0);
      }
    });

    it("two who hand on to each other at once, while roles are taken from both, never wait for each other", async () => {
      for (let round = 0; round < 10; round++) {
        const { ada, bob, first, organisation } = await asked();
        const second = await stored(one(), { organisation });
        const asAdmin = (person: Person): Person => ({ ...person, roles: ["admin"] });
        const [adaNow, bobNow] = [asAdmin(ada), asAdmin(bob)];
        for (const person of [adaNow, bobNow, asAdmin(personOf("cyd", { organisation }))])
          await one().putPerson(person);
        const outcomes = await Promise.all([
          new Approvals(one()).delegate(first.id, adaNow, bobNow),
          new Approvals(other()).delegate(second.id, bobNow, adaNow),
          one().putPerson({ ...bobNow, roles: [] }, "admin"),
          other().putPerson({ ...adaNow, roles: [] }, "admin"),
        ]);
        expect(outcomes.slice(2)).toEqual([true, true]);
      }
    });
  });
}
