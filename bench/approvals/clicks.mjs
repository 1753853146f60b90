// Approvers who all click at the same requests, from several processes: exactly one winner each.
import { fork } from "node:child_process";
import { join } from "node:path";
import { root } from "../../scripts/ensure.mjs";
import { draftOf } from "./drafts.mjs";

const { Approvals } = await import(join(root, "dist/approvals/service.js"));

export async function measureClicks(database, { approvers, requests, processes }) {
  const url = await database.fresh();
  const stores = await database.open(url);
  const approvals = new Approvals(stores);
  const asked = await Promise.all(Array.from({ length: requests }, (_, index) => approvals.request(draftOf(index))));
  const ids = asked.map(({ id }) => id);

  const children = Array.from({ length: processes }, (_, index) =>
    fork(join(import.meta.dirname, "clicker.mjs"), [
      JSON.stringify({ url, ids, first: index * (approvers / processes), approvers: approvers / processes }),
    ]),
  );
  await Promise.all(children.map((child) => new Promise((resolve) => child.once("message", resolve))));
  const startedAt = performance.now();
  for (const child of children) child.send("go");
  const results = await Promise.all(children.map((child) => new Promise((resolve) => child.once("message", resolve))));
  const ms = performance.now() - startedAt;

  const wins = new Map();
  for (const { won } of results) for (const id of won) wins.set(id, (wins.get(id) ?? 0) + 1);
  const oneWinnerEach = ids.every((id) => wins.get(id) === 1);
  let isStored = true;
  for (const id of ids) {
    const [{ status, votes }, history] = [await stores.get(id), await stores.history(id)];
    const told = history.filter(({ action }) => action === "refused").length + votes.length;
    if (status === "pending" || votes.length !== 1 || told !== approvers) isStored = false;
  }
  await stores.close();
  const clicks = approvers * requests;
  return { approvers, requests, processes, clicks, ms, clicksPerSecond: (clicks / ms) * 1000, oneWinnerEach, isStored };
}
