/** One connection to a database file that other processes use too. Nothing waits for a lock in one piece: the process stays responsive. */
import { chmodSync, closeSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type Libsql from "libsql";
import { HoldfastError } from "../../core/errors.ts";
import { makeDirectory } from "../../files/make-directory.ts";

/** `work` returns what tells its caller, to be called once all is on the disk. */
interface Wanted {
  readonly work: () => () => void;
  readonly reject: (error: unknown) => void;
}

export class SqliteConnection {
  readonly #file: string;
  readonly #database: Libsql.Database;
  readonly #statements = new Map<string, Libsql.Statement>();
  readonly #wanted: Wanted[] = [];
  #flushedAt = Number.NEGATIVE_INFINITY;

  private constructor(file: string, database: Libsql.Database) {
    this.#file = file;
    this.#database = database;
  }

  static async open(file: string): Promise<SqliteConnection> {
    const { default: Database } = await import("libsql");
    makePrivate(file);
    const connection = new SqliteConnection(file, new Database(file, { timeout: LOCK_MS }));
    await retried(() => connection.#database.exec(PRAGMAS));
    return connection;
  }

  all<Row>(sql: string, ...parameters: readonly unknown[]): Row[] {
    const statement = this.#statement(sql);
    if (statement.reader) return statement.all(parameters) as Row[];
    statement.run(parameters);
    return [];
  }

  /** A statement by itself. */
  execute<Row>(sql: string, parameters: readonly unknown[]): Promise<Row[]> {
    const work = () => this.all<Row>(sql, ...parameters);
    if (!/^\s*(select|with)\b/i.test(sql)) return this.write(work);
    return retried(work).catch((error: unknown) => {
      throw this.#failure(error);
    });
  }

  run(sql: string, ...parameters: readonly unknown[]): { changes: number; lastInsertRowid: number } {
    const { changes, lastInsertRowid } = this.#statement(sql).run(parameters);
    return { changes, lastInsertRowid: Number(lastInsertRowid) };
  }

  script(sql: string): void {
    this.#database.exec(sql);
  }

  /**
   * All that `work` does, or nothing: it must not wait. Whatever is wanted at the same time goes to the disk together,
   * and nobody is answered before it is there. `onStored` is the first to hear that it is; it must not fail.
   */
  write<T>(work: () => T, onStored: (result: T) => void = () => {}): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#wanted.push({
        work: () => {
          const result = work();
          return () => {
            onStored(result);
            resolve(result);
          };
        },
        reject: (error) => reject(this.#failure(error)),
      });
      if (this.#wanted.length === 1) this.#flushSoon();
    });
  }

  /** At once after a pause; else whatever comes in the same turn goes along. */
  #flushSoon(): void {
    const flush = () => this.#flush();
    // Not queueMicrotask: it makes a resource of each, and whoever is to be woken waits for that.
    if (performance.now() - this.#flushedAt > PAUSE_MS) void Promise.resolve().then(flush);
    else setImmediate(flush);
  }

  /** In one go: whoever is woken by what is stored waits for no turn of this process. */
  #flush(): void {
    const wanted: Wanted[] = [];
    let answers: readonly (() => void)[];
    try {
      answers = this.#store(wanted);
    } catch (error) {
      if (isBusy(error)) void this.#flushPatiently(wanted);
      else this.#refuse(wanted, error);
      return;
    }
    for (const answer of answers) answer();
  }

  async #flushPatiently(wanted: Wanted[]): Promise<void> {
    await pause();
    await retried(() => this.#store(wanted)).then(
      (answers) => {
        for (const answer of answers) answer();
      },
      (error: unknown) => this.#refuse(wanted, error),
    );
  }

  #store(wanted: Wanted[]): readonly (() => void)[] {
    this.#database.exec("begin immediate");
    // Who came while the lock was waited for goes along.
    wanted.push(...this.#wanted.splice(0));
    const answers = this.#together(wanted);
    this.#flushedAt = performance.now();
    return answers;
  }

  #refuse(wanted: readonly Wanted[], error: unknown): void {
    for (const { reject } of [...wanted, ...this.#wanted.splice(0)]) reject(error);
  }

  #together(wanted: readonly Wanted[]): readonly (() => void)[] {
    try {
      const [first] = wanted;
      const answers = first && wanted.length === 1 ? [this.#alone(first)] : wanted.map((one) => this.#apart(one));
      if (this.#database.inTransaction) this.#database.exec("commit");
      return answers;
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec("rollback");
      throw error;
    }
  }

  #alone({ work, reject }: Wanted): () => void {
    try {
      return work();
    } catch (error) {
      this.#database.exec("rollback");
      return () => reject(error);
    }
  }

  /** What one of several does is undone without the others. */
  #apart({ work, reject }: Wanted): () => void {
    this.#database.exec("savepoint one");
    try {
      const answer = work();
      this.#database.exec("release one");
      return answer;
    } catch (error) {
      this.#database.exec("rollback to one; release one");
      return () => reject(error);
    }
  }

  #failure(error: unknown): unknown {
    if (error instanceof HoldfastError) return error;
    return new HoldfastError("HF925", `${this.#file} failed: ${(error as Error).message}`, { file: this.#file });
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #statement(sql: string): Libsql.Statement {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear();
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** FULL: a yes that was used stays used when the machine loses power. */
const PRAGMAS = `
  pragma journal_mode = wal;
  pragma synchronous = full;
  pragma foreign_keys = on;
  pragma cache_size = -16000;
`;

/** How long the database itself waits for another process's lock, with this process standing still. */
const LOCK_MS = 20;
const PATIENCE_MS = 15_000;
const PAUSE_MS = 0.5;
const MAX_STATEMENTS = 200;

/** Runs it again, in a while, as long as another process holds the lock. */
export async function retried<T>(work: () => T): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() - startedAt > PATIENCE_MS) throw error;
    }
    await pause();
  }
}

const pause = () => sleep(1 + Math.random() * 10);

/** SQLITE_BUSY and SQLITE_LOCKED, with their extended codes. */
function isBusy(error: unknown): boolean {
  const { rawCode, code } = error as { rawCode?: number; code?: string };
  if (typeof rawCode === "number") return [5, 6].includes(rawCode & 0xff);
  return code === "SQLITE_BUSY" || code === "SQLITE_LOCKED";
}

function makePrivate(file: string): void {
  makeDirectory(dirname(file), 0o700);
  closeSync(openSync(file, "a", 0o600));
  if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
}
