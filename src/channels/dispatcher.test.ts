import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { draftOf } from "../approvals/approval.fixture.ts";
import { localDesk } from "../approvals/local-desk.ts";
import type { Stores } from "../approvals/store.ts";
import { simulatedFeishu } from "./platforms/feishu.fixture.ts";
import { simulatedSlack } from "./platforms/slack.fixture.ts";
import { eventually, ORGANISATION, type World, worldOn } from "./world.fixture.ts";

const HOUR = 60 * 60_000;

describe("the dispatcher", () => {
  let world: World;
  beforeEach(async () => {
    world = await worldOn(await simulatedSlack());
  });
  afterEach(() => world.close());

  const deliveryOf = async (id: string) => (await world.stores.get(id))?.delivery;

  it("F-21 a platform that refuses for good is believed at once, and the reason is stored with what to do", async () => {
    await world.startDispatcher();
    world.platform.failNext(99, "final");
    const { id } = await world.asked();
    expect(await deliveryOf(id)).toMatchObject({
      state: "failed",
      detail: expect.stringMatching(/not_in_channel.*Invite/),
    });
    expect((await world.stores.history(id)).map(({ action }) => action)).toContain("delivery-failed");
    expect(world.platform.cards()).toHaveLength(0);
  });

  it("F-21 a platform that has a bad moment is tried again; one whose moment does not pass is given up with the reason", async () => {
    await world.startDispatcher();
    world.platform.failNext(2, "passing");
    const { id } = await world.asked();
    expect(await deliveryOf(id)).toMatchObject({ state: "delivered" });
    world.platform.failNext(99, "passing");
    const { id: given } = await world.asked();
    expect(await deliveryOf(given)).toMatchObject({ state: "failed", detail: expect.stringContaining("ratelimited") });
  });

  it("F-21 a channel that is gone, switched off or another organisation's fails with the reason", async () => {
    await world.startDispatcher();
    const foreign = await world.addChannel("rivals", "theirs");
    await world.stores.putChannel({ ...(await world.addChannel(ORGANISATION, "off")), id: "C-off", isActive: false });
    const off = await world.addChannel(ORGANISATION, "soon off");
    await world.stores.putChannel({ ...off, isActive: false });
    for (const [channel, why] of [
      ["C-none", /no channel/],
      [foreign.id, /another organisation/],
      [off.id, /switched off/],
    ] as const) {
      const { delivery } = await world.asked({ channel });
      expect(delivery).toMatchObject({ state: "failed", detail: expect.stringMatching(why) });
    }
  });

  it("several servers send one card", async () => {
    await Promise.all([1, 2, 3, 4].map(() => world.startDispatcher()));
    const asked = await Promise.all(Array.from({ length: 20 }, () => world.asked()));
    expect(asked.every(({ delivery }) => delivery.state === "delivered")).toBe(true);
    expect(world.platform.cards()).toHaveLength(20);
  });

  it("X-5 what was asked while no server ran is sent by the next", async () => {
    const { id } = await world.ask();
    await world.startDispatcher();
    await eventually(async () => (await deliveryOf(id))?.state === "delivered");
    expect(world.platform.cards()).toHaveLength(1);
  });

  it("X-5 what was decided while no server ran is shown by the next, in the place of the old card", async () => {
    const first = await world.startDispatcher();
    const { id } = await world.asked();
    await first.close();
    await world.approvals.withdraw(id, "the run was ended", null);
    expect(world.cardOf(id)?.buttons).toHaveLength(2);
    await world.startDispatcher();
    expect((await world.cardLoses(id)).title).toMatch(/^Withdrawn/);
    expect(world.platform.cards()).toHaveLength(1);
  });

  it("X-5 a card sent by a server that died before it could say so is not sent again, and counts as delivered", async () => {
    const died = await world.startDispatcher();
    const waiting = { state: "waiting", detail: "" } as const;
    const { id } = await world.asked();
    await died.close();
    const stored = await world.stores.get(id);
    if (!stored) throw new Error("gone");
    await world.stores.change({ ...stored, version: stored.version + 1, delivery: waiting }, []);
    await world.startDispatcher();
    await eventually(async () => (await deliveryOf(id))?.state === "delivered");
    expect(world.platform.cards()).toHaveLength(1);
  });

  it("a server that is ended in the middle of its tries leaves the approval to the next", async () => {
    const ending = await world.startDispatcher({ retryDelaysMs: [600_000] });
    world.platform.failNext(1, "passing");
    const { id } = await world.ask();
    await eventually(() => world.platform.failuresLeft() === 0);
    await ending.close();
    expect(await deliveryOf(id)).toMatchObject({ state: "waiting" });
    await world.startDispatcher();
    await eventually(async () => (await deliveryOf(id))?.state === "delivered");
    expect(world.platform.cards()).toHaveLength(1);
  });

  it("without being told of changes it finds them by looking", async () => {
    const deaf: Stores = { ...world.stores, watch: async () => () => {} };
    const quiet = await worldOn(await simulatedSlack(), deaf);
    await quiet.startDispatcher({ pollMs: 20 });
    const { id } = await quiet.asked();
    await quiet.click({ approval: id, decision: "approve", by: "ann" });
    await eventually(() => (quiet.cardOf(id)?.updates ?? 0) > 0);
    await quiet.close();
  });

  it("a decision in the inbox changes the card in its place", async () => {
    await world.startDispatcher();
    const { id } = await world.asked();
    const person = await world.stores.person(ORGANISATION, "ann");
    if (!person) throw new Error("gone");
    await world.approvals.vote(id, { person, kind: "deny", reason: "not on <b>Friday</b>", via: "web" });
    const card = await world.cardLoses(id);
    expect(card.title).toMatch(/^Denied/);
    expect(card.text).toContain("Name of ann denied it");
    expect(card.text).toContain("not on <b>Friday</b>");
  });

  it("X-6 a reminder is a message of its own, once for each", async () => {
    await world.startDispatcher();
    const { id } = await world.asked({ policy: { expiresAfterMs: 10 * HOUR, remindEveryMs: HOUR } });
    for (const count of [1, 2]) {
      world.forward(HOUR + 1000);
      expect(await world.approvals.sweep()).toBe(1);
      await eventually(() => world.platform.messages().filter((text) => text.includes(id)).length === count);
    }
    expect(world.platform.cards()).toHaveLength(1);
  });

  it("X-6 after a time it is asked in the escalation's channel too, and only then a click there counts", async () => {
    await world.startDispatcher();
    const owners = await world.addChannel(ORGANISATION, "owners");
    await world.addPerson("ola", owners, { roles: ["owner"] });
    const escalation = { afterMs: HOUR, people: [], roles: ["owner"], channel: owners.id };
    const { id } = await world.asked({ policy: { expiresAfterMs: 10 * HOUR, escalation } });
    const early = await world.click({ approval: id, decision: "approve", by: "ola" }, owners.id);
    await world.told(early, /no approval/);
    world.forward(HOUR + 1000);
    await world.approvals.sweep();
    await eventually(() => world.platform.cards().length === 2);
    await world.click({ approval: id, decision: "approve", by: "ola" }, owners.id);
    expect((await world.stores.get(id))?.status).toBe("approved");
    await eventually(() => world.platform.cards().every(({ buttons }) => buttons.length === 0));
  });

  it("X-6 a rule that names the escalation's channel by its name means that channel; one nobody has is told of", async () => {
    await world.startDispatcher();
    const owners = await world.addChannel(ORGANISATION, "owners");
    const desk = localDesk(world.stores);
    const ask = (channel: string) => {
      const escalation = { afterMs: HOUR, people: [], roles: ["owner"], channel };
      const { id: _, ...draft } = draftOf({
        organisation: ORGANISATION,
        channel: world.channel.id,
        policy: { expiresAfterMs: 10 * HOUR, escalation },
      });
      return desk.request({ ...draft, mode: "auto" });
    };
    const [named, lost] = [await ask("slack:owners"), await ask("nowhere")];
    expect(named.policy.escalation?.channel).toBe(owners.id);
    world.forward(HOUR + 1000);
    await world.approvals.sweep();
    await eventually(() => world.platform.cards().length === 3);
    await eventually(async () =>
      (await world.stores.history(lost.id)).some(
        ({ action, detail }) => action === "delivery-failed" && String(detail.detail).includes("no channel nowhere"),
      ),
    );
  });

  it("B14-16 what happened outlives the channel", async () => {
    await world.startDispatcher();
    const { id } = await world.asked();
    await world.click({ approval: id, decision: "approve", by: "ann" });
    await world.stores.removeChannel(world.channel.id);
    const history = await world.stores.history(id);
    expect(history.map(({ action }) => action)).toEqual(["requested", "delivered", "voted", "approved"]);
    expect(history.at(-1)).toMatchObject({ by: "ann", via: `channel:${world.channel.id}` });
  });

  it("a platform that hangs holds up no other channel", async () => {
    const hanging = await simulatedFeishu();
    await hanging.close();
    const other = await world.addChannel(ORGANISATION, "hangs", hanging);
    await world.startDispatcher();
    const stuck = await Promise.all(Array.from({ length: 30 }, () => world.ask({ channel: other.id })));
    const { delivery } = await world.asked();
    expect(delivery.state).toBe("delivered");
    for (const { id } of stuck) await eventually(async () => (await deliveryOf(id))?.state === "failed");
  });
});
