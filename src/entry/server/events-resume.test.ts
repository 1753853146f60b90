/** Last-Event-ID: every approval that changed since is told as it stands, or else `missed`; never neither. */
import { describe, expect, it } from "vitest";
import { draftOf, personOf } from "../../approvals/approval.fixture.ts";
import { Approvals } from "../../approvals/service.ts";
import type { Stores } from "../../approvals/store.ts";
import { memoryStores } from "../../stores/memory.ts";
import { has, listened } from "./events.fixture.ts";
import { type TestServer, testServer } from "./server.fixture.ts";

const bob = personOf("bob", { organisation: "acme" });
const yes = { person: bob, kind: "approve", reason: "", via: "web" } as const;

/** Long before: what happened at the time of the last event is told again, for clocks differ. */
const LONG_MS = 60_000;

async function away(settings: { stores?: (stores: Stores) => Stores } = {}) {
  let nowMs = Date.now();
  const memory = memoryStores({ now: () => new Date(nowMs) });
  const stores = settings.stores?.(memory) ?? memory;
  const server = await testServer({ stores });
  const { cookie } = await server.browser("bob");
  const pass = (ms = LONG_MS) => {
    nowMs += ms;
  };
  const left = async () => (await listened(server, { cookie }, has("ready"))).at(-1)?.id ?? "";
  const back = async (id: string) => {
    const heard = await listened(server, { cookie, "last-event-id": id }, has("ready"));
    return heard.map(({ event, data }) => data?.approval?.status ?? event);
  };
  return { server, memory, cookie, pass, left, back };
}

const settle = async ({ context }: TestServer, id: string) =>
  expect((await context.approvals.vote(id, yes)).kind).toBe("done");

const lasting = { policy: { expiresAfterMs: 100 * LONG_MS } };

/** The hints of a store in memory are immediates: this one comes after them. */
const hintsHeard = () => new Promise((resolve) => setImmediate(resolve));

describe("whoever comes back with the id of the last event", () => {
  it("is told of nothing that was settled before, and of nothing missed", async () => {
    const { server, pass, left, back } = await away();
    const { id } = await server.asked(lasting);
    await server.context.approvals.withdraw(id, "over", null);
    pass();
    expect(await back(await left())).toEqual(["ready"]);
  });

  it("is told of a yes that was given before and used, or withdrawn, since", async () => {
    const { server, pass, left, back } = await away();
    const used = await server.asked(lasting);
    pass(1);
    const withdrawn = await server.asked(lasting);
    for (const { id } of [used, withdrawn]) await settle(server, id);
    pass();
    const id = await left();
    pass();
    await server.context.approvals.use(used.id, { digest: used.digest, eventId: "e" });
    await server.context.approvals.withdraw(withdrawn.id, "over", null);
    expect(await back(id)).toEqual(["used", "withdrawn", "ready"]);
  });

  describe("behind many settled ones", () => {
    async function many() {
      const at = await away();
      const olga = await at.server.asked({ ...lasting, organisation: "other" });
      const [old, used] = [await at.server.asked(lasting), await at.server.asked(lasting)];
      await settle(at.server, used.id);
      for (let count = 0; count < 201; count++) await settle(at.server, (await at.server.asked(lasting)).id);
      await hintsHeard();
      at.pass();
      return { ...at, old, used, olga };
    }

    it("is told of nothing, and of nothing missed, where nothing changed", async () => {
      const { pass, left, back } = await many();
      const id = await left();
      pass();
      expect(await back(id)).toEqual(["awaiting_confirmation", "pending", "ready"]);
    });

    it("is told of one that was asked long ago and settled, or used, since, here or by another process", async () => {
      const { server, memory, pass, left, back, old, used, olga } = await many();
      const id = await left();
      pass();
      const elsewhere = new Approvals(memory);
      await elsewhere.withdraw(olga.id, "over", null);
      await elsewhere.use(used.id, { digest: used.digest, eventId: "e" });
      await settle(server, old.id);
      await hintsHeard();
      expect((await back(id)).toSorted()).toEqual(["approved", "ready", "used"]);
    });

    it("is told to read again where more changed than are read anew", async () => {
      const { server, pass, left, back, old } = await many();
      const id = await left();
      pass();
      await settle(server, old.id);
      for (let count = 0; count < 201; count++) await settle(server, (await server.asked(lasting)).id);
      expect(await back(id)).toContain("missed");
    });

    it("is told to read again if another process sent the last event", async () => {
      const { server, pass, left, back, old } = await many();
      const id = await left();
      pass();
      await settle(server, old.id);
      expect(await back(id.replace(/\/[0-9a-f]+-/, "/0123456789ab-"))).toEqual(["missed", "ready"]);
    });
  });

  it("is told all again if the connection broke before `ready`: nothing before it has an id", async () => {
    const { server, cookie, pass, left } = await away();
    const settled = await server.asked(lasting);
    pass(1);
    const pending = await server.asked(lasting);
    const id = await left();
    pass();
    await settle(server, settled.id);
    const heard = await listened(server, { cookie, "last-event-id": id }, has("ready"));
    expect(heard.map(({ data }) => data?.approval?.id).filter(Boolean)).toEqual([settled.id, pending.id]);
    expect(heard.map((one) => one.id !== "")).toEqual([...heard.slice(1).map(() => false), true]);
  });

  it("is told to read again if another process sent it: what that one had not heard of is not known here", async () => {
    const { pass, left, back } = await away();
    const id = await left();
    pass();
    expect(await back(id)).toEqual(["ready"]);
    expect(await back(id.replace(/\/[0-9a-f]+-/, "/0123456789ab-"))).toEqual(["missed", "ready"]);
  });

  it("is told to read again if this server caught up on something since, that it had not heard of by then", async () => {
    let ring: (id: string) => void = () => {};
    const { memory, pass, left, back } = await away({
      stores: (stores) => ({
        ...stores,
        async watch(_, onChange) {
          ring = onChange;
          return () => {};
        },
      }),
    });
    const elsewhere = new Approvals(memory);
    const { id: unheard } = await elsewhere.request(draftOf({ organisation: "acme", ...lasting }));
    await elsewhere.withdraw(unheard, "over", null);
    pass();
    const id = await left();
    pass();
    ring("");
    expect(await back(id)).toEqual(["missed", "ready"]);
    pass();
    expect(await back(await left())).toEqual(["ready"]);
  });
});

it("whoever listens is told to read again where a change was heard of and could not be read", async () => {
  let isDown = false;
  const { server, memory, cookie } = await away({
    stores: (stores) => ({
      ...stores,
      get: (id) => (isDown ? Promise.reject(new Error("the database is away")) : stores.get(id)),
    }),
  });
  const heard = await listened(server, { cookie }, has("missed"), async () => {
    isDown = true;
    await new Approvals(memory).request(draftOf({ organisation: "acme" }));
  });
  expect(heard.map(({ event }) => event)).toEqual(["ready", "missed"]);
});
