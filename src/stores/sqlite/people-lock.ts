/**
 * One at a time among all processes that share a store, also while something else is waited for: the store's own file is
 * locked only for as long as a process stands still. A lock of SQLite on an empty file beside it: it ends with its process.
 */
import { closeSync, openSync } from "node:fs";
import type Libsql from "libsql";
import { HoldfastError } from "../../core/errors.ts";
import { retried } from "./connection.ts";

export class PeopleLock {
  readonly #file: string;
  #database: Promise<Libsql.Database> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
  }

  alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(() => this.#locked(work));
    this.#last = done.catch(() => {});
    return done;
  }

  async #locked<T>(work: () => Promise<T>): Promise<T> {
    const database = await this.#taken();
    try {
      return await work();
    } finally {
      if (database.open) database.exec("rollback");
    }
  }

  async #taken(): Promise<Libsql.Database> {
    try {
      this.#database ??= opened(this.#file);
      const database = await this.#database.catch((error: unknown) => {
        this.#database = undefined;
        throw error;
      });
      await retried(() => database.exec("begin immediate"));
      return database;
    } catch (error) {
      throw new HoldfastError("HF925", `${this.#file} failed: ${(error as Error).message}`, { file: this.#file });
    }
  }

  close(): void {
    void this.#database?.then(
      (database) => database.close(),
      () => {},
    );
  }
}

async function opened(file: string): Promise<Libsql.Database> {
  const { default: Database } = await import("libsql");
  // Never opened here once it is there: to close it again would end the lock that this process may have on it.
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return new Database(file, { timeout: 0 });
}
