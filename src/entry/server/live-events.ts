/** News of approvals for whoever watches: heard from the store, read again, and handed to watchers of that organisation only. */
import type { Approval } from "../../approvals/approval.ts";
import type { ApprovalStore, Unwatch } from "../../approvals/store.ts";

export interface Watcher {
  readonly organisation: string;
  onApproval(approval: Approval): void;
  /** Others may have changed what nobody heard of. What was found of it was told before. */
  onMissed?(): void;
}

export class LiveEvents {
  readonly #store: ApprovalStore;
  readonly #log: (line: string) => void;
  readonly #watchers = new Set<Watcher>();
  /** What watchers were told last: a hint that brings nothing new is not passed on. */
  readonly #told = new Map<string, number>();
  /** When each was last heard of, or told; the latest at the end. */
  readonly #changes = new Map<string, number>();
  /** What was last heard of until then may have been forgotten. */
  #forgottenUntil = Number.NEGATIVE_INFINITY;
  #unwatch: Unwatch | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** Until then something may have changed that was not heard of, or later than what came after it. */
  #unsureUntil = Number.NEGATIVE_INFINITY;
  /** What was settled before this was told, or is no news. */
  #heardSince: Date;

  constructor(store: ApprovalStore, log: (line: string) => void) {
    this.#store = store;
    this.#log = log;
    this.#heardSince = store.now();
  }

  /** Without it only what this process changes is news. Tries again by itself while the store cannot be reached. */
  async start(): Promise<void> {
    try {
      const unwatch = await this.#store.watch(null, (id) => void (id === "" ? this.#catchUp() : this.#reread(id)));
      if (this.#isClosed) return unwatch();
      this.#unwatch = unwatch;
      if (this.#unsureUntil === NOT_HEARING) await this.#catchUp();
    } catch (error) {
      this.#log(`live updates wait for the store: ${reasonOf(error)}`);
      this.#unsureUntil = NOT_HEARING;
      if (!this.#isClosed) this.#retry = setTimeout(() => void this.start(), RETRY_MS).unref();
    }
  }

  watch(watcher: Watcher): Unwatch {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Whether all that was changed before, by whomever, had been heard of by then. */
  hadHeardAllAt(time: number): boolean {
    return time > this.#unsureUntil && time <= this.#store.now().getTime() + SKEW_MS;
  }

  /** Every approval, of whichever organisation, that was heard of since the time; null: there may have been others. */
  heardOfSince(time: number): readonly string[] | null {
    if (!this.hadHeardAllAt(time) || time <= this.#forgottenUntil) return null;
    return [...this.#changes].filter(([, at]) => at >= time - SKEW_MS).map(([id]) => id);
  }

  changed(approval: Approval): void {
    const { id, version, organisation } = approval;
    this.#note(id);
    if ((this.#told.get(id) ?? 0) >= version) return;
    this.#told.delete(id);
    this.#told.set(id, version);
    if (this.#told.size > MAX_TOLD) this.#told.delete(this.#told.keys().next().value as string);
    this.#tell(organisation, (watcher) => watcher.onApproval(approval));
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#unwatch?.();
    this.#watchers.clear();
  }

  /** Once it is heard of, and again once it is told: whoever is gone in between is told when they come back. */
  #note(id: string): void {
    this.#changes.delete(id);
    this.#changes.set(id, this.#store.now().getTime());
    const [oldest] = this.#changes.size > MAX_TOLD ? this.#changes : [];
    if (!oldest) return;
    this.#changes.delete(oldest[0]);
    this.#forgottenUntil = Math.max(this.#forgottenUntil, oldest[1]);
  }

  #tell(organisation: string, tell: (watcher: Watcher) => void): void {
    for (const watcher of this.#watchers) {
      if (watcher.organisation !== organisation) continue;
      try {
        tell(watcher);
      } catch (error) {
        this.#log(`a watcher failed: ${reasonOf(error)}`);
      }
    }
  }

  /** The connection to the store was away, and so was whatever was said over it. */
  async #catchUp(): Promise<void> {
    const since = this.#heardSince.getTime() - SKEW_MS;
    this.#heardSince = this.#store.now();
    this.#unsureUntil = this.#heardSince.getTime();
    for (const organisation of this.#organisations()) {
      try {
        const { approvals } = await this.#store.list({ organisation, limit: MAX_CAUGHT_UP });
        const isNews = ({ decidedAt }: Approval) => decidedAt === null || Date.parse(decidedAt) >= since;
        for (const approval of approvals.filter(isNews).reverse()) this.changed(approval);
      } catch (error) {
        this.#log(`what was missed of approvals could not be read: ${reasonOf(error)}`);
      }
      this.#tellMissed(organisation);
    }
    this.#unsureUntil = this.#store.now().getTime();
  }

  #organisations(): ReadonlySet<string> {
    return new Set([...this.#watchers].map((watcher) => watcher.organisation));
  }

  #tellMissed(organisation: string): void {
    this.#tell(organisation, (watcher) => watcher.onMissed?.());
  }

  async #reread(id: string): Promise<void> {
    this.#note(id);
    if (this.#watchers.size === 0) return;
    try {
      const approval = await this.#store.get(id);
      if (approval) this.changed(approval);
    } catch (error) {
      this.#log(`approval ${id} changed and could not be read: ${reasonOf(error)}`);
      this.#unsureUntil = this.#store.now().getTime();
      for (const organisation of this.#organisations()) this.#tellMissed(organisation);
    }
  }
}

const RETRY_MS = 5_000;
/** What others change is not heard of, and nobody knows for how long. */
const NOT_HEARING = Number.POSITIVE_INFINITY;
const MAX_TOLD = 10_000;
/** Older ones are left to the readers: they are told that something may be missing. */
const MAX_CAUGHT_UP = 500;
/** Clocks of servers that share a store may differ by this much. */
export const SKEW_MS = 10_000;

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
