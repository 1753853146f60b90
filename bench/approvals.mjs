// Approvals under load, on both stores: npm run bench:approvals -- [--quick] [--json] [--store sqlite|postgres]
// [--only wake,clicks,audit,pages] [--seconds 60] [--rows 1000000]. Read ratios and targets; times are this machine's.
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { ensureBuilt } from "../scripts/ensure.mjs";

ensureBuilt();
const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    store: { type: "string", multiple: true, default: ["sqlite", "postgres"] },
    only: { type: "string", default: "wake,clicks,audit,pages" },
    seconds: { type: "string" },
    rows: { type: "string" },
  },
});
const { startDatabases } = await import("./approvals/databases.mjs");
const { measureWaking } = await import("./approvals/wake.mjs");
const { measureClicks } = await import("./approvals/clicks.mjs");
const { measureAudit } = await import("./approvals/audit.mjs");
const { measurePages } = await import("./approvals/pages.mjs");
const { rounded } = await import("./approvals/figures.mjs");

const { quick } = values;
const sizes = {
  wake: { pending: quick ? 200 : 1_000, rounds: quick ? 50 : 300, pauseMs: 20 },
  clicks: { approvers: quick ? 40 : 200, requests: quick ? 100 : 1_000, processes: 4 },
  audit: { seconds: Number(values.seconds ?? (quick ? 5 : 60)), writers: 4, batch: 500 },
  pages: { rows: Number(values.rows ?? (quick ? 50_000 : 1_000_000)), rounds: quick ? 10 : 30 },
};
const measures = { wake: measureWaking, clicks: measureClicks, audit: measureAudit, pages: measurePages };
const say = (line) => values.json || console.error(line);
const only = values.only.split(",");

// The database must not outlive whoever is told to stop.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

const report = { at: new Date().toISOString(), node: process.version, stores: {} };
const databases = await startDatabases(values.store, say);
try {
  for (const database of databases) {
    const results = {};
    for (const [name, measure] of Object.entries(measures)) {
      if (!only.includes(name)) continue;
      say(`${database.name}: ${name}`);
      const before = loadavg()[0];
      results[name] = { ...(await measure(database, sizes[name], say)), load: [before, loadavg()[0]] };
    }
    report.stores[database.name] = results;
  }
} finally {
  for (const database of databases) await database.stop();
}
if (values.json) console.log(JSON.stringify(report, undefined, 2));
else console.log(tableOf(report));

function met(isMet, words) {
  return `${isMet ? "met   " : "MISSED"} ${words}`;
}

function tableOf({ stores }) {
  const lines = [];
  const line = (store, what, figure, target = "") =>
    lines.push(`${store.padEnd(9)} ${what.padEnd(44)} ${figure.padEnd(52)} ${target}`.trimEnd());
  for (const [store, { wake, clicks, audit, pages }] of Object.entries(stores)) {
    if (wake) {
      line(store, `${wake.pending} asked at once`, `${rounded(wake.askMs)} ms`);
      for (const row of wakingRows(wake)) line(store, ...row);
      line(store, `${wake.restDecided} decided and woken at once`, `${rounded(wake.restMs)} ms`);
    }
    if (clicks) {
      const what = `${clicks.approvers} approvers at ${clicks.requests} requests`;
      const figure = `${rounded(clicks.ms / 1000)} s, ${Math.round(clicks.clicksPerSecond)} clicks a second`;
      line(store, what, figure, met(clicks.oneWinnerEach && clicks.isStored, "one winner each, every click noted"));
    }
    if (audit) {
      const figure = `${Math.round(audit.rowsPerSecond)} rows a second, slowest second ${audit.slowestSecond}, lost ${audit.lost}`;
      const isMet = audit.rowsPerSecond >= 10_000 && audit.lost === 0;
      line(store, `audit for ${audit.seconds} s`, figure, met(isMet, "10,000 a second, none lost"));
    }
    for (const [name, { p50, p99 }] of Object.entries(pages?.pages ?? {}))
      line(store, name, `p50 ${rounded(p50)} ms, p99 ${rounded(p99)} ms`, met(p99 < 100, "under 100 ms"));
    const loads = [wake, clicks, audit, pages]
      .filter(Boolean)
      .flatMap(({ load }) => load.map((value) => rounded(value)));
    line(store, "load of the machine, before and after each", loads.join(" "));
  }
  return lines.join("\n");
}

/** Judged is what comes after a pause: nobody clicks in the moment in which the one before was answered. */
function wakingRows({ bareMeans, pauseMs, asleep, atOnce }) {
  const figures = ({ p50, p99 }) => `p50 ${rounded(p50)} ms, p99 ${rounded(p99)} ms`;
  const times = ({ p50, p99 }) => `p50 ${rounded(p50)}x, p99 ${rounded(p99)}x`;
  const judged = (ratio) => [times(ratio), met(ratio.p50 <= 3 && ratio.p99 <= 3, "at most 3x")];
  const rowsOf = ({ bare, bareStored, untilStored, fromClick, fromStored, ...ratios }, ratioOf) => [
    [`  bare ${bareMeans}`, figures(bare)],
    [`  bare ${bareMeans} after a safe write`, figures(bareStored)],
    ["  click to decision stored", figures(untilStored)],
    ["  click to woken waiter", figures(fromClick)],
    ["    as times of the bare means", ...ratioOf(ratios.timesBare)],
    ["    as times of it after a safe write", ...ratioOf(ratios.timesBareStored)],
    ...(fromStored
      ? [
          ["  decision stored to woken waiter", figures(fromStored)],
          ["    as times of the bare means", ...ratioOf(ratios.storedTimesBare)],
        ]
      : []),
  ];
  return [
    [`${asleep.bare.count} rounds, each asleep for ${pauseMs} ms before`, ""],
    ...rowsOf(asleep, judged),
    [`${atOnce.bare.count} rounds, one at once after the other`, ""],
    ...rowsOf(atOnce, (ratio) => [times(ratio)]),
  ];
}
