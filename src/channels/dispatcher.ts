/**
 * Sends and updates cards, in a server. It is told of changes by the store, looks itself where it was not told, and
 * finds on its start what happened while no server ran. Several servers may run one each.
 */
import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { Approvals } from "../approvals/service.ts";
import type { Stores, Unwatch } from "../approvals/store.ts";
import { channelsOf, type KeeperDeps, keepCard } from "./card-keeper.ts";
import type { LinkTo } from "./card-view.ts";
import { problemInWords } from "./failure.ts";
import type { OpenChannels } from "./open-channels.ts";
import { RETRY_DELAYS_MS, slept } from "./retry.ts";
import { LEASE_MS, SentCards } from "./sent-cards.ts";
import { Slots } from "./slots.ts";

export interface DispatcherOptions {
  readonly stores: Stores;
  readonly approvals: Approvals;
  readonly channels: OpenChannels;
  readonly linkTo: LinkTo;
  readonly onProblem: (approval: string | null, problem: string) => void;
  readonly retryDelaysMs?: readonly number[];
  /** How often it looks without being told. */
  readonly pollMs?: number;
  /** After how long without a sign of life another server takes over a card. */
  readonly leaseMs?: number;
}

export interface Dispatcher {
  /** Nothing is begun any more; resolves when what was begun is over. */
  close(): Promise<void>;
}

const POLL_MS = 10_000;
/** How soon a card is looked at again that another server is at. */
const BUSY_MS = 250;
/** Of one channel; and of all, most of them waiting for their turn. */
const CARDS_AT_ONCE = 8;
const AT_ONCE = 1_000;
const LOOK_AT = 10_000;
const FAR_AWAY_MS = 10 * 365 * 24 * 60 * 60 * 1000;

export async function startDispatcher(options: DispatcherOptions): Promise<Dispatcher> {
  const { stores, onProblem, pollMs = POLL_MS, retryDelaysMs = RETRY_DELAYS_MS, leaseMs = LEASE_MS } = options;
  const abort = new AbortController();
  setMaxListeners(0, abort.signal);
  const cards = new SentCards(stores, () => stores.now(), randomUUID(), leaseMs);
  const keeper: KeeperDeps = { ...options, cards, retryDelaysMs, signal: abort.signal };
  const queue = new Map<string, "waiting" | "running" | "again">();
  /** The versions that were dealt with. */
  const seen = new Map<string, number>();
  const slots = new Slots(CARDS_AT_ONCE);
  const running = new Set<Promise<void>>();

  const enqueue = (id: string) => {
    if (abort.signal.aborted) return;
    queue.set(id, queue.get(id) === "running" || queue.get(id) === "again" ? "again" : "waiting");
    startNext();
  };
  const startNext = () => {
    for (const [id, state] of queue) {
      if (running.size >= AT_ONCE) return;
      if (state !== "waiting") continue;
      queue.set(id, "running");
      const work = deal(id)
        .catch((error: unknown) => onProblem(id, `its card could not be looked after: ${problemInWords(error)}`))
        .finally(() => {
          running.delete(work);
          const isAgain = queue.get(id) === "again" && !abort.signal.aborted;
          if (isAgain) queue.set(id, "waiting");
          else queue.delete(id);
          if (!abort.signal.aborted) startNext();
        });
      running.add(work);
    }
  };
  const deal = async (id: string) => {
    const approval = await stores.get(id);
    if (!approval) return;
    for (const channel of channelsOf(approval)) {
      const isDone = await slots.run(channel, async () => abort.signal.aborted || keepCard(keeper, id, channel));
      if (abort.signal.aborted) return;
      if (isDone) continue;
      await slept(BUSY_MS, abort.signal);
      if (queue.get(id) === "running") queue.set(id, "again");
    }
    seen.set(id, approval.version);
  };
  const look = async () => {
    const far = new Date(stores.now().getTime() + FAR_AWAY_MS);
    const pending = await stores.due(far, LOOK_AT);
    for (const { id, channel, version } of pending) if (channel !== null && seen.get(id) !== version) enqueue(id);
    const isPending = new Set(pending.map(({ id }) => id));
    for (const id of seen.keys()) if (!isPending.has(id)) seen.delete(id);
    for (const id of await cards.approvals()) if (!isPending.has(id)) enqueue(id);
  };
  const lookAgain = async () => {
    for (;;) {
      await look().catch((error: unknown) =>
        onProblem(null, `approvals cannot be looked at: ${problemInWords(error)}`),
      );
      await slept(pollMs, abort.signal);
      if (abort.signal.aborted) return;
    }
  };

  const unwatch: Unwatch = await stores.watch(null, enqueue).catch((error: unknown) => {
    onProblem(
      null,
      `changes are looked for every ${pollMs / 1000} s, for the store tells of none: ${problemInWords(error)}`,
    );
    return () => {};
  });
  const looking = lookAgain();
  return {
    async close() {
      unwatch();
      abort.abort();
      await looking;
      await Promise.all(running);
    },
  };
}
