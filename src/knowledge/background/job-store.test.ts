import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { JobStore } from "./job-store.ts";
import { MAX_TRIES, nextTryAt } from "./retry.ts";
import { workOffJobs } from "./worker.ts";

let dir: string;
let store: JobStore;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "holdfast-jobs-"));
  store = new JobStore(join(dir, "jobs"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const start = new Date("2026-11-01T10:00:00Z");
const later = (from: Date, ms: number) => new Date(from.getTime() + ms);
const states = () => store.list().map(({ state, job }) => `${job.kind} ${state} ${job.tries}`);

describe("jobs that wait for a process of their own", () => {
  it("X-14 the payload travels in a file that only its owner reads, whole, whatever its size and its words", () => {
    const payload = { host: "codex", text: `$& $' "quotes"\n${"ü".repeat(300_000)}` };
    const { id } = store.add("drain", payload, start);
    const file = join(dir, "jobs", `${id}.json`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(dir, "jobs")).mode & 0o777).toBe(0o700);
    expect(store.claimNext(["drain"], start)?.job.payload).toEqual(payload);
  });

  it("a job is claimed once, done once, and then gone", () => {
    store.add("drain", {}, start);
    const claim = store.claimNext(["drain"], start);
    expect(store.claimNext(["drain"], start)).toBeUndefined();
    expect(states()).toEqual(["drain running 1"]);
    claim?.done();
    expect(readdirSync(join(dir, "jobs"))).toEqual([]);
  });

  it("X-14 A13-12 what fails is tried again, later each time, and after the last try it lies dead with its reason", () => {
    store.add("drain", {}, start);
    let now = start;
    const pauses: number[] = [];
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      const again = store.claimNext(["drain"], now)?.failed("the model\nis away", now);
      if (!again) break;
      expect(store.claimNext(["drain"], later(again, -1)), "before its time").toBeUndefined();
      pauses.push(again.getTime() - now.getTime());
      now = again;
    }
    expect(pauses).toHaveLength(MAX_TRIES - 1);
    expect(pauses).toEqual([...pauses].sort((one, other) => one - other));
    expect(new Set(pauses).size).toBe(pauses.length);
    expect(store.claimNext(["drain"], later(now, 10 ** 12))).toBeUndefined();
    expect(store.list()).toMatchObject([{ state: "dead", job: { last_error: "the model is away" } }]);
    expect(store.forgetDead()).toBe(1);
    expect(store.list()).toEqual([]);
  });

  it("the pause between tries has an upper bound", () => {
    expect(nextTryAt(MAX_TRIES, start)).toBeNull();
    expect((nextTryAt(MAX_TRIES - 1, start)?.getTime() ?? 0) - start.getTime()).toBeLessThanOrEqual(6 * 60 * 60_000);
  });

  it("a job whose worker was killed counts as a try and waits again; one whose worker lives is left alone", () => {
    store.add("drain", {}, start);
    store.claimNext(["drain"], start);
    expect(store.recover(new Date())).toEqual([]);
    const [name = ""] = readdirSync(join(dir, "jobs"));
    const file = join(dir, "jobs", name);
    const job = JSON.parse(readFileSync(file, "utf8"));
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    writeFileSync(file, JSON.stringify({ ...job, worker: { ...job.worker, pid } }));
    expect(store.recover(new Date())).toHaveLength(1);
    expect(states()).toEqual(["drain waiting 1"]);
  });

  it("a claim that nobody signed or touched for a minute is another try as well", () => {
    const { id } = store.add("lint", {}, start);
    store.claimNext(["lint"], start);
    const file = join(dir, "jobs", `${id}.claimed`);
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), worker: null }));
    expect(store.recover(new Date())).toEqual([]);
    expect(store.recover(later(new Date(), 61_000))).toHaveLength(1);
  });

  it("a claim from before a restart is another try, though the clock was set back with it", () => {
    const { id } = store.add("lint", {}, start);
    store.claimNext(["lint"], start);
    const file = join(dir, "jobs", `${id}.claimed`);
    const yesterday = later(new Date(), -24 * 60 * 60_000);
    expect(store.recover(yesterday), "its worker lives").toEqual([]);
    const job = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify({ ...job, worker: { ...job.worker, scope: "before" } }));
    expect(store.recover(new Date())).toEqual([]);
    expect(store.recover(yesterday)).toHaveLength(1);
  });

  it("a time further off than any pause is not waited for: a clock was wrong", () => {
    const { id } = store.add("drain", {}, start);
    const file = join(dir, "jobs", `${id}.json`);
    const waiting = (not_before: string) =>
      writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), not_before }));
    waiting(later(start, 6 * 60 * 60_000).toISOString());
    expect(store.claimNext(["drain"], start)).toBeUndefined();
    waiting("2099-01-01T00:00:00.000Z");
    expect(store.claimNext(["drain"], start)?.job.id).toBe(id);
  });

  it("of jobs of a kind that were given up only the latest stays, and none once one was done", () => {
    const givenUp = (kind: "drain" | "lint", at: Date) => {
      store.add(kind, {}, at);
      for (let tries = 0, now = at; tries < 5; tries++, now = later(now, 6 * 60 * 60_000))
        store.claimNext([kind], now)?.failed(`away since ${at.toISOString()}`, now);
    };
    givenUp("lint", start);
    for (const day of [1, 2, 3]) givenUp("drain", later(start, day * 24 * 60 * 60_000));
    expect(states()).toEqual(["lint dead 5", "drain dead 5"]);
    expect(store.list().at(-1)?.job.last_error).toContain(later(start, 3 * 24 * 60 * 60_000).toISOString());
    store.add("drain", {}, start);
    store.claimNext(["drain"], start)?.done();
    expect(states()).toEqual(["lint dead 5"]);
  });

  it("a job under another name than its own holds up no other, and is named", () => {
    const { id } = store.add("drain", {}, start);
    renameSync(join(dir, "jobs", `${id}.json`), join(dir, "jobs", "copy.json"));
    expect(store.list()).toEqual([]);
    expect(store.unreadable()).toEqual(["copy.json"]);
  });

  it("a file that holds no job neither runs nor hides the others, and is named", () => {
    mkdirSync(join(dir, "jobs"));
    writeFileSync(join(dir, "jobs", "drain-broken.json"), '{"kind":"drain"');
    store.add("lint", {}, start);
    expect(store.claimNext(["drain", "lint"], start)?.job.kind).toBe("lint");
    expect(store.unreadable()).toEqual(["drain-broken.json"]);
  });
});

