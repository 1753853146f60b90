import { afterEach, beforeEach, expect, it } from "vitest";
import { scratch, stored, storeIn } from "../../runs/files/store.fixture.ts";
import type { RunStore } from "../../runs/store.ts";
import { eventsOf } from "../../runs/store-conformance.fixture.ts";
import { tellParent } from "./tell-parent.ts";

let place: ReturnType<typeof scratch>;
let store: RunStore;
beforeEach(() => {
  place = scratch();
  store = storeIn(place.dir);
});
afterEach(() => place.remove());

const ports = () => ({ store, now: () => new Date() });

it("a parent that works has it in its log, and its next attempt is told", async () => {
  const parent = await stored(store, { progress: { step: "attempt", prompt: "go" } });
  const child = await stored(store, { parentRun: parent.id, name: "lint", status: "exhausted", statusReason: "out" });
  await tellParent(ports(), child);
  expect((await store.read(parent.id))?.messages).toMatchObject([
    { text: `Run ${child.id} "lint", which you started, is exhausted (out).` },
  ]);
  expect((await eventsOf(store, parent.id)).map(({ type }) => type)).toEqual(["child.finished", "run.message_added"]);
});

it("a parent that has ended only has it in its log", async () => {
  const parent = await stored(store);
  await tellParent(ports(), await stored(store, { parentRun: parent.id, status: "success" }));
  expect((await store.read(parent.id))?.messages).toBeUndefined();
  expect(await eventsOf(store, parent.id)).toMatchObject([{ type: "child.finished", data: { status: "success" } }]);
});

it("a parent that is gone, or none, is no problem", async () => {
  await tellParent(ports(), await stored(store, { parentRun: "zzzzzz" }));
  await tellParent(ports(), await stored(store));
});

it("a parent that cannot be told more is said, and is no failure of the run", async () => {
  const messages = Array.from({ length: 20 }, (_, at) => ({ text: `message ${at}`, at: "2026-11-15T12:00:00.000Z" }));
  const parent = await stored(store, { progress: { step: "attempt", prompt: "go" }, messages });
  const child = await stored(store, { parentRun: parent.id, status: "success" });
  expect(await tellParent(ports(), child)).toMatch(/which started it, was not told: 20 messages wait/);
  expect((await eventsOf(store, parent.id)).map(({ type }) => type)).toEqual(["child.finished"]);
});
