/** What every store of runs does, asked of the real one. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { outputFileOf } from "./files/attempt-file.ts";
import type { LeaseTimes } from "./files/lease.ts";
import { ORIGIN, stored } from "./files/store.fixture.ts";
import type { Run } from "./run.ts";
import type { AttemptState, NewRunEvent, RunEvent, RunQuery, RunStore } from "./store.ts";

export const event = (text: string): NewRunEvent => ({ type: "test", source: "system", data: { text } });
export const next = (run: Run, change: Partial<Run> = {}): Run => ({ ...run, ...change, version: run.version + 1 });

export async function eventsOf(store: RunStore, id: string, from?: number): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const each of store.events(id, from)) events.push(each);
  return events;
}

export const texts = async (store: RunStore, id: string) =>
  (await eventsOf(store, id)).map(({ cursor, data }) => `${cursor} ${data.text}`);

/** `open` gives a store of the same runs each time within one test. */
export function runStoreConformance(open: (leaseTimes?: LeaseTimes) => RunStore): void {
  describe("a stored run", () => {
    it("R-54 is compared and set: only a change of the stored version is stored", async () => {
      const store = open();
      const run = await stored(store);
      expect(await store.change(next(run, { name: "first" }))).toBe(true);
      expect(await store.change(next(run, { name: "second" }))).toBe(false);
      expect((await store.read(run.id))?.name).toBe("first");
    });

    it("R-54 of many changes at once exactly one is stored, with its events and no others", async () => {
      const store = open();
      const run = await stored(store);
      const changes = Array.from({ length: 8 }, (_, index) => String(index));
      const outcomes = await Promise.all(
        changes.map((name) => open().change(next(run, { name }), { events: [event(name)] })),
      );
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      expect(await texts(store, run.id)).toEqual([`1 ${(await store.read(run.id))?.name}`]);
    });

    it("comes back as it was, whatever stands in it", async () => {
      const store = open();
      const run = await stored(store, { note: "nul \u0000, lone \ud800, ü€😀", state: { deep: [1, { x: null }] } });
      expect(await store.read(run.id)).toEqual(run);
    });

    it("R-22 a reserved place is no run until it is created, and discarded it is gone", async () => {
      const store = open();
      const before = (await store.list({})).length;
      const reservation = await store.reserve("shop");
      expect(await store.read(reservation.id)).toBeUndefined();
      expect(await store.list({})).toHaveLength(before);
      await reservation.discard();
      expect(existsSync(reservation.directory)).toBe(false);
    });

    it("an id that is none leads nowhere", async () => {
      const store = open();
      expect(await store.read("../../x")).toBeUndefined();
      expect(await store.read("zzzzzz")).toBeUndefined();
      expect(() => store.directoryOf("../../x")).toThrow("there is no run ../../x");
      await expect(store.lease("zzzzzz")).rejects.toThrow("there is no run zzzzzz");
      await expect(store.change({ ...(await stored(store)), id: "zzzzzz" })).rejects.toThrow("there is no run zzzzzz");
    });

    it("is removed whole", async () => {
      const store = open();
      const run = await stored(store);
      await store.remove(run.id);
      expect(await store.read(run.id)).toBeUndefined();
      expect((await store.list({})).map(({ id }) => id)).not.toContain(run.id);
      await expect(store.append(run.id, [event("a")])).rejects.toThrow("there is no run");
    });

    it("knows what it was made from", async () => {
      const store = open();
      const run = await stored(store);
      expect(await store.originOf(run.id)).toEqual(ORIGIN);
      expect(await store.change(next(run), { origin: { ...ORIGIN, callerCwd: "/other" } })).toBe(true);
      expect((await store.originOf(run.id))?.callerCwd).toBe("/other");
      expect(await store.change(next(run), { origin: { ...ORIGIN, callerCwd: "/too-late" } })).toBe(false);
      expect(await store.change(next(next(run)), {})).toBe(true);
      expect((await store.originOf(run.id))?.callerCwd).toBe("/other");
    });

    it("tells which task edits the changes after a version belonged to", async () => {
      const store = open();
      const run = await stored(store);
      await store.change(next(run), { within: ["outer"] });
      await store.change(next(next(run)), { within: ["outer", "inner"] });
      const within = async (version: number) =>
        (await store.changesSince(run.id, version))?.map((change) => change.within.join());
      expect(await within(run.version)).toEqual(["outer", "outer,inner"]);
      expect(await within(run.version + 2)).toEqual([]);
      expect(await within(run.version - 5)).toBeUndefined();
    });
  });

  describe("the event log", () => {
    it("RB-13 numbers events from 1 without a gap, whichever way they come", async () => {
      const store = open();
      const run = await stored(store);
      await store.append(run.id, [event("a"), event("b")]);
      await store.change(next(run), { events: [event("c")] });
      await store.append(run.id, [event("d")]);
      expect(await texts(store, run.id)).toEqual(["1 a", "2 b", "3 c", "4 d"]);
      expect((await eventsOf(store, run.id, 3)).map(({ cursor }) => cursor)).toEqual([3, 4]);
    });

    it("RB-13 has no gap and nothing twice when many write at once", async () => {
      const store = open();
      const run = await stored(store);
      await Promise.all(
        Array.from({ length: 20 }, (_, at) => open().append(run.id, [event(`${at}a`), event(`${at}b`)])),
      );
      const events = await eventsOf(store, run.id);
      expect(events.map(({ cursor }) => cursor)).toEqual(Array.from({ length: 40 }, (_, at) => at + 1));
      expect(new Set(events.map(({ data }) => data.text)).size).toBe(40);
    });

    it("a line longer than what is read at once is found whole", async () => {
      const store = open();
      const run = await stored(store);
      await store.append(run.id, [event("x".repeat(200_000))]);
      await store.append(run.id, [event("b")]);
      expect((await eventsOf(store, run.id)).map(({ cursor }) => cursor)).toEqual([1, 2]);
    });
  });

  describe("files of a change", () => {
    const attachment = { id: "att-1", name: "a.txt", mimeType: "text/plain", bytes: 5, sha256: "5f", addedAt: "" };

    it("RB-3 move with it, and go with another", async () => {
      const store = open();
      const run = await stored(store);
      const directory = store.directoryOf(run.id);
      mkdirSync(join(directory, "staging"), { recursive: true });
      writeFileSync(join(directory, "staging", "x"), "bytes");
      const changed = next(run, { attachments: [attachment] });
      await store.change(changed, { files: [{ from: "staging/x", to: "attachments/att-1/5f/a.txt" }] });
      const file = await store.attachmentFile(run.id, attachment);
      expect(readFileSync(file, "utf8")).toBe("bytes");
      await store.change(next(changed), { files: [{ remove: "attachments/att-1/5f/a.txt" }] });
      expect(existsSync(file)).toBe(false);
    });

    it("never lead out of the run's directory", async () => {
      const store = open();
      const run = await stored(store);
      await expect(store.change(next(run), { files: [{ remove: "../../index.jsonl" }] })).rejects.toThrow(
        "leads out of",
      );
      expect((await store.read(run.id))?.version).toBe(run.version);
    });
  });

  describe("an attempt", () => {
    const result: AttemptState["result"] = {
      ...{ exitCode: 0, signal: null, isTimedOut: false, isAborted: false, session: "s" },
      ...{ transcript: "done", stdout: "o", stderr: "e", isSessionUnknown: false },
    };

    it("is kept as it was written last, with what its backend said", async () => {
      const store = open();
      const run = await stored(store);
      expect(await store.readAttempt(run.id, 1)).toBeUndefined();
      expect(await store.attemptOutput(run.id, 1)).toBeUndefined();
      const begun: AttemptState = { number: 1, prompt: "go", process: null, result: null };
      await store.writeAttempt(run.id, begun);
      expect(await store.readAttempt(run.id, 1)).toEqual(begun);
      const output = outputFileOf(store.directoryOf(run.id), 1);
      mkdirSync(dirname(output), { recursive: true });
      writeFileSync(output, "what it said");
      await store.writeAttempt(run.id, { ...begun, result });
      expect(await store.readAttempt(run.id, 1)).toEqual({ ...begun, result });
      const kept = await store.attemptOutput(run.id, 1);
      expect([kept?.lostBytes, readFileSync(kept?.file ?? "", "utf8")]).toEqual([0, "what it said"]);
    });

    it("RB-6 is written by whoever holds the lease, and by nobody who lost it", async () => {
      const store = open();
      const run = await stored(store);
      const begun: AttemptState = { number: 1, prompt: "go", process: null, result: null };
      const lease = await store.lease(run.id);
      if ("heldBy" in lease) throw new Error("it is free");
      await store.writeAttempt(run.id, begun, lease.token);
      await expect(store.writeAttempt(run.id, { ...begun, result }, "another")).rejects.toThrow("taken over");
      expect(await store.readAttempt(run.id, 1)).toEqual(begun);
      await lease.release();
    });

    it("goes with a reset", async () => {
      const store = open();
      const run = await stored(store);
      await store.writeAttempt(run.id, { number: 1, prompt: "go", process: null, result });
      await store.change(next(run), { files: [{ remove: "attempts" }] });
      expect(await store.readAttempt(run.id, 1)).toBeUndefined();
    });
  });

  describe("the list", () => {
    it("is newest first, filtered, and leaves out archived runs unless they are asked for", async () => {
      const store = open();
      const group = `g-${Math.random()}`;
      const ids = async (query = {}) => (await store.list({ group, ...query })).map(({ id }) => id);
      const at = (minute: number) => `2026-11-15T12:0${minute}:00.000Z`;
      const old = await stored(store, { createdAt: at(1), status: "success", group });
      const young = await stored(store, { createdAt: at(2), parentRun: old.id, repo: "unknown", group });
      const archived = await stored(store, { createdAt: at(3), isArchived: true, group });
      expect(await ids()).toEqual([young.id, old.id]);
      expect(await ids({ includeArchived: true })).toEqual([archived.id, young.id, old.id]);
      expect(await ids({ repo: "Shop" })).toEqual([old.id]);
      expect(await ids({ statuses: ["success"] })).toEqual([old.id]);
      expect(await ids({ parentRun: old.id })).toEqual([young.id]);
      expect(await ids({ limit: 1 })).toEqual([young.id]);
    });
  });

  describe("the lease", () => {
    it("is held by one, and free again once released", async () => {
      const store = open();
      const run = await stored(store);
      const lease = await store.lease(run.id);
      if ("heldBy" in lease) throw new Error("it is free");
      expect(await open().lease(run.id)).toEqual({ heldBy: `process ${process.pid}` });
      expect(await store.driverOf(run.id)).toBe(`process ${process.pid}`);
      await lease.release();
      expect(await store.driverOf(run.id)).toBeUndefined();
    });

    it("RB-6 of many who want it at once one has it", async () => {
      const run = await stored(open());
      const leases = await Promise.all(Array.from({ length: 8 }, () => open().lease(run.id)));
      const held = leases.filter((lease) => "token" in lease);
      expect(held).toHaveLength(1);
      await held[0]?.release();
    });

    it("RB-6 of a silent owner is taken over: the old owner is told, and can store nothing more", async () => {
      const impatient = open({ renewMs: 60_000, silentMs: -1 });
      const run = await stored(impatient);
      const old = await impatient.lease(run.id);
      const taken = await impatient.lease(run.id);
      if ("heldBy" in old || "heldBy" in taken) throw new Error("both are to be had");
      await expect(impatient.change(next(run), { lease: old.token })).rejects.toThrow("taken over");
      await old.release();
      expect(await impatient.change(next(run), { lease: taken.token })).toBe(true);
      await taken.release();
    });

    it("RB-6 that was lost is found out by its next renewal", async () => {
      const hasty = open({ renewMs: 20, silentMs: -1 });
      const run = await stored(hasty);
      const old = await hasty.lease(run.id);
      const taken = await open({ renewMs: 60_000, silentMs: -1 }).lease(run.id);
      if ("heldBy" in old || "heldBy" in taken) throw new Error("both are to be had");
      if (!old.lost.aborted) await new Promise((done) => old.lost.addEventListener("abort", done));
      expect(taken.lost.aborted).toBe(false);
      await taken.release();
    });
  });

  describe("a wish to stop a run", () => {
    it("reaches whoever drives it, is in the log, and is not for the next one who does", async () => {
      const store = open();
      const run = await stored(store);
      await expect(store.requestStop(run.id, "mira", "web")).rejects.toMatchObject({ code: "HF1081" });
      const lease = await store.lease(run.id);
      if ("heldBy" in lease) throw new Error("it is to be had");
      await store.requestStop(run.id, "mira", "web");
      if (!lease.stopped.aborted) await new Promise((done) => lease.stopped.addEventListener("abort", done));
      expect(lease.lost.aborted).toBe(false);
      const logged = [];
      for await (const { type, source, data } of store.events(run.id)) logged.push([type, source, data]);
      expect(logged).toContainEqual(["run.stop_requested", "web", { by: "mira" }]);
      await lease.release();
      const next = await store.lease(run.id);
      if ("heldBy" in next) throw new Error("it is to be had");
      await new Promise((done) => setTimeout(done, 1_500));
      expect(next.stopped.aborted).toBe(false);
      await next.release();
    });
  });

  it("a list is searched by any of its words and read in pages, without a gap among runs of one moment", async () => {
    const store = open();
    const group = `terns-${Math.random()}`;
    for (let count = 0; count < 5; count++)
      await stored(store, { group, name: count % 2 === 0 ? "100% of Payout_limits" : "Greeting" });
    const seen: string[] = [];
    for (let after: RunQuery["after"]; ; ) {
      const page = await store.list({ group, limit: 2, ...(after ? { after } : {}) });
      seen.push(...page.map(({ id }) => id));
      after = page.at(-1);
      if (page.length < 2) break;
    }
    expect(seen).toEqual((await store.list({ group })).map(({ id }) => id));
    expect(new Set(seen).size).toBe(5);
    expect(await store.list({ group, search: "100% LIMITS" })).toHaveLength(3);
    expect(await store.list({ group, search: "payoutXlimits" })).toHaveLength(0);
    expect((await store.list({ search: seen[3] ?? "" })).map(({ id }) => id)).toEqual([seen[3]]);
  });

  describe("a turn", () => {
    it("is one editor's, and others wait for it only for a moment", async () => {
      const store = open();
      const run = await stored(store);
      const turn = await store.takeTurn(run.id);
      expect(turn).toBeDefined();
      expect(await store.takeTurn(run.id)).toBeUndefined();
      await store.letOthersTurn(run.id);
      turn?.release();
    });
  });

  it("what spans runs is done by one at a time", async () => {
    const seen: string[] = [];
    const work = (name: string) => async () => {
      seen.push(`${name} begins`);
      await new Promise((done) => setTimeout(done, 20));
      seen.push(`${name} ends`);
    };
    await Promise.all(["a", "b", "c"].map((name) => open().exclusively(work(name))));
    for (let at = 0; at < seen.length; at += 2) expect(seen[at + 1]).toBe(seen[at]?.replace("begins", "ends"));
  });
}
