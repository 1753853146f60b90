/** Approvals over a store: each change is read, made by transition.ts, and stored only over the version it was made from. */
import { randomBytes } from "node:crypto";
import type { Approval, HistoryEntry, Person } from "./approval.ts";
import { SeenApprovals } from "./seen-approvals.ts";
import type { ApprovalStore } from "./store.ts";
import {
  type Ballot,
  type Draft,
  delegate,
  delivered,
  due,
  isOverdue,
  isStale,
  type RefusalCode,
  requested,
  STALE,
  type Transition,
  type Use,
  use,
  vote,
  withdraw,
} from "./transition.ts";
import { wanted } from "./waiting.ts";

/** What became of a wish to change an approval. `approval` is how it stands afterwards. */
export type Outcome =
  | { readonly kind: "done"; readonly approval: Approval }
  | {
      readonly kind: "refused";
      readonly code: RefusalCode | "unknown";
      readonly why: string;
      readonly approval?: Approval;
    };

export type Listener = (approval: Approval, history: readonly HistoryEntry[]) => void;

export class Approvals {
  readonly #store: ApprovalStore;
  readonly #onChange: Listener;
  readonly #seen = new SeenApprovals();

  /** `onChange` hears of every change this process made: whoever updates cards and pages. */
  constructor(store: ApprovalStore, onChange: Listener = () => {}) {
    this.#store = store;
    this.#onChange = onChange;
  }

