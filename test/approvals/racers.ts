/** Real processes over one store, and whether what they were told agrees with what is stored. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect } from "vitest";
import { draftOf } from "../../src/approvals/approval.fixture.ts";
import type { Approval, HistoryEntry, Status } from "../../src/approvals/approval.ts";
import { Approvals } from "../../src/approvals/service.ts";
import type { Stores } from "../../src/approvals/store.ts";

export interface Said {
  readonly name: string;
  readonly did: string;
  readonly id: string;
  readonly kind?: string;
  readonly code?: string;
  readonly event?: string;
  readonly why?: string;
}

export interface Racer {
  readonly said: Said[];
  readonly child: ChildProcessWithoutNullStreams;
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
}

/** Every fourth is over before the race is. */
export async function askMany(stores: Stores, count: number): Promise<readonly Approval[]> {
  const approvals = new Approvals(stores);
  const asked: Approval[] = [];
  for (let made = 0; made < count; made++)
    asked.push(await approvals.request(draftOf({ policy: { expiresAfterMs: made % 4 ? 600_000 : 300 } })));
  return asked;
}

export function startRacer(url: string, name: string, asked: readonly Approval[], rounds = 2): Racer {
  const ids = asked.map(({ id }) => id);
  const digests = asked.map(({ digest }) => digest);
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, "racer.mjs"), JSON.stringify({ url, name, ids, digests, rounds })],
    { stdio: "pipe" },
  );
  const said: Said[] = [];
  let problem = "";
  child.stderr.on("data", (chunk) => {
    problem += chunk;
  });
  child.stdin.on("error", () => {});
  let isReady = () => {};
  const ready = new Promise<void>((resolve, reject) => {
    isReady = resolve;
    child.once("exit", () => reject(new Error(`${name} ended before it was ready: ${problem}`)));
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    const one: Said = JSON.parse(line);
    if (one.did === "ready") isReady();
    else said.push(one);
  });
  return { said, child, ready, ended: once(child, "close").then(() => {}) };
}

export async function race(racers: readonly Racer[]): Promise<void> {
  await Promise.all(racers.map(({ ready }) => ready));
  for (const { child } of racers) child.stdin.write("go\n");
}

const EDGES: Readonly<Record<Status, readonly string[]>> = {
  pending: ["approved", "denied", "expired", "withdrawn"],
  approved: ["used", "withdrawn"],
  denied: [],
  expired: [],
  withdrawn: [],
  used: [],
};

/** The approval is what its history makes of it, and everything that was said about it is in there. */
export function agrees(approval: Approval, history: readonly HistoryEntry[], said: readonly Said[]): void {
  const changes = history.filter(({ action }) => action !== "refused");
  expect([...new Set(changes.map(({ version }) => version))]).toEqual(
    Array.from({ length: approval.version }, (_, index) => index + 1),
  );
  let status: Status = "pending";
  for (const { action } of changes) {
    if (!(action in EDGES)) continue;
    expect(EDGES[status]).toContain(action);
    status = action as Status;
  }
  expect(approval.status).toBe(status);
  expect(approval.votes.length).toBeLessThanOrEqual(1);

  const done = said.filter(({ id, kind }) => id === approval.id && kind === "done");
  const of = (...deeds: readonly string[]) => done.filter(({ did }) => deeds.includes(did));
  for (const { did, name } of of("approve", "deny"))
    expect(approval.votes).toEqual([expect.objectContaining({ by: name, kind: did })]);
  expect(of("approve", "deny").length).toBeLessThanOrEqual(1);
  expect(of("use").length).toBeLessThanOrEqual(1);
  for (const { event } of of("use")) expect(approval).toMatchObject({ status: "used", usedBy: event });
  expect(of("withdraw").length).toBeLessThanOrEqual(1);
  for (const { name } of of("withdraw")) expect(changes.at(-1)).toMatchObject({ action: "withdrawn", by: name });
}

export async function allAgree(
  stores: Stores,
  asked: readonly Approval[],
  racers: readonly Racer[],
): Promise<readonly Approval[]> {
  const said = racers.flatMap((racer) => racer.said);
  const found: Approval[] = [];
  for (const { id } of asked) {
    const approval = await stores.get(id);
    if (!approval) throw new Error(`${id} is gone`);
    agrees(approval, await stores.history(id), said);
    found.push(approval);
  }
  return found;
}
