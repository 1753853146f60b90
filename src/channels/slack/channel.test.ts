import { describe, expect, it, onTestFinished } from "vitest";
import { approvalOf } from "../../approvals/approval.fixture.ts";
import { cardOf } from "../../approvals/card.ts";
import { memoryStores } from "../../stores/memory.ts";
import { channelConformance, worldOfEach } from "../conformance.fixture.ts";
import { simulatedSlack } from "../platforms/slack.fixture.ts";
import { worldOn } from "../world.fixture.ts";
import { slackCard } from "./card.ts";
import { slackChannel } from "./channel.ts";

channelConformance("Slack", simulatedSlack);

describe("Slack", () => {
  const world = worldOfEach(simulatedSlack);

  it("X-8 the text for notifications, which Slack reads as markup, is escaped", () => {
    const { approval } = approvalOf({ call: { tool: "<!channel> & <https://evil.example|click>" } });
    const { text } = slackCard(cardOf(approval, { link: null, nameOf: (id) => id }));
    expect(text).toContain("&lt;!channel&gt; &amp; &lt;https://evil.example|click&gt;");
    expect(text).not.toMatch(/[<>]/);
  });

  it("X-7 a click from another workspace is refused, even with the right signature", async () => {
    const { id } = await world().asked();
    const { channel } = await world().channels.openFor("acme", world().channel.id);
    const elsewhere = slackChannel({ ...world().platform.config, team_id: "T2" });
    const callback = world().platform.click({ approval: id, decision: "approve", user: "ou_ann" });
    const headers = Object.fromEntries(
      Object.entries(callback.headers).map(([key, value]) => [key.toLowerCase(), value ?? ""]),
    );
    const seen = { ...callback, headers, query: {} };
    expect(channel.receive(seen, new Date()).kind).toBe("click");
    expect(elsewhere.receive(seen, new Date())).toMatchObject({ kind: "refused", status: 403 });
  });

  it("X-7 nothing is sent to a response URL that is not Slack's", async () => {
    const { channel } = await world().channels.openFor("acme", world().channel.id);
    const click = { approval: "A-23456789ab", decision: "deny", identity: "slack:U1", reason: "", nonce: "n" } as const;
    const result = { tone: "error", text: "no", card: null } as const;
    for (const replyTo of ["https://evil.example/x", "http://127.0.0.1:9/x", "https://hooks.slack.com.evil.example/x"])
      await expect(channel.followUp?.({ ...click, replyTo }, result)).rejects.toThrow(/not Slack's/);
  });

  it("X-6 a click of somebody who is removed before it is stored does not count", async () => {
    const memory = memoryStores();
    const stores: typeof memory = {
      ...memory,
      change: async (...change) => {
        await memory.removePerson("acme", "ann");
        return memory.change(...change);
      },
    };
    const platform = await simulatedSlack();
    const slow = await worldOn(platform, stores);
    onTestFinished(() => slow.close());
    const { id } = await slow.ask();
    await slow.told(await slow.click({ approval: id, decision: "approve", by: "ann" }), /you were removed/);
    expect((await memory.get(id))?.status).toBe("pending");
  });

  it("a refusal is told to the person who clicked, and the card stays as it is for the others", async () => {
    const { id } = await world().asked({ policy: { approvers: { people: ["bob"] } } });
    const answer = await world().click({ approval: id, decision: "approve", by: "ann" });
    expect([answer.status, answer.body]).toEqual([200, ""]);
    await world().told(answer, /only bob may decide/);
    expect(world().cardOf(id)).toMatchObject({ updates: 0, buttons: [{}, {}] });
  });
});
