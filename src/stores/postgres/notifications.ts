/**
 * One listening connection per process. Lost, it is made anew; then everybody who watches is called once, because
 * nobody knows what was missed.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Client, ClientConfig } from "pg";
import type { OnApprovalChange, Unwatch } from "../../approvals/store.ts";
import { type News, newsIn } from "../news.ts";

export const CHANNEL = "holdfast_approvals";

/** PostgreSQL carries less than 8,000 bytes. What is longer is told of by its id. */
export const LONGEST_NEWS = 7_900;

export class Notifications {
  readonly #settings: ClientConfig;
  readonly #byId = new Map<string, Set<OnApprovalChange>>();
  readonly #ofAll = new Set<OnApprovalChange>();
  readonly #closing = new AbortController();
  #client: Client | undefined;
  /** Settles with the first attempt to connect, whether it succeeded or not. */
  #firstAttempt: Promise<void> | undefined;

  constructor(settings: ClientConfig) {
    this.#settings = settings;
  }

  async watch(id: string | null, watcher: OnApprovalChange): Promise<Unwatch> {
    const own: OnApprovalChange = (changed, news) => watcher(changed, news);
    const watchers = id === null ? this.#ofAll : (this.#byId.get(id) ?? new Set());
    watchers.add(own);
    if (id !== null) this.#byId.set(id, watchers);
    this.#firstAttempt ??= new Promise((attempted) => void this.#stayConnected(attempted));
    await this.#firstAttempt;
    return () => {
      watchers.delete(own);
      if (id !== null && watchers.size === 0 && this.#byId.get(id) === watchers) this.#byId.delete(id);
    };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#client?.end().catch(() => {});
  }

  async #stayConnected(attempted: () => void): Promise<void> {
    const { signal } = this.#closing;
    let pauseMs = FIRST_PAUSE_MS;
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const connection = await this.#connect().catch(() => undefined);
      attempted();
      if (connection) {
        pauseMs = FIRST_PAUSE_MS;
        if (!isFirst) this.#ringAll();
        await connection.lost;
      }
      await sleep(pauseMs * (0.5 + Math.random()), undefined, { signal }).catch(() => {});
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  }

  async #connect(): Promise<{ readonly lost: Promise<void> }> {
    const { default: pg } = await import("pg");
    const client = new pg.Client(this.#settings);
    let isLost = () => {};
    const lost = new Promise<void>((resolve) => {
      isLost = resolve;
    });
    client.on("error", isLost);
    client.on("end", isLost);
    client.on("notification", ({ payload = "" }) => this.#heard(payload));
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
    this.#client = client;
    if (this.#closing.signal.aborted) await client.end().catch(() => {});
    // A connection may be dead without anybody having said so.
    const pulse = setInterval(() => void client.query("select 1").catch(isLost), PULSE_MS);
    void lost.then(() => {
      clearInterval(pulse);
      client.removeAllListeners("notification");
      client.end().catch(() => {});
    });
    return { lost };
  }

  #heard(payload: string): void {
    const said = saidIn(payload);
    if (!said) return;
    const { id, news } = said;
    for (const watcher of [...(this.#byId.get(id) ?? []), ...this.#ofAll]) watcher(id, news);
  }

  #ringAll(): void {
    for (const [id, watchers] of [...this.#byId]) for (const watcher of [...watchers]) watcher(id);
    for (const watcher of [...this.#ofAll]) watcher("");
  }
}

/** The approval as it was stored, or its id. Undefined: it is none of ours; any client of the database may notify. */
function saidIn(payload: string): News | undefined {
  if (payload.startsWith("{")) return newsIn(payload);
  return payload === "" ? undefined : { id: payload };
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;
const PULSE_MS = 15_000;
