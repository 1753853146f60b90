import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunStore } from "../store.ts";
import { event, next, runStoreConformance, texts } from "../store-conformance.fixture.ts";
import { liveRunList } from "./live-list.ts";
import { ORIGIN, scratch, stored, storeIn, takeLock } from "./store.fixture.ts";

let place: ReturnType<typeof scratch>;
let store: RunStore;

beforeEach(() => {
  place = scratch();
  store = storeIn(place.dir);
});
afterEach(() => place.remove());

runStoreConformance((leaseTimes) => storeIn(place.dir, leaseTimes ? { leaseTimes } : {}));

describe("a stored run", () => {
  it("R-54 leaves no temporary file and no lock, and nobody else can read it", async () => {
    const run = await stored(store);
    await store.change(next(run), { events: [event("a")] });
    expect(readdirSync(store.directoryOf(run.id)).sort()).toEqual(["origin.json", "run-events.jsonl", "run.json"]);
  });

  it("is made in the repository it belongs to after prepare", async () => {
    const reservation = await store.reserve("shop");
    const run = { ...(await stored(store)), id: reservation.id, repo: "Other Repo" };
    await store.create(run, reservation, ORIGIN);
    expect(store.directoryOf(run.id)).toBe(join(place.dir, "other-repo", run.id));
  });

  it("is looked for in the caller's repository, then in unknown, then everywhere; twice elsewhere is an error", async () => {
    const elsewhere = await stored(store, { repo: "elsewhere" });
    expect((await store.read(elsewhere.id))?.repo).toBe("elsewhere");
    const copyTo = (repo: string) => {
      mkdirSync(join(place.dir, repo, elsewhere.id), { recursive: true });
      const text = readFileSync(join(place.dir, "elsewhere", elsewhere.id, "run.json"), "utf8");
      writeFileSync(
        join(place.dir, repo, elsewhere.id, "run.json"),
        text.replace('"repo":"elsewhere"', `"repo":"${repo}"`),
      );
    };
    copyTo("another");
    await expect(store.read(elsewhere.id)).rejects.toThrow(/another and elsewhere|elsewhere and another/);
    copyTo("unknown");
    expect((await store.read(elsewhere.id))?.repo).toBe("unknown");
    copyTo("shop");
    expect((await store.read(elsewhere.id))?.repo).toBe("shop");
  });

  it("an id that is none leads nowhere", async () => {
    expect(await store.read("../../x")).toBeUndefined();
    expect(() => store.directoryOf("zzzzzz")).toThrow("there is no run zzzzzz");
  });

  it("that cannot be read says so, with the file", async () => {
    const run = await stored(store);
    writeFileSync(join(store.directoryOf(run.id), "run.json"), "{");
    await expect(store.read(run.id)).rejects.toThrow(/cannot be read/);
  });
});

describe("the event log", () => {
  it("R-54 cut anywhere, loses nothing that a change stored and doubles nothing", async () => {
    const run = await stored(store);
    await store.append(run.id, [event("a")]);
    await store.change(next(run), { events: [event("b"), event("ü€😀")] });
    const log = join(store.directoryOf(run.id), "run-events.jsonl");
    const whole = readFileSync(log);
    const firstLine = whole.indexOf("\n") + 1;
    for (let bytes = firstLine; bytes <= whole.length; bytes += 1) {
      writeFileSync(log, whole);
      truncateSync(log, bytes);
      expect(await texts(store, run.id), `read after ${bytes} bytes`).toEqual(["1 a", "2 b", "3 ü€😀"]);
      await store.append(run.id, [event("d")]);
      expect(await texts(store, run.id), `appended after ${bytes} bytes`).toEqual(["1 a", "2 b", "3 ü€😀", "4 d"]);
    }
  });

  it("a torn line of an append that nobody was told of is cut off", async () => {
    const run = await stored(store);
    await store.append(run.id, [event("a")]);
    appendFileSync(join(store.directoryOf(run.id), "run-events.jsonl"), '{"cursor":2,"at":"2026-11-1');
    await store.append(run.id, [event("b")]);
    expect(await texts(store, run.id)).toEqual(["1 a", "2 b"]);
  });
});

