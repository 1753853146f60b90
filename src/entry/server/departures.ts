/**
 * Whoever gets the id of somebody who was removed is not them. Sign-ins, links and tokens remember which holder of the id
 * they were made for. Sign-ins and links are found by their secrets only: nobody could look for all of a person's to end
 * them. Tokens can be listed, but one that is made during the removal would be missed.
 */
import type { KeptStore, PeopleStore } from "../../approvals/store.ts";
import { Problem } from "./problem.ts";
import { newSecret } from "./secret.ts";

type DepartureStore = KeptStore & { now(): Date };

/** Longer than any of them lasts. */
const REMEMBERED_MS = 400 * 24 * 60 * 60 * 1000;

/**
 * Before the person is removed: cut short in between, they sign in again, and nobody else as them. And after it: what
 * they began in between ends too.
 */
export const noteDeparture = (stores: DepartureStore, organisation: string, person: string): Promise<void> =>
  stores.keep(keyOf(organisation, person), newSecret(), new Date(stores.now().getTime() + REMEMBERED_MS));

/** Which holder of the id it is; null: nobody had it before, or so long ago that nothing of theirs is left. */
const holderOf = async (stores: KeptStore, organisation: string, person: string): Promise<string | null> =>
  (await stores.kept(keyOf(organisation, person))) ?? null;

/**
 * For whatever is made for a person. In this order: who is there after the holder was read was not removed before it, and
 * what ends with them is noted once more.
 */
export async function presentHolder(
  stores: KeptStore & PeopleStore,
  organisation: string,
  person: string,
): Promise<string | null> {
  const holder = await holderOf(stores, organisation, person);
  if (await stores.person(organisation, person)) return holder;
  throw new Problem(401, "HF911", `${person} does not belong to the organisation any more`);
}

export async function isStillHolder(
  stores: KeptStore,
  { organisation, person, holder = null }: { organisation: string; person: string; holder?: string | null | undefined },
): Promise<boolean> {
  const now = await holderOf(stores, organisation, person);
  return now === null || now === holder;
}

const keyOf = (organisation: string, person: string) =>
  `holder:${encodeURIComponent(organisation)}:${encodeURIComponent(person)}`;
