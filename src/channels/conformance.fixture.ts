/** What holds for every channel: what people see, and which clicks count. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SimulatedPlatform } from "./platforms/platform.fixture.ts";
import { ORGANISATION, type World, worldOn } from "./world.fixture.ts";

const MARKUP = "</at><at id=all></at> <!channel> *bold* `x` [link](https://evil.example) <script>alert(1)</script> ```";
const MINUTE = 60_000;

export function channelConformance(name: string, platformOf: () => Promise<SimulatedPlatform>): void {
  cardConformance(name, platformOf);
  clickConformance(name, platformOf);
}

function cardConformance(name: string, platformOf: () => Promise<SimulatedPlatform>): void {
  describe(`${name}: what people see`, () => {
    const world = worldOfEach(platformOf);

    it("F-27 a card has the call whole, and one button each for yes and no, bound to the request", async () => {
      const { id } = await world().asked({ call: { input: { command: "deploy --production", times: 3 } } });
      const card = world().cardOf(id);
      expect(card?.buttons).toEqual([
        { approval: id, decision: "approve" },
        { approval: id, decision: "deny" },
      ]);
      expect(card?.text).toContain("deploy --production");
      expect(card?.text).toContain(id);
      expect(card?.text).not.toContain("CUT");
      expect((await world().stores.get(id))?.delivery).toEqual({ state: "delivered", detail: "" });
    });

    it("X-8 B14-9 a call too long for the platform is marked as cut, with its hash, and never cut in silence", async () => {
      const command = `${"echo harmless; ".repeat(30_000)}rm -rf /`;
      const { id } = await world().asked({ call: { input: { command } } });
      const text = world().cardOf(id)?.text ?? "";
      expect(text).not.toContain("rm -rf /");
      const sha256 = createHash("sha256")
        .update(JSON.stringify({ command }, null, 2))
        .digest("hex");
      expect(text).toMatch(/CUT: \d+ of \d+ characters shown/);
      expect(text).toContain(sha256.slice(0, 16));
    });

    it("X-8 B14-9 markup in the tool, the arguments, the reason, the rule and the effects stays text", async () => {
      const { id, delivery } = await world().asked({
        rule: MARKUP,
        reason: MARKUP,
        call: { tool: MARKUP, agent: MARKUP, cwd: MARKUP, input: { [MARKUP]: MARKUP }, effects: [MARKUP] },
      });
      expect(delivery.state).toBe("delivered");
      expect(world().cardOf(id)?.buttons).toHaveLength(2);
      expect(markupParts(world().cardOf(id)?.raw)).toEqual([]);
    });

    it("X-8 characters that hide or turn text around are written out", async () => {
      const { id } = await world().asked({ call: { input: { command: "rm \u202e/ fr- \u200b" } } });
      const text = world().cardOf(id)?.text ?? "";
      expect(text).not.toMatch(/[\u202e\u200b]/);
      expect(text).toContain("u202e");
    });

    it("F-34 a test message is plain and has no buttons", async () => {
      const { channel } = await world().channels.openFor(ORGANISATION, world().channel.id);
      expect(await channel.test()).toMatch(/message/);
      expect(world().platform.messages()).toHaveLength(1);
      expect(world().platform.cards()).toHaveLength(0);
    });

    it("F-34 rooms are found where the platform has them; bad credentials are refused with the reason and what to do", async () => {
      const { channel } = await world().channels.openFor(ORGANISATION, world().channel.id);
      if (channel.rooms)
        expect((await channel.rooms()).map(({ name }) => name.toLowerCase())).toEqual(["a", "releases"]);
      world().platform.failNext(1, "final");
      await expect(channel.test()).rejects.toMatchObject({ code: "HF934", fix: expect.stringMatching(/\w/) });
    });

    it("F-32 an access token is fetched once for everybody, and reused", async () => {
      const before = world().platform.tokensFetched();
      await Promise.all([1, 2, 3, 4].map(() => world().asked()));
      expect(world().platform.tokensFetched() - before).toBeLessThanOrEqual(1);
      expect(world().platform.cards()).toHaveLength(4);
    });
  });
}

export function clickConformance(name: string, platformOf: () => Promise<SimulatedPlatform>): void {
  describe(`${name}: clicks`, () => {
    const world = worldOfEach(platformOf);

    it("F-30 the first click decides once; the card loses its buttons in its place; a later click changes nothing and says so", async () => {
      const { id } = await world().asked();
      const first = await world().click({ approval: id, decision: "approve", by: "ann" });
      expect(first.status).toBe(200);
      expect((await world().stores.get(id))?.status).toBe("approved");
      await world().cardLoses(id);
      expect(world().platform.cards()).toHaveLength(1);
      const second = await world().click({ approval: id, decision: "deny", by: "bob" });
      expect(second.status).toBe(200);
      await world().told(second, /already approved/);
      const { status, votes } = (await world().stores.get(id)) ?? {};
      expect([status, votes?.length]).toEqual(["approved", 1]);
    });

    it("F-30 X-4 of many clicks at once one wins, and everybody is answered", async () => {
      const { id } = await world().asked();
      const people = Array.from({ length: 8 }, (_, number) => `person${number}`);
      for (const person of people) await world().addPerson(person, world().channel);
      const answers = await Promise.all(
        people.map((by, number) => world().click({ approval: id, decision: number % 2 ? "deny" : "approve", by })),
      );
      expect(answers.map(({ status }) => status)).toEqual(people.map(() => 200));
      expect((await world().stores.get(id))?.votes).toHaveLength(1);
    });

    it("F-30 a click that comes too late finds the approval expired, and the card says so", async () => {
      const { id } = await world().asked();
      world().forward(2 * MINUTE);
      const answer = await world().click({ approval: id, decision: "approve", by: "ann" });
      await world().told(answer, /expired/);
      expect((await world().stores.get(id))?.status).toBe("expired");
      const card = await world().cardLoses(id);
      expect(card.title).toMatch(/^Expired/);
      expect(card.colour ?? "grey").toBe("grey");
    });

    it("F-31 a click on a request nobody knows is told so, without an error of the server", async () => {
      const answer = await world().click({ approval: "A-zzzzzzzzzz", decision: "approve", by: "ann" });
      expect(answer.status).toBe(200);
      await world().told(answer, /no approval A-zzzzzzzzzz/);
    });

    it("F-29 what is genuine but unknown is answered and changes nothing", async () => {
      const answer = await world().callback(world().platform.stranger());
      expect(answer.status).toBeLessThan(500);
      const toast = world().platform.toastIn(answer);
      if (toast !== null) expect(toast).toMatch(/\w/);
    });

    it("F-28 the platform's challenge is answered; a forged or missing signature is not; the case of headers does not matter", async () => {
      const challenge = world().platform.challenge();
      if (challenge) {
        const answer = await world().callback(challenge.callback);
        expect([answer.status, answer.body]).toEqual([200, challenge.expected]);
      }
      const { id } = await world().asked();
      const forged = await world().click({ approval: id, decision: "approve", by: "ann", isForged: true });
      expect(forged.status).toBe(401);
      const genuine = world().platform.click({ approval: id, decision: "approve", user: "ou_ann" });
      if (world().platform.isSigned) {
        const bare = await world().callback({ ...genuine, headers: {}, query: {} });
        expect(bare.status).toBe(401);
        const changed = await world().callback({ ...genuine, body: tampered(genuine.body) });
        expect([400, 401]).toContain(changed.status);
      }
      expect((await world().stores.get(id))?.status).toBe("pending");
      const upper = Object.fromEntries(
        Object.entries(genuine.headers).map(([key, value]) => [key.toUpperCase(), value]),
      );
      expect((await world().callback({ ...genuine, headers: upper })).status).toBe(200);
      expect((await world().stores.get(id))?.status).toBe("approved");
    });

    it("X-7 whatever else is sent is refused, and never throws", async () => {
      const { channel } = await world().channels.openFor(ORGANISATION, world().channel.id);
      const genuine = world().platform.click({ approval: "A-23456789ab", decision: "approve", user: "ou_ann" });
      const names = Object.keys({ ...lowerCase(genuine.headers), ...genuine.query });
      const values = fc.dictionary(fc.constantFrom("x", ...names), fc.string());
      const bodies = fc.oneof(
        fc.string(),
        fc.json(),
        fc.record({ encrypt: fc.base64String() }).map((body) => JSON.stringify(body)),
        fc.base64String().map((text) => `<xml><Encrypt><![CDATA[${text}]]></Encrypt></xml>`),
        fc.json().map((payload) => `payload=${encodeURIComponent(payload)}`),
      );
      fc.assert(
        fc.property(fc.constantFrom("GET", "POST", "PUT"), values, values, bodies, (method, headers, query, body) => {
          expect(channel.receive({ method, headers, query, body }, new Date()).kind).toBe("refused");
        }),
      );
    });

    it("X-7 B14-5 a callback that is more than five minutes old, or ahead, is refused", async () => {
      const { id } = await world().asked({ policy: { expiresAfterMs: 60 * MINUTE } });
      for (const awayMs of [-6 * MINUTE, 6 * MINUTE]) {
        const at = new Date(world().now().getTime() + awayMs);
        expect((await world().click({ approval: id, decision: "approve", by: "ann", at })).status).toBe(401);
      }
      expect((await world().stores.get(id))?.votes).toEqual([]);
    });

    it("X-7 B14-5 a copy of a callback is refused, whatever became of the first", async () => {
      const { id } = await world().asked({ policy: { approvers: { count: 2 } } });
      const callback = world().platform.click({ approval: id, decision: "approve", user: "ou_ann" });
      const answers = await Promise.all([1, 2, 3, 4].map(() => world().callback(callback)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
      expect((await world().stores.get(id))?.votes).toHaveLength(1);
    });

    it("X-7 B14-4 a click counts only in the channel it was asked in, even where both have the same secrets", async () => {
      const { id } = await world().asked();
      const other = await world().addChannel(ORGANISATION, "other");
      await world().addPerson("ann", other);
      const answer = await world().click({ approval: id, decision: "approve", by: "ann" }, other.id);
      await world().told(answer, /no approval/);
      const { status } = (await world().stores.get(id)) ?? {};
      expect(status).toBe("pending");
      const history = await world().stores.history(id);
      expect(history.at(-1)).toMatchObject({ action: "refused", detail: { code: "other-channel" } });
    });

    it("X-7 B14-4 a click in another organisation's channel never counts", async () => {
      const { id } = await world().asked();
      const foreign = await world().addChannel("rivals", "theirs");
      await world().addPerson("ann", foreign, { roles: ["admin"] });
      const before = await world().stores.history(id);
      const answer = await world().click({ approval: id, decision: "approve", by: "ann" }, foreign.id);
      await world().told(answer, /no approval/);
      expect((await world().stores.get(id))?.status).toBe("pending");
      expect(await world().stores.history(id)).toEqual(before);
      expect(world().problems).toEqual([expect.stringMatching(/another organisation/)]);
    });

    it("X-6 B14-3 somebody unknown, and somebody without the right, is refused and told why; it is noted who", async () => {
      const { id } = await world().asked({ policy: { approvers: { people: ["bob"] } } });
      const unknown = await world().click({ approval: id, decision: "approve", by: "mallory" });
      await world().told(unknown, /Nobody here is known as/);
      const without = await world().click({ approval: id, decision: "approve", by: "ann" });
      await world().told(without, /only bob may decide/);
      expect((await world().stores.get(id))?.status).toBe("pending");
      const refusals = (await world().stores.history(id)).filter(({ action }) => action === "refused");
      expect(refusals.map(({ by, detail }) => [by, detail.code])).toEqual([
        [null, "unknown-person"],
        ["ann", "not-approver"],
      ]);
      await world().click({ approval: id, decision: "approve", by: "bob" });
      expect((await world().stores.get(id))?.votes).toMatchObject([
        { by: "bob", via: `channel:${world().channel.id}` },
      ]);
    });

    it("X-6 B14-10 nobody approves their own call where the rule forbids it; two must agree where it says two", async () => {
      const approvers = { count: 2, notInitiator: true };
      const { id } = await world().asked({ call: { initiator: "ann" }, policy: { approvers } });
      await world().addPerson("cat", world().channel);
      await world().told(
        await world().click({ approval: id, decision: "approve", by: "ann" }),
        /somebody else to decide/,
      );
      const first = await world().click({ approval: id, decision: "approve", by: "bob" });
      expect(first.status).toBe(200);
      expect((await world().stores.get(id))?.status).toBe("pending");
      await world().told(await world().click({ approval: id, decision: "approve", by: "bob" }), /said yes already/i);
      await world().click({ approval: id, decision: "approve", by: "cat" });
      expect((await world().stores.get(id))?.status).toBe("approved");
    });

    it("F-46 a step with an assignee is decided by that person alone, once", async () => {
      const policy = { approvers: { people: ["bob"], roles: [], count: 1, notInitiator: false } };
      const { id } = await world().asked({ call: { tool: "human-step" }, policy });
      await world().click({ approval: id, decision: "approve", by: "ann" });
      expect((await world().stores.get(id))?.status).toBe("pending");
      await Promise.all([1, 2].map(() => world().click({ approval: id, decision: "deny", by: "bob" })));
      const { status, votes } = (await world().stores.get(id)) ?? {};
      expect([status, votes?.length]).toEqual(["denied", 1]);
    });

    it("B14-16 what is told of problems never holds a body, a call or a credential", async () => {
      const { id } = await world().asked({ call: { input: { command: "the-call-itself" } } });
      const callback = world().platform.click({ approval: id, decision: "approve", user: "ou_ann" });
      await world().callback({ ...callback, body: `${callback.body}{` });
      world().platform.failNext(9, "passing");
      await world().asked();
      expect(world().problems.length).toBeGreaterThan(0);
      const said = world().problems.join("\n");
      for (const secret of [...world().platform.secrets, "the-call-itself", callback.body])
        expect(said).not.toContain(secret);
    });

    it("a channel that is switched off, gone, or sent too much takes no callback", async () => {
      const { id } = await world().asked();
      const callback = () => world().platform.click({ approval: id, decision: "approve", user: "ou_ann" });
      await world().stores.putChannel({ ...world().channel, isActive: false });
      expect((await world().callback(callback())).status).toBe(403);
      expect((await world().callback(callback(), "C-unknown")).status).toBe(404);
      await world().stores.putChannel(world().channel);
      expect((await world().callback({ ...callback(), body: "x".repeat(300_000) })).status).toBe(413);
      await world().stores.putChannel({ ...world().channel, sealedConfig: "hf1:0123456789ab:AAAA" });
      expect(await world().callback(callback())).toMatchObject({
        status: 503,
        body: "the channel cannot be used now\n",
      });
      expect(world().problems.at(-1)).toContain("0123456789ab");
      await world().stores.removeChannel(world().channel.id);
      expect((await world().callback(callback())).status).toBe(404);
      expect((await world().stores.get(id))?.status).toBe("pending");
    });
  });
}

/** A world per test, with a dispatcher, and gone afterwards. */
export function worldOfEach(platformOf: () => Promise<SimulatedPlatform>): () => World {
  let world: World;
  beforeEach(async () => {
    world = await worldOn(await platformOf());
    await world.startDispatcher();
  });
  afterEach(() => world.close());
  return () => world;
}

const tampered = (body: string) =>
  body === "" ? "x" : body.replace(/[a-z](?=[^a-z]*$)/, (letter) => (letter === "x" ? "y" : "x"));

/** Parts of a card that a platform reads as markup and that hold markup of others. */
function markupParts(raw: unknown): unknown[] {
  if (typeof raw !== "object" || raw === null) return [];
  const { type, tag, text, content } = raw as Record<string, unknown>;
  const isMarkup = type === "mrkdwn" || tag === "markdown" || tag === "lark_md";
  const words = String(text ?? content ?? "");
  return [...(isMarkup && /<|\[|`/.test(words) ? [words] : []), ...Object.values(raw).flatMap(markupParts)];
}

const lowerCase = (headers: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(headers).map(([key, value]) => [key.toLowerCase(), value]));
