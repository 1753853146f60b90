// 1,000 pending at once, all waited for in another process: from a click to the woken waiter, beside the bare means of
// waking in the same run, taking turns. The bare means comes twice: alone, and after one write that is safe on the disk,
// because a decision that is not is none.
import { fork } from "node:child_process";
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { root } from "../../scripts/ensure.mjs";
import { ballotOf, draftOf } from "./drafts.mjs";
import { millisecondsOf, summaryOf } from "./figures.mjs";

const { Approvals } = await import(join(root, "dist/approvals/service.js"));

export async function measureWaking(database, { pending, rounds }) {
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

  const bell = await bareBell(url, directory);
  const [bare, bareStored, fromClick, untilStored] = [[], [], [], []];
  for (const [index, { id }] of asked.slice(0, rounds).entries()) {
    bare.push(await timed(waiter, `bare-${index}`, bell.ring));
    bareStored.push(await timed(waiter, `stored-${index}`, bell.storeAndRing));
    fromClick.push(
      await timed(waiter, id, async () => {
        const clickedAt = process.hrtime.bigint();
        await approvals.vote(id, ballotOf("ada"));
        untilStored.push(millisecondsOf(process.hrtime.bigint() - clickedAt));
      }),
    );
  }

  const rest = asked.slice(rounds);
  const allWoke = Promise.all(rest.map(({ id }) => waiter.next((message) => message.woke === id)));
  const startedAt = performance.now();
  await Promise.all(rest.map(({ id }) => approvals.vote(id, ballotOf("ada"))));
  await allWoke;
  const restMs = performance.now() - startedAt;

  await bell.stop();
  waiter.child.send({ end: true });
  await stores.close();
  rmSync(directory, { recursive: true });
  const figures = {
    bare: summaryOf(bare),
    bareStored: summaryOf(bareStored),
    untilStored: summaryOf(untilStored),
    fromClick: summaryOf(fromClick),
  };
  const ratio = (share, to) => figures.fromClick[share] / figures[to][share];
  return {
    pending,
    askMs,
    bareMeans: database.bare,
    ...figures,
    timesBare: { p50: ratio("p50", "bare"), p99: ratio("p99", "bare") },
    timesBareStored: { p50: ratio("p50", "bareStored"), p99: ratio("p99", "bareStored") },
    restDecided: rest.length,
    restMs,
  };
}

async function timed(waiter, name, ring) {
  const woke = waiter.next((message) => message.woke === name);
  const startedAt = process.hrtime.bigint();
  await ring(name);
  return millisecondsOf(BigInt((await woke).at) - startedAt);
}

async function bareBell(url, directory) {
  if (url.startsWith("sqlite:")) {
    const elsewhere = mkdtempSync(join(tmpdir(), "holdfast-bench-stored-"));
    const file = openSync(join(elsewhere, "stored"), "w");
    const page = Buffer.alloc(4_096, "x");
    const ring = (name) => closeSync(openSync(join(directory, name), "w"));
    const storeAndRing = (name) => {
      writeSync(file, page);
      fsyncSync(file);
      ring(name);
    };
    const stop = async () => {
      closeSync(file);
      rmSync(elsewhere, { recursive: true });
    };
    return { ring, storeAndRing, stop };
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
