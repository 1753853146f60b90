import { describe, expect, it } from "vitest";
import { type Actor, RightLost } from "../approvals/actor.ts";
import { personOf } from "../approvals/approval.fixture.ts";
import type { Person } from "../approvals/approval.ts";
import { Approvals } from "../approvals/service.ts";
import type { DirectoryWrites, StoredChannel, Stores } from "../approvals/store.ts";
import { type Pair, unique } from "./store-pair.fixture.ts";
import { stored } from "./stored-approval.fixture.ts";

const later = () => new Date(Date.now() + 3_600_000);

/** In the organisation: bob, on whose word things are done, ada and eve, and one of everything. */
async function world(stores: Stores) {
  const organisation = unique("org");
  const admin = (id: string): Person => personOf(id, { organisation, name: `${id} \0 ü`, roles: ["x", "admin"] });
  const [ada, bob] = [admin("ada"), admin("bob")];
  const eve = personOf("eve", { organisation, roles: [] });
  for (const person of [ada, bob, eve]) await stores.putPerson(person);
  const [known, unknown] = [unique("slack:U"), unique("slack:U")];
  await stores.linkIdentity(known, organisation, "eve");
  const channel: StoredChannel = {
    id: unique("channel"),
    organisation,
    type: "slack",
    name: "ops",
    isActive: true,
    sealedConfig: "sealed:abc",
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:00.000Z",
  };
  await stores.putChannel(channel);
  const keys = `${organisation}:`;
  await stores.keep(`${keys}token`, "a token", later());
  const actor: Actor = { organisation, id: "bob", roles: ["admin"] };
  return { organisation, ada, bob, eve, known, unknown, channel, keys, actor };
}
type World = Awaited<ReturnType<typeof world>>;

const WRITES: { readonly [Name in keyof DirectoryWrites]: (to: DirectoryWrites, world: World) => Promise<unknown> } = {
  putPerson: (to, { eve }) => to.putPerson({ ...eve, roles: ["admin"] }, "admin"),
  addPerson: (to, { eve, unknown }) => to.addPerson({ ...eve, id: "new" }, unknown),
  removePerson: (to, { organisation }) => to.removePerson(organisation, "eve", "admin"),
  linkIdentity: (to, { unknown, organisation }) => to.linkIdentity(unknown, organisation, "eve"),
  unlinkIdentity: (to, { known, organisation }) => to.unlinkIdentity(known, organisation),
  putChannel: (to, { channel }) => to.putChannel({ ...channel, id: `${channel.id}-new` }),
  changeChannel: (to, { channel }) => to.changeChannel({ ...channel, isActive: false }, channel),
  removeChannel: (to, { channel }) => to.removeChannel(channel.id),
  keep: (to, { keys }) => to.keep(`${keys}new`, "another token", later()),
  take: (to, { keys }) => to.take(`${keys}token`),
  putSettings: (to, { organisation }) => to.putSettings(organisation, { isReadOnly: true }),
};
const CASES = Object.entries(WRITES);

/** All but bob: he is what changes meanwhile. */
async function stateOf(stores: Stores, { organisation, known, unknown, keys }: World) {
  return {
    people: (await stores.people(organisation)).filter(({ id }) => id !== "bob"),
    known: await stores.memberships(known),
    unknown: await stores.memberships(unknown),
    channels: await stores.channels(organisation),
    kept: [...(await stores.keptUnder(keys))].sort((left, right) => left.key.localeCompare(right.key)),
    settings: await stores.settings(organisation),
  };
}

const answerOf = (write: Promise<unknown>): Promise<unknown> =>
  write.catch((error: unknown) => {
    if (error instanceof RightLost) return "right lost";
    throw error;
  });

