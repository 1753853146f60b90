import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { approvalOf, draftOf } from "../../approvals/approval.fixture.ts";
import { Approvals } from "../../approvals/service.ts";
import { memoryStores } from "../../stores/memory.ts";
import { LiveEvents } from "./live-events.ts";

describe("live events whose store could not be reached at first", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  async function deaf() {
    const memory = memoryStores();
    let isDown = true;
    const stores = {
      ...memory,
      watch: (...given: Parameters<typeof memory.watch>) =>
        isDown ? Promise.reject(new Error("the database is away")) : memory.watch(...given),
    };
    const logged: string[] = [];
    const events = new LiveEvents(stores, (line) => void logged.push(line));
    const told: string[] = [];
    const onMissed = () => void told.push("missed");
    events.watch({ organisation: "acme", onApproval: ({ id }) => void told.push(id), onMissed });
    await events.start();
    const up = async () => {
      isDown = false;
      await vi.runOnlyPendingTimersAsync();
    };
    return { events, told, up, logged, now: () => memory.now().getTime(), elsewhere: new Approvals(memory) };
  }

  it("tell what happened until they heard, and that something may be missing", async () => {
    const { events, told, up, logged, elsewhere } = await deaf();
    const { id } = await elsewhere.request(draftOf({ organisation: "acme" }));
    await vi.runOnlyPendingTimersAsync();
    expect(logged).toHaveLength(2);
    expect(told).toEqual([]);
    await up();
    await vi.waitFor(() => expect(told).toEqual([id, "missed"]));
    const later = await elsewhere.request(draftOf({ organisation: "acme" }));
    await vi.waitFor(() => expect(told).toEqual([id, "missed", later.id]));
    events.close();
  });

  it("had not heard of all at any time before that, and have since", async () => {
    const { events, up, now } = await deaf();
    expect(events.hadHeardAllAt(now())).toBe(false);
    await up();
    await vi.waitFor(() => expect(events.hadHeardAllAt(now() + 1)).toBe(true));
    events.close();
  });
});

it("what was heard of since a time is known until so much came after it that some is forgotten", async () => {
  let nowMs = 1_000_000;
  const stores = memoryStores({ now: () => new Date(nowMs) });
  const events = new LiveEvents(stores, () => {});
  await events.start();
  const { approval } = approvalOf({ organisation: "acme" });
  const hear = (count: number, name: string) => {
    for (let index = 0; index < count; index++) events.changed({ ...approval, id: `${name}-${index}` });
  };
  hear(1, "before");
  nowMs += 60_000;
  const time = nowMs;
  hear(9_999, "since");
  nowMs += 60_000;
  expect(events.heardOfSince(time)).toHaveLength(9_999);
  hear(1, "more");
  expect(events.heardOfSince(time)).toHaveLength(10_000);
  hear(1, "too-much");
  expect(events.heardOfSince(time)).toBeNull();
  expect(events.heardOfSince(nowMs)).toEqual(["more-0", "too-much-0"]);
  events.close();
});
