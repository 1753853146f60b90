/** What approvals need of a store. One conformance suite holds for every implementation (src/stores). */
import type { Actor } from "./actor.ts";
import type { Approval, AskedCall, HistoryEntry, Person, Status } from "./approval.ts";

export interface ApprovalStore {
  /** The time that all who share the store go by. */
  now(): Date;
  /**
   * Stores a new approval with its history, unless one of the same organisation, digest and asker is pending, or approved
   * and unused: then nothing is stored and that one is returned. Atomic among all processes.
   */
  insert(approval: Approval, history: readonly HistoryEntry[]): Promise<{ stored: boolean; approval: Approval }>;
  get(id: string): Promise<Approval | undefined>;
  /** The newest of the organisation with this digest, and of this asker if one is named; whatever its status. */
  byDigest(organisation: string, digest: string, asker?: Asker): Promise<Approval | undefined>;
  /**
   * Compare and set: stored with its history if the stored version is `next.version - 1`; false: somebody was faster. With
   * `members` only if each of them is still the same in the store, with the same roles: "members" where one is not. Whoever
   * changes or removes one of them at the same time comes before or after it.
   */
  change(next: Approval, history: readonly HistoryEntry[], members?: readonly Person[]): Promise<boolean | "members">;
  /** History that changes nothing: a refused click, a card that was delivered. */
  note(entry: HistoryEntry): Promise<void>;
  history(approval: string): Promise<readonly HistoryEntry[]>;
  list(query: ApprovalQuery): Promise<ApprovalPage>;
  /** Pending ones with something due by then: expiry, escalation, a reminder; the most overdue first. */
  due(at: Date, limit: number): Promise<readonly Approval[]>;
  /**
   * Calls back soon after the approval (or, with null, any approval) was changed by any process. A hint: it may come too
   * often or late, and where pushing fails it may not come at all. Whoever watches all is called with the empty id when
   * any may have changed. A store that can says what the approval became; a yes still counts only once `change` took it.
   */
  watch(id: string | null, onChange: OnApprovalChange): Promise<Unwatch>;
}

/** Which agent asks, and on whose behalf. The same call asked by another, or for another, is another question. */
export type Asker = Pick<AskedCall, "agent" | "initiator">;

export type OnApprovalChange = (id: string, news?: Approval) => void;

export type Unwatch = () => void;

export interface ApprovalQuery {
  readonly organisation: string;
  readonly statuses?: readonly Status[];
  readonly session?: string;
  /** A session, and those of its sub-agents: `<session>/…`. */
  readonly sessionTree?: string;
  readonly agent?: string;
  /** On whose behalf it was asked; null: on nobody's. */
  readonly initiator?: string | null;
  readonly tool?: string;
  /** Words that all stand, or begin a word, in the call, the rule, the reasons or the names; in small or capital letters. */
  readonly search?: string;
  /** From the page before. */
  readonly cursor?: string;
  readonly limit: number;
}

/** Newest first: in the order they were stored. */
export interface ApprovalPage {
  readonly approvals: readonly Approval[];
  readonly next?: string;
}

export interface PeopleStore {
  person(organisation: string, id: string): Promise<Person | undefined>;
  people(organisation: string): Promise<readonly Person[]>;
  /** False: they are the last of the organisation with the role `keeping`, would lose it, and stay as they are. */
  putPerson(person: Person, keeping?: string): Promise<boolean>;
  /** With what they are elsewhere, if it is given. Unless there is somebody of this id: then they stay as they are, and it is false. */
  addPerson(person: Person, identity?: string): Promise<boolean>;
  /**
   * And every identity of theirs there. False: there is no such person, or they are the last with the role `keeping`.
   * Atomic: of two who are removed at once one is the last.
   */
  removePerson(organisation: string, id: string, keeping?: string): Promise<boolean>;
  /** Who somebody is elsewhere: `feishu:ou_…`, `slack:U…`, `wecom:…`, `oidc:<issuer>#<subject>`, `email:…`. */
  linkIdentity(identity: string, organisation: string, person: string): Promise<void>;
  unlinkIdentity(identity: string, organisation: string): Promise<boolean>;
  /** The person behind an identity in an organisation. */
  identified(identity: string, organisation: string): Promise<Person | undefined>;
  /** Every organisation an identity is known in. */
  memberships(identity: string): Promise<readonly Person[]>;
}

