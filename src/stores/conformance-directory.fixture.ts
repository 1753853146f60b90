import { describe, expect, it, vi } from "vitest";
import { personOf } from "../approvals/approval.fixture.ts";
import type { StoredChannel } from "../approvals/store.ts";
import { type Pair, unique } from "./store-pair.fixture.ts";

export function peopleRules({ one, other }: Pair): void {
  describe("people", () => {
    it("a person is stored, changed and removed by organisation and id", async () => {
      const organisation = unique("org");
      const ada = personOf("ada", { organisation, name: "Ada <b>", roles: ["approver", "ops"] });
      await one().putPerson(ada);
      expect(await other().person(organisation, "ada")).toEqual(ada);
      expect(await other().person("elsewhere", "ada")).toBeUndefined();
      const renamed = { ...ada, name: "Ada L.", roles: [] };
      await one().putPerson(renamed);
      expect(await other().people(organisation)).toEqual([renamed]);
      expect(await one().removePerson(organisation, "ada")).toBe(true);
      expect(await one().removePerson(organisation, "ada")).toBe(false);
      expect(await other().person(organisation, "ada")).toBeUndefined();
    });

    it("somebody is added once: who is there already stays as they are", async () => {
      const organisation = unique("org");
      const ada = personOf("ada", { organisation, name: "Ada", roles: ["admin"] });
      expect(await one().addPerson(ada)).toBe(true);
      expect(await other().addPerson({ ...ada, name: "Another Ada", roles: [] })).toBe(false);
      expect(await other().people(organisation)).toEqual([ada]);
      expect(await other().addPerson({ ...ada, organisation: unique("org") })).toBe(true);
    });

    it("X-6 an identity means one person in each organisation, and nobody elsewhere", async () => {
      const [acme, globex] = [unique("a-org"), unique("b-org")];
      const identity = unique("slack:U");
      const inAcme = personOf("ada", { organisation: acme });
      const inGlobex = personOf("al", { organisation: globex });
      await one().putPerson(inAcme);
      await one().putPerson(inGlobex);
      await one().linkIdentity(identity, acme, "ada");
      await one().linkIdentity(identity, globex, "al");
      expect(await other().identified(identity, acme)).toEqual(inAcme);
      expect(await other().identified(identity, "elsewhere")).toBeUndefined();
      expect(await other().memberships(identity)).toEqual([inAcme, inGlobex]);
      expect(await other().memberships(unique("slack:U"))).toEqual([]);
    });

    it("an identity linked again means the new person; unlinked, nobody", async () => {
      const organisation = unique("org");
      const identity = unique("feishu:ou");
      await one().putPerson(personOf("a", { organisation }));
      await one().putPerson(personOf("b", { organisation }));
      await one().linkIdentity(identity, organisation, "a");
      await one().linkIdentity(identity, organisation, "b");
      expect((await other().identified(identity, organisation))?.id).toBe("b");
      expect(await one().unlinkIdentity(identity, organisation)).toBe(true);
      expect(await one().unlinkIdentity(identity, organisation)).toBe(false);
      expect(await other().identified(identity, organisation)).toBeUndefined();
    });

    it("the last with a role is neither removed nor given other roles, where it is to be kept", async () => {
      const organisation = unique("org");
      const [ada, bob] = [personOf("ada", { organisation, roles: ["admin"] }), personOf("bob", { organisation })];
      // A name that reads like a role is none.
      await one().putPerson({ ...bob, name: '"admin"' });
      await one().putPerson(personOf("admin", { organisation: unique("org"), roles: ["admin"] }));
      expect(await one().putPerson(ada, "admin")).toBe(true);
      expect(await one().removePerson(organisation, "ada", "admin")).toBe(false);
      expect(await one().putPerson({ ...ada, roles: ["administrator"] }, "admin")).toBe(false);
      expect(await other().person(organisation, "ada")).toEqual(ada);
      expect(await one().putPerson({ ...ada, name: "Ada L." }, "admin")).toBe(true);
      expect(await one().putPerson(personOf("cat", { organisation }), "admin")).toBe(true);
      expect(await one().putPerson({ ...bob, roles: ["x", "admin"] }, "admin")).toBe(true);
      expect(await one().removePerson(organisation, "ada", "admin")).toBe(true);
      expect(await other().removePerson(organisation, "nobody", "admin")).toBe(false);
      expect(await other().removePerson(organisation, "cat", "admin")).toBe(true);
    });

    it("of people who remove, or take the role from, each other at once, one keeps it", async () => {
      for (let round = 0; round < 20; round++) {
        const organisation = unique("org");
        const all = ["a", "b", "c", "d"].map((id) => personOf(id, { organisation, roles: ["admin"] }));
        for (const person of all) await one().putPerson(person);
        await Promise.all(
          all.map((person, index) => {
            const store = index % 2 ? one() : other();
            const { id } = person;
            return index < 2
              ? store.removePerson(organisation, id, "admin")
              : store.putPerson({ ...person, roles: [] }, "admin");
          }),
        );
        const left = (await one().people(organisation)).filter(({ roles }) => roles.includes("admin"));
        expect(left).toHaveLength(1);
      }
    });

    it("whatever is in a name, a role is kept for the last who has it, and others may leave", async () => {
      const organisation = unique("org");
      for (const [id, name] of Object.entries({ a: "Eve \ud83d", b: "nul \u0000 admin", c: 'quoted \\" \u2028' }))
        await one().putPerson(personOf(id, { organisation, name, roles: ["admin"] }));
      expect(await other().removePerson(organisation, "a", "admin")).toBe(true);
      expect(await other().putPerson(personOf("b", { organisation, roles: [] }), "admin")).toBe(true);
      expect(await other().removePerson(organisation, "c", "admin")).toBe(false);
    });

    it("who gets the id of somebody while they are removed has none of their identities", async () => {
      for (let round = 0; round < 20; round++) {
        const organisation = unique("org");
        const identity = unique("oidc:");
        await one().putPerson(personOf("a", { organisation }));
        await one().linkIdentity(identity, organisation, "a");
        const add = round % 2 ? "addPerson" : "putPerson";
        await Promise.all([
          one().removePerson(organisation, "a"),
          other()[add](personOf("a", { organisation, name: "A namesake" })),
        ]);
        const { name } = (await one().person(organisation, "a")) ?? {};
        if (name === "A namesake") expect(await one().memberships(identity)).toEqual([]);
      }
    });

    it("an identity that was linked to somebody who was just removed is not one of who gets their id", async () => {
      const organisation = unique("org");
      for (const add of ["addPerson", "putPerson"] as const) {
        const identity = unique("oidc:");
        await one().linkIdentity(identity, organisation, add);
        await one()[add](personOf(add, { organisation }));
        expect(await other().identified(identity, organisation)).toBeUndefined();
        expect(await other().memberships(identity)).toEqual([]);
        await one().linkIdentity(identity, organisation, add);
        await one().putPerson(personOf(add, { organisation, name: "Renamed" }));
        expect((await other().identified(identity, organisation))?.name).toBe("Renamed");
      }
    });

    it("whoever was removed is nobody, and a namesake who comes later does not inherit their identities", async () => {
      const organisation = unique("org");
      const identity = unique("email:");
      await one().putPerson(personOf("a", { organisation }));
      await one().linkIdentity(identity, organisation, "a");
      await one().removePerson(organisation, "a");
      expect(await other().identified(identity, organisation)).toBeUndefined();
      await one().putPerson(personOf("a", { organisation }));
      expect(await other().identified(identity, organisation)).toBeUndefined();
      expect(await other().memberships(identity)).toEqual([]);
    });
  });
}

