// 1,000 pending at once, all waited for in another process: from a click to the woken waiter, beside the bare means of
// waking between the same two processes, taking turns round by round. The bare means comes twice: alone, and after one
// write that is safe on the disk, because a decision that is not is none. Both are measured twice as well: after a pause
// in which all fall asleep, as between the clicks of people, and at once, as no person clicks.
import { fork } from "node:child_process";
import fs, { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { root } from "../../scripts/ensure.mjs";
import { BARE_FILE } from "./bare-file.mjs";
import { ballotOf, draftOf } from "./drafts.mjs";
import { millisecondsOf, summaryOf } from "./figures.mjs";

const { Approvals } = await import(join(root, "dist/approvals/service.js"));

export async function measureWaking(database, { pending, rounds, pauseMs }) {
  const url = await database.fresh();
  const stores = await database.open(url);
  const approvals = new Approvals(stores);
  const directory = mkdtempSync(join(tmpdir(), "holdfast-bench-bare-"));
  const waiter = startWaiter(url, directory);
  await waiter.next(({ ready }) => ready);

  const askedAt = performance.now();
  const asked = await Promise.all(Array.from({ length: pending }, (_, index) => approvals.request(draftOf(index))));
  const askMs = performance.now() - askedAt;
  waiter.child.send({ wait: asked.map(({ id }) => id) });
  await waiter.next(({ waiting }) => waiting);

  await database.settle(url);
  const bell = await bareBell(url, directory);
  const means = { waiter, bell, approvals };
  const asleep = await takingTurns(means, asked.slice(0, rounds), pauseMs);
  const atOnce = await takingTurns(means, asked.slice(rounds, 2 * rounds), 0);

  const rest = asked.slice(2 * rounds);
  const allWoke = Promise.all(rest.map(({ id }) => waiter.next((message) => message.woke === id)));
  const startedAt = performance.now();
  await Promise.all(rest.map(({ id }) => approvals.vote(id, ballotOf("ada"))));
  await allWoke;
  const restMs = performance.now() - startedAt;

  await bell.stop();
  waiter.child.send({ end: true });
  await stores.close();
  rmSync(directory, { recursive: true });
  return { pending, askMs, bareMeans: database.bare, pauseMs, asleep, atOnce, restDecided: rest.length, restMs };
}

/** Each means in each round, each after the same pause; which comes first moves on by one a round. */
async function takingTurns({ waiter, bell, approvals }, asked, pauseMs) {
  const times = { bare: [], bareStored: [], untilStored: [], fromClick: [], fromStored: [] };
  const ways = [
    async ({ id }) => times.bare.push((await timed(waiter, `bare-${id}`, bell.ring)).ms),
    async ({ id }) => times.bareStored.push((await timed(waiter, `stored-${id}`, bell.storeAndRing)).ms),
    async ({ id }) => {
      const click = async () => {
        const clickedAt = process.hrtime.bigint();
        await approvals.vote(id, ballotOf("ada"));
        times.untilStored.push(millisecondsOf(process.hrtime.bigint() - clickedAt));
      };
      const { ms, at } = await timed(waiter, id, click);
      times.fromClick.push(ms);
      if (bell.rungAt) times.fromStored.push(millisecondsOf(at - bell.rungAt()));
    },
  ];
  for (const [round, approval] of asked.entries())
    for (const turn of ways.keys()) {
      if (pauseMs > 0) await sleep(pauseMs);
      await ways[(round + turn) % ways.length](approval);
    }
  const measured = Object.entries(times).filter(([, list]) => list.length > 0);
  const figures = Object.fromEntries(measured.map(([name, list]) => [name, summaryOf(list)]));
  const ratio = ({ p50, p99 }, to) => ({ p50: p50 / to.p50, p99: p99 / to.p99 });
  const { bare, bareStored, fromClick, fromStored } = figures;
  const ratios = { timesBare: ratio(fromClick, bare), timesBareStored: ratio(fromClick, bareStored) };
  return { ...figures, ...ratios, ...(fromStored && { storedTimesBare: ratio(fromStored, bare) }) };
}

async function timed(waiter, name, ring) {
  const woke = waiter.next((message) => message.woke === name);
  const startedAt = process.hrtime.bigint();
  await ring(name);
  const at = BigInt((await woke).at);
  return { at, ms: millisecondsOf(at - startedAt) };
}

const LOG_PAGES = 1_000;

async function bareBell(url, directory) {
  if (url.startsWith("sqlite:")) {
    const elsewhere = mkdtempSync(join(tmpdir(), "holdfast-bench-stored-"));
    const file = openSync(join(elsewhere, "stored"), "w");
    const page = Buffer.alloc(4_096, "x");
    // As long as the log that SQLite writes to, and written in place as that is: to make a file longer takes more.
    for (let pages = 0; pages < LOG_PAGES; pages++) writeSync(file, page);
    fsyncSync(file);
    let stored = 0;
    // A line, not a file: what it takes to make one depends on how many anybody deleted in the last minutes.
    const rung = openSync(join(directory, BARE_FILE), "a");
    const ring = (name) => writeSync(rung, `${name}\n`);
    const storeAndRing = (name) => {
      writeSync(file, page, 0, page.length, (stored++ % LOG_PAGES) * page.length);
      fsyncSync(file);
      ring(name);
    };
    const writes = noteWrites();
    const stop = async () => {
      writes.stop();
      closeSync(file);
      closeSync(rung);
      rmSync(elsewhere, { recursive: true });
    };
    return { ring, storeAndRing, rungAt: writes.lastAt, stop };
  }
  const client = new pg.Client(url);
  await client.connect();
  await client.query("create table public.stored (name text)");
  const store = "with stored as (insert into public.stored values ($1) returning name)";
  return {
    ring: (name) => client.query("select pg_notify('bare', $1)", [name]),
    storeAndRing: (name) => client.query(`${store} select pg_notify('bare', name) from stored`, [name]),
    stop: () => client.end(),
  };
}

/** When anything was last written by this process. SQLite's store rings so, once what it rings for is on the disk. */
function noteWrites() {
  const { writeSync: write } = fs;
  let at;
  fs.writeSync = (...parameters) => {
    at = process.hrtime.bigint();
    return write(...parameters);
  };
  syncBuiltinESMExports();
  const stop = () => {
    fs.writeSync = write;
    syncBuiltinESMExports();
  };
  return { lastAt: () => at, stop };
}

function startWaiter(url, directory) {
  const child = fork(join(import.meta.dirname, "waiter.mjs"), [JSON.stringify({ url, directory })]);
  const wanted = new Set();
  const early = [];
  child.on("message", (message) => {
    for (const one of wanted)
      if (one.matches(message)) {
        wanted.delete(one);
        one.resolve(message);
        return;
      }
    early.push(message);
  });
  return {
    child,
    next: (matches) =>
      new Promise((resolve) => {
        const place = early.findIndex(matches);
        if (place >= 0) resolve(early.splice(place, 1)[0]);
        else wanted.add({ matches, resolve });
      }),
  };
}
