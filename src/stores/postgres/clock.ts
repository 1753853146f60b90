/** The database's clock: the one that all who share the store go by. */
import type { Execute } from "../sql/statements.ts";

export class DatabaseClock {
  readonly #execute: Execute;
  readonly #timer: NodeJS.Timeout;
  #offsetMs = 0;

  private constructor(execute: Execute) {
    this.#execute = execute;
    // Until the database answers again, the difference last measured holds.
    this.#timer = setInterval(() => void this.#measure().catch(() => {}), REFRESH_MS);
    this.#timer.unref();
  }

  static async start(execute: Execute): Promise<DatabaseClock> {
    const clock = new DatabaseClock(execute);
    try {
      await clock.#measure();
    } catch (error) {
      clock.stop();
      throw error;
    }
    return clock;
  }

  now(): Date {
    return new Date(Date.now() + this.#offsetMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** The quickest of three answers tells most exactly. */
  async #measure(): Promise<void> {
    let best = { tookMs: Infinity, offsetMs: this.#offsetMs };
    for (let round = 0; round < 3; round++) {
      const askedAt = Date.now();
      const startedAt = performance.now();
      const [row] = await this.#execute<{ ms: number }>(
        "select (extract(epoch from clock_timestamp()) * 1000)::double precision as ms",
        [],
      );
      const tookMs = performance.now() - startedAt;
      if (row && tookMs < best.tookMs) best = { tookMs, offsetMs: row.ms - (askedAt + tookMs / 2) };
    }
    this.#offsetMs = best.offsetMs;
  }
}

const REFRESH_MS = 60_000;