export function actorRules({ one, other }: Pair): void {
  describe("what is changed on somebody's word", () => {
    it.each(CASES)("X-6 %s is done while they have the role", async (_, write) => {
      const at = await world(one());
      const before = await stateOf(other(), at);
      await write(one().by(at.actor), at);
      expect(await stateOf(other(), at)).not.toEqual(before);
    });

    it.each(CASES)("X-6 %s is refused, and changes nothing, once they have not", async (_, write) => {
      const at = await world(one());
      const before = await stateOf(one(), at);
      const { bob, organisation } = at;
      for (const lose of [
        () => other().putPerson({ ...bob, roles: ["x", "administrator", "approver"] }),
        () => other().removePerson(organisation, "bob"),
        () => other().putPerson({ ...bob, organisation: `${organisation}-elsewhere` }),
      ]) {
        await lose();
        await expect(write(one().by(at.actor), at)).rejects.toThrow(RightLost);
        expect(await stateOf(other(), at)).toEqual(before);
      }
    });

    it("X-6 one of several roles is enough, and where none is named being a member", async () => {
      const at = await world(one());
      const as = (id: string, ...roles: string[]) =>
        answerOf(
          one()
            .by({ ...at.actor, id, roles })
            .putSettings(at.organisation, { isReadOnly: false }),
        );
      expect(await as("bob", "approver", "admin")).toBeUndefined();
      expect(await as("bob", "approver", "owner")).toBe("right lost");
      expect(await as("eve", "admin")).toBe("right lost");
      expect(await as("eve")).toBeUndefined();
      expect(await as("nobody")).toBe("right lost");
    });

    it("X-6 somebody may take their own right away, once", async () => {
      const at = await world(one());
      expect(
        await one()
          .by(at.actor)
          .putPerson({ ...at.bob, roles: [] }, "admin"),
      ).toBe(true);
      await expect(one().by(at.actor).removePerson(at.organisation, "bob")).rejects.toThrow(RightLost);
      const ada = { ...at.actor, id: "ada" };
      expect(await one().by(ada).removePerson(at.organisation, "ada", "admin")).toBe(false);
      expect(await one().by(ada).removePerson(at.organisation, "bob", "admin")).toBe(true);
    });

    it("X-6 nothing is stored on the word of somebody whose removal was answered before", async () => {
      for (let round = 0; round < 30; round++) {
        const at = await world(one());
        const { organisation, bob, eve } = at;
        const gone = round % 2 ? other().removePerson(organisation, "bob") : other().putPerson({ ...bob, roles: [] });
        const [seen, answer] = await Promise.all([
          gone.then(() => other().person(organisation, "eve")),
          answerOf(
            one()
              .by(at.actor)
              .putPerson({ ...eve, roles: ["admin"] }, "admin"),
          ),
        ]);
        expect(await other().person(organisation, "eve")).toEqual(seen);
        expect(seen?.roles).toEqual(answer === true ? ["admin"] : []);
      }
    });

    it("X-6 of admins who remove each other at once each is answered, and who was removed first removes nobody", async () => {
      for (let round = 0; round < 20; round++) {
        const organisation = unique("org");
        const ids = ["a", "b", "c", "d"];
        for (const id of ids) await one().putPerson(personOf(id, { organisation, roles: ["admin"] }));
        const order = round % 2 ? ids : ids.toReversed();
        const removals = order.map((id, index) => {
          const stores = index % 2 ? one() : other();
          const next = order[(index + 1) % order.length] ?? "";
          return answerOf(stores.by({ organisation, id, roles: ["admin"] }).removePerson(organisation, next, "admin"));
        });
        const answers = await Promise.all(removals);
        const left = await one().people(organisation);
        expect(answers.filter((answer) => answer === true)).toHaveLength(ids.length - left.length);
        expect(left.length).toBeGreaterThan(0);
        // Whoever is removed before they ask is refused: in a ring there is at least one.
        expect(answers).toContain("right lost");
      }
    });

    it("X-6 removals, decisions and changes of all kinds at once never wait for each other", async () => {
      for (let round = 0; round < 10; round++) {
        const at = await world(one());
        const { organisation, ada, bob, eve, actor } = at;
        const decided = await stored(one(), { organisation });
        const others = CASES.filter(([name]) => !["putPerson", "removePerson"].includes(name));
        await Promise.all([
          ...others.map(([, write], index) =>
            answerOf(write((index % 2 ? one() : other()).by(index % 3 ? actor : { ...actor, id: "ada" }), at)),
          ),
          answerOf(
            one()
              .by({ ...actor, id: "ada" })
              .removePerson(organisation, "bob", "admin"),
          ),
          answerOf(
            other()
              .by(actor)
              .putPerson({ ...ada, roles: [] }, "admin"),
          ),
          other().putPerson({ ...eve, roles: ["admin"] }, "admin"),
          one().removePerson(organisation, "eve", "admin"),
          new Approvals(one()).delegate(decided.id, round % 2 ? ada : bob, round % 2 ? bob : ada),
        ]);
        expect((await one().people(organisation)).some(({ roles }) => roles.includes("admin"))).toBe(true);
      }
    });
  });
  describe("what is kept elsewhere and changed on somebody's word", () => {
    const LOSSES: readonly [string, (stores: Stores, at: World) => Promise<unknown>][] = [
      ["removes them", (stores, { organisation }) => stores.removePerson(organisation, "bob")],
      ["takes the role", (stores, { bob }) => stores.putPerson({ ...bob, roles: ["approver"] })],
      [
        "removes them as an admin",
        (stores, { actor }) => stores.by({ ...actor, id: "ada" }).removePerson(actor.organisation, "bob", "admin"),
      ],
    ];
    const soon = () => new Promise((done) => setTimeout(done, 50));

    it("X-6 is done while they have the role, and what came of it is said", async () => {
      const { actor } = await world(one());
      expect(
        await one()
          .by(actor)
          .holding(async () => "done"),
      ).toBe("done");
      const broken = new Error("the disk is full");
      await expect(
        one()
          .by(actor)
          .holding(() => Promise.reject(broken)),
      ).rejects.toBe(broken);
      const thrown = () => {
        throw broken;
      };
      await expect(one().by(actor).holding(thrown)).rejects.toBe(broken);
    });

    it.each(LOSSES)("X-6 is not begun once somebody %s", async (_, lose) => {
      const at = await world(one());
      await lose(other(), at);
      let isBegun = false;
      const begun = one()
        .by(at.actor)
        .holding(async () => {
          isBegun = true;
        });
      await expect(begun).rejects.toThrow(RightLost);
      expect(isBegun).toBe(false);
    });

    it.each(LOSSES)("X-6 is done before somebody %s at the same time is answered", async (_, lose) => {
      for (const from of [one, other]) {
        const at = await world(one());
        const order: string[] = [];
        let losing: Promise<unknown> = Promise.resolve();
        const begun = one()
          .by(at.actor)
          .holding(async () => {
            losing = lose(from(), at).then(() => order.push("lost"));
            await soon();
            expect((await from().person(at.organisation, "bob"))?.roles).toContain("admin");
            order.push("written");
          });
        await begun;
        await losing;
        expect(order).toEqual(["written", "lost"]);
      }
    });

    it("X-6 lets go of the right when it fails", async () => {
      const at = await world(one());
      const failed = one()
        .by(at.actor)
        .holding(() => soon().then(() => Promise.reject(new Error("failed"))));
      await expect(failed).rejects.toThrow("failed");
      expect(await other().removePerson(at.organisation, "bob")).toBe(true);
    });

    it("X-6 keeps nobody from deciding, from asking or from channels", async () => {
      const at = await world(one());
      const decided = await stored(one(), { organisation: at.organisation });
      await one()
        .by(at.actor)
        .holding(async () => {
          await new Approvals(other()).delegate(decided.id, at.ada, at.bob);
          await other()
            .by({ ...at.actor, id: "ada" })
            .removeChannel(at.channel.id);
          await stored(one(), { organisation: at.organisation });
        });
      expect(await one().channels(at.organisation)).toEqual([]);
    });

    it("X-6 of many at once each is done, and nobody is lost for good", async () => {
      const at = await world(one());
      let done = 0;
      await Promise.all([
        ...Array.from({ length: 12 }, (_, index) =>
          (index % 2 ? one() : other()).by(at.actor).holding(async () => {
            done += 1;
          }),
        ),
        other().putPerson({ ...at.eve, roles: ["x"] }),
      ]);
      expect(done).toBe(12);
    });
  });
}