describe("files of a change", () => {
  it("RB-3 move with it, and after a death in between whoever comes next moves them", async () => {
    const run = await stored(store);
    const directory = store.directoryOf(run.id);
    mkdirSync(join(directory, "staging"));
    writeFileSync(join(directory, "staging", "x"), "bytes");
    const attachment = { id: "att-1", name: "a.txt", mimeType: "text/plain", bytes: 5, sha256: "5f", addedAt: "" };
    await store.change(next(run, { attachments: [attachment] }), {
      files: [{ from: "staging/x", to: "attachments/att-1/5f/a.txt" }],
    });
    expect(readFileSync(await store.attachmentFile(run.id, attachment), "utf8")).toBe("bytes");
    // As a process that died before the move left it.
    mkdirSync(join(directory, "staging"));
    renameSync(join(directory, "attachments/att-1/5f/a.txt"), join(directory, "staging/x"));
    expect(readFileSync(await store.attachmentFile(run.id, attachment), "utf8")).toBe("bytes");
  });
});

describe("the list", () => {
  it("shows what is, whatever the index says: deleted, torn, behind, ahead", async () => {
    const run = await stored(store);
    const index = join(place.dir, "index.jsonl");
    const behind = readFileSync(index);
    await store.change(next(run, { name: "new" }));
    const names = async () => (await store.list({})).map(({ name }) => name);
    for (const spoil of [
      () => rmSync(index),
      () => writeFileSync(index, behind),
      () => appendFileSync(index, '{"dir'),
    ]) {
      spoil();
      expect(await names()).toEqual(["new"]);
    }
    rmSync(store.directoryOf(run.id), { recursive: true });
    expect(await names()).toEqual([]);
  });

  it("keeps its index short: of many changes of a run one line stays", async () => {
    const run = await stored(store);
    const index = join(place.dir, "index.jsonl");
    appendFileSync(index, readFileSync(index, "utf8").repeat(1_100));
    expect(await store.list({ repo: "shop" })).toHaveLength(1);
    expect(readFileSync(index, "utf8").trim().split("\n")).toHaveLength(1);
    expect((await store.list({}))[0]?.id).toBe(run.id);
  });

  it("shows a run that cannot be read as such, whatever was asked for", async () => {
    const run = await stored(store);
    writeFileSync(join(store.directoryOf(run.id), "run.json"), "{");
    expect(await store.list({ parentRun: "abc123" })).toMatchObject([
      { id: run.id, problem: expect.stringContaining("cannot be read") },
    ]);
  });
});

describe("the lease", () => {
  it("RB-6 of a dead process is free at once, also when its process id was given to another", async () => {
    const run = await stored(store);
    const lease = await store.lease(run.id);
    if ("heldBy" in lease) throw new Error("it is free");
    const file = join(store.directoryOf(run.id), "lease.json");
    const held = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify({ ...held, owner: { ...held.owner, startedAt: "1" } }));
    const taken = await store.lease(run.id);
    expect(taken).toHaveProperty("token");
    if (!("heldBy" in taken)) await taken.release();
  });

  it("RB-6 from before a restart is free, though the clock was set back with it; of who lives here it is not", async () => {
    const run = await stored(store);
    const lease = await store.lease(run.id);
    if ("heldBy" in lease) throw new Error("it is free");
    const file = join(store.directoryOf(run.id), "lease.json");
    const held = JSON.parse(readFileSync(file, "utf8"));
    const renewedAt = new Date(Date.now() + 24 * 60 * 60_000).toISOString();
    writeFileSync(file, JSON.stringify({ ...held, renewedAt }));
    expect(await store.lease(run.id)).toHaveProperty("heldBy");
    const owner = { ...held.owner, scope: `${held.owner.scope}-before` };
    writeFileSync(file, JSON.stringify({ ...held, owner }));
    expect(await store.lease(run.id)).toHaveProperty("heldBy");
    writeFileSync(file, JSON.stringify({ ...held, owner, renewedAt }));
    const taken = await store.lease(run.id);
    expect(taken).toHaveProperty("token");
    if (!("heldBy" in taken)) await taken.release();
  });

  it.each(["", "{", "null", "{}", '{"token":"t","owner":null,"renewedAt":"now"}'])(
    "that says %j is nobody's",
    async (text) => {
      const run = await stored(store);
      writeFileSync(join(store.directoryOf(run.id), "lease.json"), text);
      expect(await store.driverOf(run.id)).toBeUndefined();
      const taken = await store.lease(run.id);
      if ("heldBy" in taken) throw new Error("it is free");
      await taken.release();
    },
  );
});

