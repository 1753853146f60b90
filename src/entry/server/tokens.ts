/** API tokens: of agents, which may ask but never decide, and of people. Shown once, kept as a hash, revocable. */
import { randomBytes } from "node:crypto";
import type { DirectoryWrites, Stores } from "../../approvals/store.ts";
import { presentHolder } from "./departures.ts";
import type { AgentScope, Principal } from "./principal.ts";
import { hashOf, isSame, newSecret } from "./secret.ts";
import { isMadeBy, restOf, type TokenRest } from "./token-rest.ts";

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

/** `hf_<id>_<secret>`: the id finds it, the secret proves it. `writes`: on the word of whoever makes it. */
export async function createToken(
  stores: Stores,
  { lastsMs, ...draft }: TokenDraft,
  writes: Pick<DirectoryWrites, "keep"> = stores,
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
  await writes.keep(keyOf(draft.organisation, id), JSON.stringify(stored), expires);
  await stores.keep(ownerKey(id), draft.organisation, expires);
  return { token: `hf_${id}_${secret}`, stored };
}

export async function principalOfToken(stores: Stores, token: string): Promise<Principal | undefined> {
  const stored = await proven(stores, token);
  if (!stored || (await restOf(stores, stored)) !== null) return undefined;
  const { id, organisation } = stored;
  const person = stored.person === null ? undefined : await stores.person(organisation, stored.person);
  if (stored.person !== null && !person) return undefined;
  if (stored.kind === "agent") {
    const { agent, person: initiator, scopes } = stored;
    const namesInitiator = initiator === null && stored.namesInitiator === true;
    return { kind: "agent", organisation, agent, initiator, namesInitiator, scopes, token: id };
  }
  return person && { kind: "person", person, via: "api", organisation };
}

/** What became of a token that is good for nothing, for whoever has its secret; null: nothing is known of it. */
export async function refusalOfToken(stores: Stores, token: string): Promise<TokenRest | null> {
  const stored = await proven(stores, token);
  return stored ? restOf(stores, stored) : null;
}

async function proven(stores: Stores, token: string): Promise<StoredToken | undefined> {
  const [, id, secret] = /^hf_([0-9a-f]{16})_([\w-]{43})$/.exec(token) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  const organisation = await stores.kept(ownerKey(id));
  const text = organisation === undefined ? undefined : await stores.kept(keyOf(organisation, id));
  if (text === undefined) return undefined;
  const stored = JSON.parse(text) as StoredToken;
  return isSame(stored.hash, hashOf(secret)) ? stored : undefined;
}

/** What ends when they leave, or are no admin any more, besides what is their own. */
export async function madeForOthers(stores: Stores, organisation: string, person: string): Promise<readonly string[]> {
  const made = (await tokensOf(stores, organisation)).filter((token) => token.person !== person);
  const areTheirs = await Promise.all(made.map((token) => isMadeBy(stores, token, person)));
  return made.filter((_, at) => areTheirs[at]).map(({ name }) => name);
}

export async function tokensOf(stores: Stores, organisation: string): Promise<readonly StoredToken[]> {
  const kept = await stores.keptUnder(keyOf(organisation, ""));
  return kept
    .map(({ value }) => JSON.parse(value) as StoredToken)
    .sort((left, right) => left.createdAt.localeCompare(right.createdAt));
}

export async function revokeToken(
  stores: Stores,
  organisation: string,
  id: string,
  writes: Pick<DirectoryWrites, "take"> = stores,
): Promise<boolean> {
  const text = await writes.take(keyOf(organisation, id));
  await stores.take(ownerKey(id));
  return text !== undefined;
}

const keyOf = (organisation: string, id: string) => `token:${encodeURIComponent(organisation)}:${id}`;
const ownerKey = (id: string) => `token-owner:${id}`;