  /** Asks, unless the very same call is asked about already, has a yes that was not used, or is the one that used it. */
  async request(draft: Omit<Draft, "id">): Promise<Approval> {
    // Somebody took the call over from a process that died between the use and the answer.
    const known = await this.#store.byDigest(draft.organisation, draft.digest, draft.call);
    if (known?.status === "used" && known.usedBy === draft.call.eventId) return known;
    for (;;) {
      const { approval, history } = requested({ ...draft, id: newApprovalId() }, this.#store.now());
      const kept = await this.#store.insert(approval, history);
      if (kept.stored) {
        this.#seen.see(approval);
        this.#onChange(approval, history);
        return approval;
      }
      // Its time may be over without anybody having said so: then this call is a new question.
      const { id } = kept.approval;
      if (isOverdue(kept.approval, this.#store.now())) await this.current(id);
      else if (isStale(kept.approval, this.#store.now())) await this.withdraw(id, STALE, null);
      else return kept.approval;
    }
  }

  /** A vote that changes nothing is noted too. Whether it counted is said by the outcome, never by the click. */
  async vote(id: string, ballot: Ballot): Promise<Outcome> {
    const members = ballot.isMember ? [ballot.person] : [];
    const outcome = inTime(await this.#change(id, (approval, now) => vote(approval, ballot, now), members, GONE));
    if (outcome.kind === "refused" && outcome.approval) await this.#noteRefusal(outcome.approval, ballot, outcome.code);
    return outcome;
  }

  /** By a `member` who was read from the store: only while they are there as that. */
  async withdraw(id: string, why: string, by: string | null, member?: Person): Promise<Outcome> {
    const wish = (approval: Approval, now: Date) => withdraw(approval, why, by, now);
    return inTime(await this.#change(id, wish, member ? [member] : []));
  }

  /** Both are as they were read from the store: it is handed on only while both are there as that. */
  async delegate(id: string, from: Person, to: Person): Promise<Outcome> {
    const gone = `you or ${to.name} were removed, or got other roles, in this very moment`;
    return inTime(await this.#change(id, (approval, now) => delegate(approval, from, to, now), [from, to], gone));
  }

  /** `problem`: why the card could not be sent; undefined: it was. */
  delivered(id: string, problem?: string): Promise<Outcome> {
    return this.#change(id, (approval, now) => delivered(approval, problem, now));
  }

  /** Takes the yes for a call that is about to run: done only for the one call it was given for, and once. */
  async use(id: string, wanted: Use): Promise<Outcome> {
    const outcome = await this.#change(id, (approval, now) => use(approval, wanted, now));
    if (outcome.kind === "refused" || outcome.approval.status === "used") return outcome;
    return {
      kind: "refused",
      code: "not-approved",
      why: `it is ${outcome.approval.status}`,
      approval: outcome.approval,
    };
  }

  /** As it was last seen, which may be over: for what never changes of it. */
  async known(id: string): Promise<Approval | undefined> {
    const seen = this.#seen.get(id);
    if (seen) return seen;
    const approval = await this.#store.get(id);
    if (approval) this.#seen.see(approval);
    return approval;
  }

  /** How the approval stands, its time considered. */
  async current(id: string): Promise<Approval | undefined> {
    const outcome = await this.#change(id, (approval, now) => due(approval, now) ?? NOTHING);
    return outcome.approval;
  }

  /** Expires, escalates and reminds whatever is due. Returns how many approvals it changed. */
  async sweep(limit = 500): Promise<number> {
    let changed = 0;
    for (const { id, version } of await this.#store.due(this.#store.now(), limit)) {
      const approval = await this.current(id);
      if (approval && approval.version !== version) changed++;
    }
    return changed;
  }

  /**
   * Until it is as wanted, or `signal` says that nobody waits any more. Undefined: there is no such approval. A store that
   * fails in between is asked again: only if it still fails at the end is that an error.
   */
  until(
    id: string,
    isWanted: (approval: Approval) => boolean,
    signal: AbortSignal,
    pollMs = POLL_MS,
  ): Promise<Approval | undefined> {
    return wanted({
      isWanted,
      watch: (onChange) =>
        this.#store.watch(id, (_, news) => {
          // A hint is not the store, anybody in the database can give one: whoever acts on it reads first.
          this.#seen.forget(id);
          // One about another approval is none: its yes is not for this call.
          onChange(news?.id === id ? news : undefined);
        }),
      look: () => this.current(id),
      pauseMs: (approval) => (approval?.status === "pending" ? Math.min(pollMs, this.#leftMs(approval) + 1) : pollMs),
      signal,
    });
  }

  async #change(
    id: string,
    wish: (approval: Approval, now: Date) => Transition,
    members: readonly Person[] = [],
    gone = GONE,
  ): Promise<Outcome> {
    let seen = this.#seen.get(id);
    for (;;) {
      const approval: Approval | undefined = seen ?? (await this.#store.get(id));
      if (!approval) return { kind: "refused", code: "unknown", why: `there is no approval ${id}` };
      const wished = wish(approval, this.#store.now());
      const isChange = wished.kind === "changed" && wished.approval !== approval;
      const stored = isChange && (await this.#store.change(wished.approval, wished.history, members));
      if (stored === "members") return { kind: "refused", code: "not-approver", why: gone, approval };
      if (isChange && stored) {
        this.#seen.see(wished.approval);
        this.#onChange(wished.approval, wished.history);
        return { kind: "done", approval: wished.approval };
      }
      if (isChange || seen) {
        this.#seen.forget(id);
        seen = undefined;
        continue;
      }
      this.#seen.see(approval);
      return wished.kind === "refused" ? { ...wished, approval } : { kind: "done", approval };
    }
  }

  #leftMs({ expiresAt }: Approval): number {
    return Math.max(0, Date.parse(expiresAt) - this.#store.now().getTime());
  }

  #noteRefusal({ id, organisation, version }: Approval, { person, kind, via }: Ballot, code: string): Promise<void> {
    const at = this.#store.now().toISOString();
    const detail = { kind, code };
    return this.#store.note({ approval: id, organisation, version, at, action: "refused", by: person.id, via, detail });
  }
}

/** A wish that found the time to be over changed the approval, but not as wished. */
function inTime(outcome: Outcome): Outcome {
  if (outcome.kind === "refused" || outcome.approval.status !== "expired") return outcome;
  return { kind: "refused", code: "not-pending", why: "its time is over", approval: outcome.approval };
}

const GONE = "you were removed, or your roles changed, in this very moment";

/** Where nothing pushes. */
const POLL_MS = 2_000;

const NOTHING: Transition = { kind: "refused", code: "not-pending", why: "nothing is due" };

/** Letters and digits that nobody mistakes for each other; 50 bits. */
const ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz" as const;

export function newApprovalId(): string {
  const letters = Array.from(randomBytes(10), (byte) => ALPHABET[byte % ALPHABET.length]);
  return `A-${letters.join("")}`;
}