export function channelRules({ one, other }: Pair): void {
  const channelOf = (organisation: string, createdAt: string): StoredChannel => ({
    id: unique("channel"),
    organisation,
    type: "slack",
    name: "ops",
    isActive: true,
    sealedConfig: "sealed:abc",
    createdAt,
    updatedAt: createdAt,
  });

  describe("channels", () => {
    it("channels of an organisation come oldest first, are changed in place and removed", async () => {
      const organisation = unique("org");
      const newer = channelOf(organisation, "2026-02-01T00:00:00.000Z");
      const older = channelOf(organisation, "2026-01-01T00:00:00.000Z");
      const elsewhere = channelOf(unique("org"), "2026-01-01T00:00:00.000Z");
      for (const channel of [newer, older, elsewhere]) await one().putChannel(channel);
      expect(await other().channels(organisation)).toEqual([older, newer]);
      const off = { ...older, isActive: false, sealedConfig: "sealed:def" };
      await one().putChannel(off);
      expect(await other().channel(older.id)).toEqual(off);
      expect(await one().removeChannel(older.id)).toBe(true);
      expect(await one().removeChannel(older.id)).toBe(false);
      expect(await other().channels(organisation)).toEqual([newer]);
    });

    it("a channel is changed only over what it was changed from, and never brought back", async () => {
      const first = { ...channelOf(unique("org"), "2026-01-01T00:00:00.000Z"), name: "quotes ' \" \u0000 \u00fc" };
      await one().putChannel(first);
      const [renamed, off] = [
        { ...first, name: "renamed" },
        { ...first, isActive: false },
      ];
      expect(await one().changeChannel(renamed, first)).toBe(true);
      expect(await other().changeChannel(off, first)).toBe(false);
      expect(await other().channel(first.id)).toEqual(renamed);
      await one().removeChannel(first.id);
      expect(await other().changeChannel(off, renamed)).toBe(false);
      expect(await one().channel(first.id)).toBeUndefined();
    });

    it("of many changes from one state of a channel exactly one is stored", async () => {
      const first = channelOf(unique("org"), "2026-01-01T00:00:00.000Z");
      await one().putChannel(first);
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (index % 2 ? one() : other()).changeChannel({ ...first, name: `name ${index}` }, first),
        ),
      );
      expect(results.filter(Boolean)).toHaveLength(1);
      expect((await one().channel(first.id))?.name).toBe(`name ${results.indexOf(true)}`);
    });
  });
}