export interface StoredChannel {
  readonly id: string;
  readonly organisation: string;
  readonly type: string;
  readonly name: string;
  readonly isActive: boolean;
  /** Encrypted by whoever stores it: a store never sees a credential. */
  readonly sealedConfig: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface ChannelStore {
  channel(id: string): Promise<StoredChannel | undefined>;
  /** The oldest first. */
  channels(organisation: string): Promise<readonly StoredChannel[]>;
  putChannel(channel: StoredChannel): Promise<void>;
  /** Compare and set: stored if what is there is `from`; false: somebody was faster, or it was removed. */
  changeChannel(next: StoredChannel, from: StoredChannel): Promise<boolean>;
  removeChannel(id: string): Promise<boolean>;
}

/** Short-lived facts by key: sign-in sessions, one-time tokens, nonces seen, attempts counted, cards sent. */
export interface KeptStore {
  /** Stored unless the key is there and has not expired; false: it was. Atomic: of two at once one gets true. */
  keepNew(key: string, value: string, expiresAt: Date): Promise<boolean>;
  keep(key: string, value: string, expiresAt: Date): Promise<void>;
  kept(key: string): Promise<string | undefined>;
  /** All that is kept under keys that begin so and has not expired. */
  keptUnder(prefix: string): Promise<readonly { readonly key: string; readonly value: string }[]>;
  /** Removes it and returns what it was: of two at once one gets it. */
  take(key: string): Promise<string | undefined>;
  /** Adds one to a counter that starts anew when it expires; returns the count. */
  count(key: string, windowMs: number): Promise<number>;
  /** Removes what has expired. */
  sweep(): Promise<number>;
}

/** Decisions of hooks, as their machines recorded them: each source is a chain of its own, kept as it came. */
export interface AuditRow {
  readonly source: string;
  readonly sequence: number;
  readonly organisation: string;
  readonly at: string;
  readonly session: string;
  readonly event: string;
  readonly decision: string;
  readonly tool: string | null;
  readonly ms: number;
  /** The record whole, as JSON text. */
  readonly record: string;
}

export interface AuditStore {
  /** All of them or none; rows that are there already are left out. Returns how many were new. */
  appendAudit(rows: readonly AuditRow[]): Promise<number>;
  /** Newest first. A search looks through so many rows a page: a page may be short, or empty, and have a next one. */
  audit(query: AuditQuery): Promise<{ readonly rows: readonly AuditRow[]; readonly next?: string }>;
  /**
   * Decisions and latency over time: one bucket per `bucketMs`, whole minutes, counted from 1970; empty ones are left out.
   * `from` and `to` (excluded) count by the minute, percentiles are within a tenth.
   */
  auditBuckets(organisation: string, from: Date, to: Date, bucketMs: number): Promise<readonly AuditBucket[]>;
  /** Zero: nothing of the source is here. */
  lastSequence(source: string): Promise<number>;
}

export interface AuditQuery {
  readonly organisation: string;
  readonly session?: string;
  readonly decision?: string;
  readonly tool?: string;
  /** Words that all stand in the record. */
  readonly search?: string;
  readonly from?: Date;
  /** Excluded. */
  readonly to?: Date;
  readonly cursor?: string;
  readonly limit: number;
}

export interface AuditBucket {
  readonly startsAt: string;
  readonly decisions: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p95Ms: number;
}

/** What of an organisation its admins can set. */
export interface OrganisationSettings {
  /** No tool that writes may run. */
  readonly isReadOnly: boolean;
}

export interface OrganisationStore {
  settings(organisation: string): Promise<OrganisationSettings>;
  putSettings(organisation: string, settings: OrganisationSettings): Promise<void>;
}

/** What people of an organisation change, and only those who may. */
export interface DirectoryWrites
  extends Pick<PeopleStore, "putPerson" | "addPerson" | "removePerson" | "linkIdentity" | "unlinkIdentity">,
    Pick<ChannelStore, "putChannel" | "changeChannel" | "removeChannel">,
    Pick<KeptStore, "keep" | "take">,
    Pick<OrganisationStore, "putSettings"> {}

export interface ActorStore {
  /**
   * The same writes, on somebody's word. That they still have the right is seen within the write: whoever removes them, or
   * takes the role, at the same time comes before it or after it. Before: it rejects with RightLost, and nothing is changed.
   */
  by(actor: Actor): ActorWrites;
}

export interface ActorWrites extends DirectoryWrites {
  /**
   * For what is kept elsewhere. `work` is begun only while they have the right, and whoever would take it from them waits
   * until it is done. It changes no people itself: it would wait for itself.
   */
  holding<T>(work: () => Promise<T>): Promise<T>;
}

export interface Stores
  extends ApprovalStore,
    PeopleStore,
    ChannelStore,
    KeptStore,
    AuditStore,
    OrganisationStore,
    ActorStore {
  close(): Promise<void>;
}
