import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { channelsFor } from "./platforms/all.fixture.ts";
import { tryOut } from "./playground.ts";
import { ORGANISATION, type World, worldOn } from "./world.fixture.ts";

describe.each(channelsFor())("trying out a channel on %s", (_, platformOf) => {
  let world: World;
  beforeEach(async () => {
    world = await worldOn(await platformOf());
    await world.startDispatcher();
  });
  afterEach(() => world.close());

  const ann = { id: "ann", organisation: ORGANISATION, name: "Ann", roles: ["approver"] };

  it("F-33 it takes the way of every other approval, to the click", async () => {
    const { id } = await tryOut(world, ann, world.channel.id);
    expect(world.cardOf(id)?.buttons).toHaveLength(2);
    await world.click({ approval: id, decision: "approve", by: "ann" });
    expect((await world.stores.get(id))?.status).toBe("approved");
  });

  it("F-33 an outsider and a channel that is switched off are refused", async () => {
    await expect(tryOut(world, { ...ann, organisation: "rivals" }, world.channel.id)).rejects.toMatchObject({
      code: "HF936",
    });
    await world.stores.putChannel({ ...world.channel, isActive: false });
    await expect(tryOut(world, ann, world.channel.id)).rejects.toThrow(/switched off/);
  });

  it("F-33 where the card cannot be sent, nothing is left pending", async () => {
    world.platform.failNext(99, "final");
    await expect(tryOut(world, ann, world.channel.id)).rejects.toThrow(/could not be sent/);
    const { approvals } = await world.stores.list({ organisation: ORGANISATION, limit: 10 });
    expect(approvals.map(({ status }) => status)).toEqual(["withdrawn"]);
  });
});
