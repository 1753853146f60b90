/**
 * Sign-ins of browsers. The cookie holds a secret, the store its hash. How long somebody was idle is a key of its own,
 * so that noting "still here" can never bring back a session that was ended meanwhile.
 */
import type { Person } from "../../approvals/approval.ts";
import type { KeptStore, PeopleStore } from "../../approvals/store.ts";
import { isStillHolder, presentHolder } from "./departures.ts";
import { hashOf, newSecret } from "./secret.ts";

export interface SessionTimes {
  readonly idleMs: number;
  readonly absoluteMs: number;
}

export const SESSION_TIMES: SessionTimes = { idleMs: 12 * 60 * 60 * 1000, absoluteMs: 7 * 24 * 60 * 60 * 1000 };

export interface Session {
  readonly person: Person;
  readonly csrf: string;
}

interface KeptSession {
  readonly organisation: string;
  readonly person: string;
  readonly csrf: string;
  readonly holder?: string | null;
  /** Who they were elsewhere, if that signed them in: no longer linked, it signs in nobody. */
  readonly identity?: string | undefined;
}

type SessionStore = KeptStore & PeopleStore & { now(): Date };

/** Always a new secret: one that was there before the sign-in is worth nothing after it. */
export async function startSession(
  stores: SessionStore,
  person: Person,
  times = SESSION_TIMES,
  identity?: string,
): Promise<string> {
  const secret = newSecret();
  const { organisation, id } = person;
  const holder = await presentHolder(stores, organisation, id);
  const kept: KeptSession = { organisation, person: id, csrf: newSecret(), holder, identity };
  await noteSeen(stores, secret, times);
  await stores.keep(sessionKey(secret), JSON.stringify(kept), later(stores, times.absoluteMs));
  return secret;
}

/** The person is read anew each time: roles that were taken away, and people who were removed, count at once. */
export async function sessionOf(
  stores: SessionStore,
  secret: string,
  times = SESSION_TIMES,
): Promise<Session | undefined> {
  const [text, seen] = await Promise.all([stores.kept(sessionKey(secret)), stores.kept(seenKey(secret))]);
  if (text === undefined || seen === undefined) return undefined;
  const kept = JSON.parse(text) as KeptSession;
  const { organisation, identity } = kept;
  const [person, isTheirs, linked] = await Promise.all([
    stores.person(organisation, kept.person),
    isStillHolder(stores, kept),
    identity === undefined ? undefined : stores.identified(identity, organisation),
  ]);
  if (!person || !isTheirs || (identity !== undefined && linked?.id !== person.id)) return undefined;
  const seenMsAgo = stores.now().getTime() - Date.parse(seen);
  if (seenMsAgo > Math.min(60_000, times.idleMs / 10)) await noteSeen(stores, secret, times);
  return { person, csrf: kept.csrf };
}

export async function endSession(stores: SessionStore, secret: string): Promise<void> {
  await stores.take(sessionKey(secret));
  await stores.take(seenKey(secret));
}

const noteSeen = (stores: SessionStore, secret: string, { idleMs }: SessionTimes) =>
  stores.keep(seenKey(secret), stores.now().toISOString(), later(stores, idleMs));

const sessionKey = (secret: string) => `session:${hashOf(secret)}`;
const seenKey = (secret: string) => `session-seen:${hashOf(secret)}`;
const later = (stores: { now(): Date }, ms: number) => new Date(stores.now().getTime() + ms);