describe("a worker", () => {
  const reported: string[] = [];
  const work = (run: (signal: AbortSignal) => Promise<string>, limitMs?: number) =>
    workOffJobs({
      jobsDir: store.directory,
      runners: { drain: (_, signal) => run(signal), lint: async () => "clean" },
      report: ({ hook, phase, error }) => reported.push([hook, phase, ...(error ? [error] : [])].join(" ")),
      ...(limitMs === undefined ? {} : { limitMs }),
    });

  it("does all that is due and says what became of each", async () => {
    reported.length = 0;
    store.add("drain", {}, start);
    store.add("lint", {}, later(start, 1));
    expect(await work(() => Promise.reject(new Error("no such program")))).toBe(2);
    expect(reported).toEqual(["drain started", "drain failed no such program", "lint started", "lint done"]);
    expect(states()).toEqual(["drain waiting 1"]);
  });

  it("A13-19 has a limit for everything together: what runs is told to end, what waits is left for the next", async () => {
    store.add("drain", {}, start);
    store.add("lint", {}, later(start, 1));
    const untilTold = (signal: AbortSignal) =>
      new Promise<string>((_, fail) => signal.addEventListener("abort", () => fail(signal.reason)));
    expect(await work(untilTold, 20)).toBe(1);
    expect(states()).toEqual(["drain waiting 1", "lint waiting 0"]);
  });
});
