import { describe, expect, it } from "vitest";
import { channelConformance, worldOfEach } from "../conformance.fixture.ts";
import { simulatedWebhook } from "../platforms/webhook.fixture.ts";
import { webhookSignature } from "./signing.ts";

channelConformance("Webhook", simulatedWebhook);

describe("a webhook", () => {
  const world = worldOfEach(simulatedWebhook);

  it("X-6 the reason of a decision is stored", async () => {
    const { id } = await world().asked();
    await world().click({ approval: id, decision: "deny", by: "ann" });
    expect((await world().stores.get(id))?.votes).toMatchObject([{ by: "ann", kind: "deny", reason: "as agreed" }]);
  });

  it("X-7 a nonce that is missing or could be read in two ways is refused", async () => {
    const { secret = "" } = world().platform.config;
    const timestamp = String(Math.floor(Date.now() / 1000));
    for (const nonce of ["", "short", "with.a.dot.in.it.and.long"]) {
      const headers = {
        "x-holdfast-timestamp": timestamp,
        "x-holdfast-nonce": nonce,
        "x-holdfast-signature": webhookSignature(secret, timestamp, nonce, "{}"),
      };
      expect((await world().callback({ method: "POST", headers, query: {}, body: "{}" })).status).toBe(401);
    }
  });

  it("B14-4 one webhook's users are not another's: the same name is known in its own channel alone", async () => {
    const other = await world().addChannel("acme", "other");
    const { id } = await world().asked({ channel: other.id });
    const answer = await world().click({ approval: id, decision: "approve", by: "ann" }, other.id);
    await world().told(answer, /Nobody here is known as/);
    expect((await world().stores.get(id))?.status).toBe("pending");
  });
});
