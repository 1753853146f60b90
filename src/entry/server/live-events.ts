/** News of approvals for whoever watches: heard from the store, read again, and handed to watchers of that organisation only. */
import type { Approval } from "../../approvals/approval.ts";
import type { ApprovalStore, Unwatch } from "../../approvals/store.ts";

export interface Watcher {
  readonly organisation: string;
  onApproval(approval: Approval): void;
}

export class LiveEvents {
  readonly #store: ApprovalStore;
  readonly #log: (line: string) => void;
  readonly #watchers = new Set<Watcher>();
  /** What watchers were told last: a hint that brings nothing new is not passed on. */
  readonly #told = new Map<string, number>();
  #unwatch: Unwatch | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(store: ApprovalStore, log: (line: string) => void) {
    this.#store = store;
    this.#log = log;
  }

  /** Without it only what this process changes is news. Tries again by itself while the store cannot be reached. */
  async start(): Promise<void> {
    try {
      const unwatch = await this.#store.watch(null, (id) => void this.#reread(id));
      if (this.#isClosed) unwatch();
      else this.#unwatch = unwatch;
    } catch (error) {
      this.#log(`live updates wait for the store: ${reasonOf(error)}`);
      if (!this.#isClosed) this.#retry = setTimeout(() => void this.start(), RETRY_MS).unref();
    }
  }

  watch(watcher: Watcher): Unwatch {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  changed(approval: Approval): void {
    const { id, version, organisation } = approval;
    if ((this.#told.get(id) ?? 0) >= version) return;
    this.#told.delete(id);
    this.#told.set(id, version);
    if (this.#told.size > MAX_TOLD) this.#told.delete(this.#told.keys().next().value as string);
    for (const watcher of this.#watchers) {
      if (watcher.organisation !== organisation) continue;
      try {
        watcher.onApproval(approval);
      } catch (error) {
        this.#log(`a watcher failed: ${reasonOf(error)}`);
      }
    }
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#unwatch?.();
    this.#watchers.clear();
  }

  async #reread(id: string): Promise<void> {
    if (this.#watchers.size === 0) return;
    try {
      const approval = await this.#store.get(id);
      if (approval) this.changed(approval);
    } catch (error) {
      this.#log(`approval ${id} changed and could not be read: ${reasonOf(error)}`);
    }
  }
}

const RETRY_MS = 5_000;
const MAX_TOLD = 10_000;

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
