import { describe, expect, it } from "vitest";
import { approvalOf } from "../../approvals/approval.fixture.ts";
import { cardOf } from "../../approvals/card.ts";
import { channelConformance, worldOfEach } from "../conformance.fixture.ts";
import { simulatedFeishu } from "../platforms/feishu.fixture.ts";
import { received } from "./callback.ts";
import { feishuCard } from "./card.ts";

channelConformance("Feishu", () => simulatedFeishu());

describe("Feishu", () => {
  const world = worldOfEach(() => simulatedFeishu());

  it("F-30 the answer to a click is a toast and the card as it is now: coloured, and without buttons", async () => {
    for (const [decision, colour, title] of [
      ["approve", "green", /^Approved/],
      ["deny", "red", /^Denied/],
    ] as const) {
      const { id } = await world().asked();
      const { toast, card } = JSON.parse((await world().click({ approval: id, decision, by: "ann" })).body);
      expect(toast).toEqual({ type: "success", content: expect.stringMatching(title) });
      expect(card).toMatchObject({ type: "raw", data: { schema: "2.0", header: { template: colour } } });
      expect(card.data.header.title.content).toMatch(title);
      expect(JSON.stringify(card.data)).not.toContain('"callback"');
    }
  });

  it("F-27 the title has at most 100 characters, and a call in any script stays below 30 KB", () => {
    for (const letter of ["x", "语", "😀", '"', "\\"]) {
      const text = letter.repeat(20_000);
      const { approval } = approvalOf({
        rule: text,
        reason: text,
        call: { tool: text, cwd: text, agent: text, input: { command: text }, effects: [text, text] },
      });
      const card = feishuCard(cardOf(approval, { link: "https://holdfast.example/approvals/x", nameOf: () => text }));
      expect(Buffer.byteLength(JSON.stringify(card))).toBeLessThan(30 * 1024);
      expect(JSON.stringify(card)).toContain("CUT: ");
      expect((card.header as { title: { content: string } }).title.content.length).toBeLessThanOrEqual(100);
    }
  });

  it("F-32 a token that Feishu no longer takes is fetched anew, once", async () => {
    await world().asked();
    world().platform.forgetTokens();
    const { delivery } = await world().asked();
    expect(delivery.state).toBe("delivered");
    expect(world().platform.tokensFetched()).toBe(2);
  });

  it("X-7 B14-5 with a key, a plain body is refused even where its token is right; a wrong token even where the key is", async () => {
    const { id } = await world().asked();
    const tokenOnly = await simulatedFeishu({ secrets: ["verification_token"] });
    expect(
      (await world().callback(tokenOnly.click({ approval: id, decision: "approve", user: "ou_ann" }))).status,
    ).toBe(401);
    await tokenOnly.close();
    const keyOnly = await simulatedFeishu({ secrets: ["encrypt_key"] });
    expect((await world().callback(keyOnly.click({ approval: id, decision: "approve", user: "ou_ann" }))).status).toBe(
      401,
    );
    await keyOnly.close();
    expect((await world().stores.get(id))?.status).toBe("pending");
  });

  it("F-28 a challenge with a wrong token is not answered", () => {
    const body = JSON.stringify({ type: "url_verification", challenge: "c", token: "wrong" });
    const callback = { method: "POST", headers: {}, query: {}, body };
    const secrets = { encryptKey: undefined, verificationToken: "right" };
    expect(received(callback, secrets, new Date())).toMatchObject({ kind: "refused", status: 401 });
  });

  it("X-7 whoever makes up encrypted bodies is not told which of them can be read", async () => {
    const { id } = await world().asked();
    const callback = world().platform.click({ approval: id, decision: "approve", user: "ou_ann" });
    const whole = Buffer.from(JSON.parse(callback.body).encrypt, "base64");
    const changed = (at: number) => Buffer.from(whole).fill(0, at, at + 1);
    const made = [whole, changed(0), changed(20), changed(whole.length - 1), whole.subarray(0, 32)];
    const answers: string[] = [];
    for (const bytes of made) {
      const body = JSON.stringify({ encrypt: bytes.toString("base64") });
      const { status, body: said } = await world().callback({ ...callback, headers: {}, body });
      answers.push(`${status} ${said}`);
    }
    expect(new Set(answers).size).toBe(1);
  });

  it("X-7 what is no challenge does not come back opened, though it says it is one", () => {
    const challenge = JSON.stringify({ schema: "2.0", header: { token: "t" } });
    const body = JSON.stringify({ type: "url_verification", challenge, token: "t" });
    const secrets = { encryptKey: undefined, verificationToken: "t" };
    expect(received({ method: "POST", headers: {}, query: {}, body }, secrets, new Date())).toMatchObject({
      kind: "refused",
      status: 400,
    });
  });

  it.each(["approve", "Approved", " YES ", "reject", "rejected", "no", "deny"])("F-29 %s is understood", (word) => {
    const now = new Date();
    const header = { token: "t", event_id: "e", create_time: `${now.getTime()}000`, event_type: "card.action.trigger" };
    const action = { value: { confirmation_id: "A-23456789ab", decision: word } };
    const body = JSON.stringify({ schema: "2.0", header, event: { operator: { union_id: "on_1" }, action } });
    const decision = /approve|yes/i.test(word) ? "approve" : "deny";
    const secrets = { encryptKey: undefined, verificationToken: "t" };
    expect(received({ method: "POST", headers: {}, query: {}, body }, secrets, now)).toMatchObject({
      kind: "click",
      click: { approval: "A-23456789ab", decision, identity: "feishu:on_1", nonce: "e" },
    });
  });
});
