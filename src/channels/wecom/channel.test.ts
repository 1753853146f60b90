import { describe, expect, it } from "vitest";
import { approvalOf } from "../../approvals/approval.fixture.ts";
import { cardOf } from "../../approvals/card.ts";
import { channelConformance, worldOfEach } from "../conformance.fixture.ts";
import { simulatedWecom } from "../platforms/wecom.fixture.ts";
import { eventually } from "../world.fixture.ts";
import { noteText, wecomCard } from "./card.ts";

channelConformance("WeCom", simulatedWecom);

describe("WeCom", () => {
  const world = worldOfEach(simulatedWecom);

  it("a card's one update is kept for its end: a first yes of two leaves it as it is", async () => {
    await world().addPerson("cat", world().channel);
    const { id } = await world().asked({ policy: { approvers: { count: 2 } } });
    await world().click({ approval: id, decision: "approve", by: "ann" });
    await world().click({ approval: id, decision: "approve", by: "bob" });
    expect((await world().cardLoses(id)).title).toMatch(/^Approved/);
    expect(world().problems).toEqual([]);
  });

  it("what happens after the end does not ask for another update", async () => {
    const { id, digest } = await world().asked();
    await world().click({ approval: id, decision: "approve", by: "ann" });
    await world().cardLoses(id);
    await world().approvals.use(id, { digest, eventId: "e" });
    await eventually(async () => (await world().stores.keptUnder("card:")).length === 0);
    expect(world().problems).toEqual([]);
  });

  it("X-7 a click sent again as a challenge is not opened for whoever sends it", async () => {
    const { id } = await world().asked();
    const { query, body } = world().platform.click({ approval: id, decision: "approve", user: "ou_ann" });
    const echostr = /<Encrypt><!\[CDATA\[(.*?)\]\]>/.exec(body)?.[1];
    const answer = await world().callback({ method: "GET", headers: {}, query: { ...query, echostr }, body: "" });
    expect(answer.status).toBe(400);
    expect(answer.body).not.toContain(id);
  });

  it("no two cards have the same task id, and it has only characters that WeCom takes", () => {
    const { approval } = approvalOf();
    const card = cardOf(approval, { link: null, nameOf: (id) => id });
    const [one, other] = [wecomCard(card).task_id, wecomCard(card).task_id];
    expect(one).not.toBe(other);
    expect(one).toMatch(/^[0-9a-zA-Z_\-@]{1,128}$/);
  });

  it("X-8 a text message cannot hold a link of others, and stays below its limit in any script", () => {
    const evil = '<a href="https://evil.example">click</a>';
    const text = noteText({ tone: "good", title: evil, lines: ["语".repeat(3_000)], link: null });
    expect(text).not.toMatch(/[<>]/);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2048);
  });
});
