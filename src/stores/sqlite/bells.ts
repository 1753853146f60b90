/**
 * How processes that share a database file wake each other: a directory beside it, in which every change makes and
 * removes a file named after its approval. Whoever waits watches the directory. A bell that nobody hears is no loss:
 * waiters look again by themselves.
 */
import { closeSync, type FSWatcher, mkdirSync, openSync, unlinkSync, watch } from "node:fs";
import { join } from "node:path";
import type { Unwatch } from "../../approvals/store.ts";

type Watcher = (id: string) => void;

export class Bells {
  readonly #directory: string;
  readonly #byId = new Map<string, Set<Watcher>>();
  readonly #ofAll = new Set<Watcher>();
  readonly #rung = new Set<string>();
  #watching: FSWatcher | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  ring(id: string): void {
    const file = join(this.#directory, encodeURIComponent(id));
    try {
      make(file, this.#directory);
      unlinkSync(file);
    } catch {
      // Another process removed the same bell, or none can be made here. The change is stored all the same, and must not
      // be reported as failed: waiters look by themselves.
    }
  }

  watch(id: string | null, watcher: Watcher): Unwatch {
    this.#listen();
    const own: Watcher = (changed) => watcher(changed);
    const watchers = id === null ? this.#ofAll : (this.#byId.get(id) ?? new Set());
    watchers.add(own);
    if (id !== null) this.#byId.set(id, watchers);
    return () => {
      watchers.delete(own);
      if (id !== null && watchers.size === 0 && this.#byId.get(id) === watchers) this.#byId.delete(id);
      if (this.#ofAll.size === 0 && this.#byId.size === 0) this.close();
    };
  }

  close(): void {
    this.#watching?.close();
    this.#watching = undefined;
  }

  #listen(): void {
    if (this.#watching) return;
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const watching = watch(this.#directory, { persistent: true }, (_, name) => {
      if (name !== null) this.#heard(decodeURIComponent(name));
    });
    // Whoever watches goes on by looking from time to time; the next who comes tries anew.
    watching.on("error", () => {
      if (this.#watching === watching) this.close();
    });
    this.#watching = watching;
  }

  /** A bell makes two events or three: they are one ring. */
  #heard(id: string): void {
    if (this.#rung.has(id)) return;
    this.#rung.add(id);
    setImmediate(() => {
      this.#rung.delete(id);
      for (const watcher of [...(this.#byId.get(id) ?? []), ...this.#ofAll]) watcher(id);
    });
  }
}

function make(file: string, directory: string): void {
  try {
    closeSync(openSync(file, "w", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    closeSync(openSync(file, "w", 0o600));
  }
}
