/** API tokens: of agents, which may ask but never decide, and of people. Shown once, kept as a hash, revocable. */
import { randomBytes } from "node:crypto";
import { ADMIN } from "../../approvals/approval.ts";
import type { Stores } from "../../approvals/store.ts";
import { isStillHolder, presentHolder } from "./departures.ts";
import type { AgentScope, Principal } from "./principal.ts";
import { hashOf, isSame, newSecret } from "./secret.ts";

export interface StoredToken {
  readonly id: string;
  readonly organisation: string;
  readonly name: string;
  readonly kind: "agent" | "person";
  /** Of an agent's token: the only agent it is for; null: any. */
  readonly agent: string | null;
  /** Of a person's token: who it speaks for. Of an agent's: on whose behalf it acts; null: on nobody's. */
  readonly person: string | null;
  /** Of an agent's token that acts for nobody: it is trusted to say for whom each call is. Absent: it is not. */
  readonly namesInitiator?: boolean | undefined;
  readonly scopes: readonly AgentScope[];
  readonly createdBy: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly hash: string;
  /** Which holder of the person's id. */
  readonly holder?: string | null;
  /** Which holder of the id of whoever made it. */
  readonly maker?: string | null;
}

export type TokenDraft = Omit<StoredToken, "id" | "hash" | "holder" | "maker" | "createdAt" | "expiresAt"> & {
  readonly lastsMs: number;
};

/** `hf_<id>_<secret>`: the id finds it, the secret proves it. */
export async function createToken(
  stores: Stores,
  { lastsMs, ...draft }: TokenDraft,
): Promise<{ token: string; stored: StoredToken }> {
  const id = randomBytes(8).toString("hex");
  const secret = newSecret();
  const now = stores.now();
  const expires = new Date(now.getTime() + lastsMs);
  const stored: StoredToken = {
    ...draft,
    id,
    hash: hashOf(secret),
    holder: draft.person === null ? null : await presentHolder(stores, draft.organisation, draft.person),
    maker: await presentHolder(stores, draft.organisation, draft.createdBy),
    createdAt: now.toISOString(),
    expiresAt: expires.toISOString(),
  };
  await stores.keep(keyOf(draft.organisation, id), JSON.stringify(stored), expires);
  await stores.keep(ownerKey(id), draft.organisation, expires);
  return { token: `hf_${id}_${secret}`, stored };
}

export async function principalOfToken(stores: Stores, token: string): Promise<Principal | undefined> {
  const [, id, secret] = /^hf_([0-9a-f]{16})_([\w-]{43})$/.exec(token) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  const organisation = await stores.kept(ownerKey(id));
  const text = organisation === undefined ? undefined : await stores.kept(keyOf(organisation, id));
  if (text === undefined) return undefined;
  const stored = JSON.parse(text) as StoredToken;
  if (!isSame(stored.hash, hashOf(secret))) return undefined;
  if (!(await isHeld(stores, stored))) return undefined;
  const person = stored.person === null ? undefined : await stores.person(stored.organisation, stored.person);
  if (stored.person !== null && !person) return undefined;
  if (stored.kind === "agent") {
    const { agent, person: initiator, scopes } = stored;
    const namesInitiator = initiator === null && stored.namesInitiator === true;
    return { kind: "agent", organisation: stored.organisation, agent, initiator, namesInitiator, scopes, token: id };
  }
  return person && { kind: "person", person, via: "api", organisation: stored.organisation };
}

/** False: whoever it was made for left, or whoever made it for somebody else, or for nobody, is no admin any more. */
export async function isHeld(stores: Stores, stored: StoredToken): Promise<boolean> {
  const { organisation, person, holder, createdBy } = stored;
  if (person !== null && !(await isStillHolder(stores, { organisation, person, holder }))) return false;
  if (person === createdBy) return true;
  // They saw its secret, and only as an admin could they have a token that is not their own.
  const [maker, isTheirs] = await Promise.all([
    stores.person(organisation, createdBy),
    isMadeBy(stores, stored, createdBy),
  ]);
  return isTheirs && maker?.roles.includes(ADMIN) === true;
}

/** What ends when they leave, or are no admin any more, besides what is their own. */
export async function madeForOthers(stores: Stores, organisation: string, person: string): Promise<readonly string[]> {
  const made = (await tokensOf(stores, organisation)).filter((token) => token.person !== person);
  const areTheirs = await Promise.all(made.map((token) => isMadeBy(stores, token, person)));
  return made.filter((_, at) => areTheirs[at]).map(({ name }) => name);
}

/** Whether somebody of this id made it, and not an earlier holder of the id. */
export const isMadeBy = async (stores: Stores, stored: StoredToken, person: string) =>
  stored.createdBy === person &&
  (await isStillHolder(stores, { organisation: stored.organisation, person, holder: makerOf(stored) }));

/** Tokens that were made before makers were noted: who made one for themselves is its holder. */
const makerOf = ({ maker, person, createdBy, holder }: StoredToken) => maker ?? (person === createdBy ? holder : null);

export async function tokensOf(stores: Stores, organisation: string): Promise<readonly StoredToken[]> {
  const kept = await stores.keptUnder(keyOf(organisation, ""));
  return kept
    .map(({ value }) => JSON.parse(value) as StoredToken)
    .sort((left, right) => left.createdAt.localeCompare(right.createdAt));
}

export async function revokeToken(stores: Stores, organisation: string, id: string): Promise<boolean> {
  const text = await stores.take(keyOf(organisation, id));
  await stores.take(ownerKey(id));
  return text !== undefined;
}

const keyOf = (organisation: string, id: string) => `token:${encodeURIComponent(organisation)}:${id}`;
const ownerKey = (id: string) => `token-owner:${id}`;
