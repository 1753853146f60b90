import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunQuery, RunStore } from "../store.ts";
import { updateRun } from "../update.ts";
import { liveRunList } from "./live-list.ts";
import { scratch, stored, storeIn } from "./store.fixture.ts";

let place: ReturnType<typeof scratch>;
let store: RunStore;
let list: ReturnType<typeof liveRunList>;
beforeEach(() => {
  place = scratch();
  store = storeIn(place.dir);
  list = liveRunList(place.dir);
});
afterEach(() => place.remove());

const change = (id: string, name: string) =>
  updateRun({ store, now: () => new Date() }, id, (run) => ({ next: { ...run, name } }));
const isSame = async (query: RunQuery = {}) => expect(list(query)).toEqual(await store.list(query));

describe("a list that is kept in memory", () => {
  it("says at every moment what the files say: after runs are made, changed, moved and removed", async () => {
    await isSame();
    const first = await stored(store, { name: "first", repo: "shop" });
    await isSame();
    const second = await stored(store, { name: "second", repo: "ledger", parentRun: first.id });
    await isSame();
    await isSame({ parentRun: first.id });
    await change(first.id, "renamed");
    await isSame({ search: "renamed" });
    await isSame({ search: "first" });
    await store.remove(second.id);
    await isSame();
    await isSame({ limit: 1 });
  });

  it("an index that was written anew, torn or deleted changes nothing", async () => {
    for (const name of ["a", "b", "c"]) await stored(store, { name });
    await isSame();
    const file = join(place.dir, "index.jsonl");
    const text = readFileSync(file, "utf8");
    rmSync(file);
    await isSame();
    writeFileSync(file, text.split("\n").slice(1).join("\n"));
    await isSame();
    appendFileSync(file, '{"directory":"shop/half');
    await isSame();
    await stored(store, { name: "d" });
    await isSame();
  });

  it("a run whose change never reached the index is shown as it is", async () => {
    const run = await stored(store, { name: "as it was" });
    await isSame();
    const file = join(store.directoryOf(run.id), "run.json");
    writeFileSync(file, readFileSync(file, "utf8").replace("as it was", "as it is now"));
    expect(list({}).map(({ name }) => name)).toEqual(["as it is now"]);
  });

  it("one that cannot be read is shown with the reason, until it can", async () => {
    const run = await stored(store, { name: "whole" });
    await isSame();
    const file = join(store.directoryOf(run.id), "run.json");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.slice(0, 40));
    expect(list({})[0]?.problem).toContain("cannot be read");
    writeFileSync(file, text);
    await isSame();
  });
});
