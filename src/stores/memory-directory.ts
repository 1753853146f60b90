/** People, channels and what is kept for a while, in memory. */
import { isDeepStrictEqual } from "node:util";
import type { Person } from "../approvals/approval.ts";
import type { ChannelStore, KeptStore, PeopleStore, StoredChannel } from "../approvals/store.ts";

/** `current`: at once, for what must not be overtaken. */
export function memoryPeople(): { store: PeopleStore; current(organisation: string, id: string): Person | undefined } {
  const people = new Map<string, Person>();
  const identities = new Map<string, { identity: string; organisation: string; person: string }>();
  const behind = (link: { organisation: string; person: string } | undefined) =>
    link && structuredClone(people.get(keyOf(link.organisation, link.person)));
  const unlinkAll = (organisation: string, id: string) => {
    for (const [key, link] of identities)
      if (link.organisation === organisation && link.person === id) identities.delete(key);
  };
  const link = (identity: string, organisation: string, person: string) =>
    void identities.set(keyOf(identity, organisation), { identity, organisation, person });
  const put = (person: Person) => {
    const key = keyOf(person.organisation, person.id);
    if (!people.has(key)) unlinkAll(person.organisation, person.id);
    people.set(key, structuredClone(person));
  };
  const isLast = (organisation: string, id: string, role: string) => {
    const having = [...people.values()].filter(
      (known) => known.organisation === organisation && known.roles.includes(role),
    );
    return having.length === 1 && having[0]?.id === id;
  };

  const store: PeopleStore = {
    person: async (organisation, id) => structuredClone(people.get(keyOf(organisation, id))),
    people: async (organisation) =>
      structuredClone([...people.values()].filter((person) => person.organisation === organisation).sort(byId)),
    async putPerson(person, keeping) {
      const { organisation, id, roles } = person;
      if (keeping !== undefined && !roles.includes(keeping) && isLast(organisation, id, keeping)) return false;
      put(person);
      return true;
    },
    async addPerson(person, identity) {
      const { organisation, id } = person;
      if (people.has(keyOf(organisation, id))) return false;
      put(person);
      if (identity !== undefined) link(identity, organisation, id);
      return true;
    },
    async removePerson(organisation, id, keeping) {
      if (keeping !== undefined && isLast(organisation, id, keeping)) return false;
      unlinkAll(organisation, id);
      return people.delete(keyOf(organisation, id));
    },
    linkIdentity: async (identity, organisation, person) => link(identity, organisation, person),
    unlinkIdentity: async (identity, organisation) => identities.delete(keyOf(identity, organisation)),
    identified: async (identity, organisation) => behind(identities.get(keyOf(identity, organisation))),
    memberships: async (identity) =>
      [...identities.values()]
        .filter((link) => link.identity === identity)
        .map(behind)
        .filter((person) => person !== undefined)
        .sort((left, right) => (left.organisation < right.organisation ? -1 : 1)),
  };
  return { store, current: (organisation, id) => people.get(keyOf(organisation, id)) };
}

const keyOf = (...parts: readonly string[]) => JSON.stringify(parts);
const byId = (left: Person, right: Person) => (left.id < right.id ? -1 : 1);

export function memoryChannels(): ChannelStore {
  const channels = new Map<string, StoredChannel>();
  const oldestFirst = (left: StoredChannel, right: StoredChannel) =>
    left.createdAt === right.createdAt ? (left.id < right.id ? -1 : 1) : left.createdAt < right.createdAt ? -1 : 1;
  return {
    channel: async (id) => structuredClone(channels.get(id)),
    channels: async (organisation) =>
      structuredClone([...channels.values()].filter((known) => known.organisation === organisation).sort(oldestFirst)),
    putChannel: async (channel) => void channels.set(channel.id, structuredClone(channel)),
    async changeChannel(next, from) {
      if (!isDeepStrictEqual(channels.get(next.id), from)) return false;
      channels.set(next.id, structuredClone(next));
      return true;
    },
    removeChannel: async (id) => channels.delete(id),
  };
}

export function memoryKept(now: () => Date): KeptStore {
  const facts = new Map<string, { value: string; expiresAt: number }>();
  const live = (key: string) => {
    const fact = facts.get(key);
    return fact && fact.expiresAt > now().getTime() ? fact : undefined;
  };
  const keep = (key: string, value: string, expiresAt: number) => void facts.set(key, { value, expiresAt });

  return {
    async keepNew(key, value, expiresAt) {
      if (live(key)) return false;
      keep(key, value, expiresAt.getTime());
      return true;
    },
    keep: async (key, value, expiresAt) => keep(key, value, expiresAt.getTime()),
    kept: async (key) => live(key)?.value,
    keptUnder: async (prefix) =>
      [...facts.keys()]
        .filter((key) => key.startsWith(prefix))
        .flatMap((key) => {
          const fact = live(key);
          return fact ? [{ key, value: fact.value }] : [];
        }),
    async take(key) {
      const value = live(key)?.value;
      facts.delete(key);
      return value;
    },
    async count(key, windowMs) {
      const known = live(key);
      const count = Number(known?.value ?? 0) + 1;
      keep(key, String(count), known?.expiresAt ?? now().getTime() + windowMs);
      return count;
    },
    async sweep() {
      const expired = [...facts.keys()].filter((key) => !live(key));
      for (const key of expired) facts.delete(key);
      return expired.length;
    },
  };
}