describe("a turn that was torn", () => {
  it.each(["", "{", "null"])("(%j) is given up once it is old: nobody waits for it any more", async (text) => {
    const run = await stored(store);
    const file = join(store.directoryOf(run.id), "turn.json");
    writeFileSync(file, text);
    const old = new Date(Date.now() - 60_000);
    utimesSync(file, old, old);
    const before = performance.now();
    await store.letOthersTurn(run.id);
    expect(performance.now() - before).toBeLessThan(1_500);
    const turn = await store.takeTurn(run.id);
    expect(turn).toBeDefined();
    turn?.release();
  });
});

describe("an index with lines that are none", () => {
  it("is as good as one without them", async () => {
    const run = await stored(store);
    const directory = store.directoryOf(run.id).slice(place.dir.length + 1);
    const lines = ["5", "null", "[]", "{}", '{"directory":5}', JSON.stringify({ directory, stamp: "", summary: null })];
    writeFileSync(join(place.dir, "index.jsonl"), `${lines.join("\n")}\n`, { flag: "a" });
    expect((await store.list({})).map(({ id }) => id)).toEqual([run.id]);
    expect(liveRunList(place.dir)({}).map(({ id }) => id)).toEqual([run.id]);
  });
});

describe("a disk that is full", () => {
  const isFull = new Set<string>();
  afterEach(() => isFull.clear());
  const onFull = () =>
    storeIn(place.dir, {
      onWrite(point) {
        if ([...isFull].some((name) => point.startsWith("before") && point.endsWith(name)))
          throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
      },
    });

  it("R-54 for a lock: who lets go of a run has let go of it, and of nobody else's lease", async () => {
    let isFullNow = false;
    const full = storeIn(place.dir, {
      takeLock: (path) =>
        isFullNow ? Promise.reject(Object.assign(new Error("ENOSPC"), { code: "ENOSPC" })) : takeLock(path),
    });
    const run = await stored(full);
    const leased = async () => {
      const lease = await full.lease(run.id);
      if ("heldBy" in lease) throw new Error("it is free");
      return lease;
    };
    const first = await leased();
    isFullNow = true;
    await first.release();
    isFullNow = false;
    const second = await leased();
    isFullNow = true;
    await first.release();
    isFullNow = false;
    expect(await full.driverOf(run.id)).toBeDefined();
    expect(readdirSync(full.directoryOf(run.id)).filter((name) => name.startsWith("lease"))).toEqual(["lease.json"]);
    await second.release();
    expect(await full.driverOf(run.id)).toBeUndefined();
  });

  it("R-54 for the index: what was stored counts as stored, and lists show it", async () => {
    const full = onFull();
    const run = await stored(full);
    isFull.add(" index.jsonl");
    expect(await full.change(next(run, { name: "curlew" }))).toBe(true);
    const other = await stored(full);
    expect((await full.list({})).map(({ id, name }) => `${id} ${name}`).sort()).toEqual(
      [`${run.id} curlew`, `${other.id} ${other.name}`].sort(),
    );
  });

  it("R-54 for the log once a change is stored: it counts as stored, and its events come later, once", async () => {
    const full = onFull();
    const run = await stored(full);
    await full.append(run.id, [event("a")]);
    isFull.add(" run-events.jsonl");
    expect(await full.change(next(run), { events: [event("b")] })).toBe(true);
    await expect(full.change(next(next(run)), { events: [event("c")] })).rejects.toThrow("ENOSPC");
    expect((await full.read(run.id))?.version).toBe(run.version + 1);
    isFull.clear();
    expect(await full.change(next(next(run)), { events: [event("d")] })).toBe(true);
    expect(await texts(full, run.id)).toEqual(["1 a", "2 b", "3 d"]);
  });

  it("R-54 for the run itself: nothing of the change is stored", async () => {
    const full = onFull();
    const run = await stored(full);
    isFull.add(" run.json.tmp");
    await expect(full.change(next(run), { events: [event("b")] })).rejects.toThrow("ENOSPC");
    isFull.clear();
    expect([(await full.read(run.id))?.version, await texts(full, run.id)]).toEqual([run.version, []]);
  });
});
