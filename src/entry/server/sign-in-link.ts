/** A link that signs one person in, once, soon. Whoever starts the server, or can write to its store, may make one. */
import { ADMIN, APPROVER, type Person } from "../../approvals/approval.ts";
import type { KeptStore, PeopleStore } from "../../approvals/store.ts";
import { isStillHolder, presentHolder } from "./departures.ts";
import { hashOf, newSecret } from "./secret.ts";

const LINK_PATH = "/sign-in/link";
export const LINK_LASTS_MS = 10 * 60 * 1000;

type LinkStore = KeptStore & PeopleStore & { now(): Date };

export async function newSignInLink(stores: LinkStore, publicUrl: string, person: Person): Promise<string> {
  const secret = newSecret();
  const expires = new Date(stores.now().getTime() + LINK_LASTS_MS);
  const { organisation, id } = person;
  const holder = await presentHolder(stores, organisation, id);
  await stores.keep(keyOf(secret), JSON.stringify([organisation, id, holder]), expires);
  return `${publicUrl}${LINK_PATH}?token=${secret}`;
}

/** Undefined: it was used, is too old, or never was. */
export async function takeSignInLink(stores: LinkStore, secret: string): Promise<Person | undefined> {
  const text = await stores.take(keyOf(secret));
  if (text === undefined) return undefined;
  const [organisation, person, holder] = JSON.parse(text) as [string, string, (string | null)?];
  return (await isStillHolder(stores, { organisation, person, holder }))
    ? stores.person(organisation, person)
    : undefined;
}

/** The person the server belongs to: made at the first start, and left as admins made them since. */
export async function ownerOf(stores: PeopleStore, organisation: string, id: string, name: string): Promise<Person> {
  const known = await stores.person(organisation, id);
  if (known) return known;
  const owner: Person = { id, organisation, name, roles: [ADMIN, APPROVER] };
  await stores.putPerson(owner);
  return owner;
}

const keyOf = (secret: string) => `sign-in:${hashOf(secret)}`;