export function keptRules({ one, other }: Pair): void {
  // An hour: stores each have a clock, and what one rule keeps does not expire while another counts what does.
  const HOUR_MS = 3_600_000;
  const later = () => new Date(one().now().getTime() + HOUR_MS);
  const earlier = () => new Date(one().now().getTime() - HOUR_MS);

  describe("what is kept for a while", () => {
    it("a key is kept once: of many at once one gets true", async () => {
      const key = unique("nonce");
      const got = await Promise.all(
        Array.from({ length: 20 }, (_, index) => (index % 2 ? one() : other()).keepNew(key, `value-${index}`, later())),
      );
      expect(got.filter(Boolean)).toHaveLength(1);
      expect(await other().kept(key)).toBe(`value-${got.indexOf(true)}`);
    });

    it("what has expired is not there, and its key is free again", async () => {
      const key = unique("token");
      await one().keep(key, "old", earlier());
      expect(await other().kept(key)).toBeUndefined();
      expect(await other().take(key)).toBeUndefined();
      await one().keep(key, "old", earlier());
      expect(await other().keepNew(key, "new", later())).toBe(true);
      expect(await one().kept(key)).toBe("new");
    });

    it("keeping again replaces, and taking gives it to one only", async () => {
      const key = unique("token");
      await one().keep(key, "a", later());
      await one().keep(key, "b", later());
      const taken = await Promise.all(
        Array.from({ length: 10 }, (_, index) => (index % 2 ? one() : other()).take(key)),
      );
      expect(taken.filter((value) => value !== undefined)).toEqual(["b"]);
      expect(await one().kept(key)).toBeUndefined();
    });

    it("all that is kept under a beginning of keys is found, what has expired and what only looks alike is not", async () => {
      const prefix = unique("to%ken_");
      await one().keep(`${prefix}:1`, "a", later());
      await other().keep(`${prefix}:2`, "b", later());
      await one().keep(`${prefix}:3`, "c", earlier());
      await one().keep(`${prefix.replace("%", "x").replace("_", "y")}:4`, "d", later());
      const found = [...(await other().keptUnder(`${prefix}:`))].sort((left, right) =>
        left.key.localeCompare(right.key),
      );
      expect(found).toEqual([
        { key: `${prefix}:1`, value: "a" },
        { key: `${prefix}:2`, value: "b" },
      ]);
    });

    it("a counter counts everybody, and starts anew after its window", async () => {
      const key = unique("attempts");
      const counts = await Promise.all(
        Array.from({ length: 20 }, (_, index) => (index % 2 ? one() : other()).count(key, HOUR_MS)),
      );
      expect(counts.sort((left, right) => left - right)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
      const short = unique("attempts");
      expect(await one().count(short, 0)).toBe(1);
      // Two stores measure the database's clock each for itself, and may be some milliseconds apart.
      await vi.waitFor(async () => expect(await other().count(short, HOUR_MS)).toBe(1), 60_000);
      expect(await other().count(short, HOUR_MS)).toBe(2);
    });

    it("a sweep removes what has expired and nothing else", async () => {
      const [old, fresh] = [unique("old"), unique("fresh")];
      await one().keep(old, "x", earlier());
      await one().keep(fresh, "y", later());
      expect(await other().sweep()).toBeGreaterThanOrEqual(1);
      expect(await other().sweep()).toBe(0);
      expect(await one().kept(fresh)).toBe("y");
    });
  });
}

export function settingsRules({ one, other }: Pair): void {
  describe("organisations", () => {
    it("F-42 an organisation may write until its admins say that it may not", async () => {
      const organisation = unique("org");
      expect(await one().settings(organisation)).toEqual({ isReadOnly: false });
      await one().putSettings(organisation, { isReadOnly: true });
      expect(await other().settings(organisation)).toEqual({ isReadOnly: true });
      await one().putSettings(organisation, { isReadOnly: false });
      expect(await other().settings(organisation)).toEqual({ isReadOnly: false });
    });
  });
}
