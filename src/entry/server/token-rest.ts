/** Tokens that are there and good for nothing, because of who made them or whom they are for. Whoever sees them is told why. */
import { ADMIN } from "../../approvals/approval.ts";
import type { Stores } from "../../approvals/store.ts";
import { isStillHolder } from "./departures.ts";
import type { StoredToken } from "./tokens.ts";

export interface TokenRest {
  readonly code: "person-left" | "maker-left" | "maker-no-admin";
  /** Names nobody: a machine that is refused is told this, too. */
  readonly why: string;
  readonly fix: string;
}

const RESTS: Readonly<Record<TokenRest["code"], TokenRest>> = {
  "person-left": {
    code: "person-left",
    why: "whoever it was made for left the organisation",
    fix: "What still uses it needs a token of somebody who is there.",
  },
  "maker-left": {
    code: "maker-left",
    why: "whoever made it left the organisation, and they have seen its secret",
    fix: "As an admin who stays, make a new one, put it where this one is used, then revoke this one.",
  },
  "maker-no-admin": {
    code: "maker-no-admin",
    why: "whoever made it is no admin any more, and only an admin's token may act for others, or for nobody",
    fix: "As an admin, make a new one, put it where this one is used, then revoke this one. It is good again if whoever made it becomes an admin again.",
  },
};

/** Null: it is good. */
export async function restOf(stores: Stores, stored: StoredToken): Promise<TokenRest | null> {
  const { organisation, person, holder, createdBy } = stored;
  if (person !== null) {
    const isTheirs = await isStillHolder(stores, { organisation, person, holder });
    if (!isTheirs || !(await stores.person(organisation, person))) return RESTS["person-left"];
    if (person === createdBy) return null;
  }
  // They saw its secret, and only as an admin could they have a token that is not their own.
  const [maker, isTheirs] = await Promise.all([
    stores.person(organisation, createdBy),
    isMadeBy(stores, stored, createdBy),
  ]);
  if (!isTheirs || !maker) return RESTS["maker-left"];
  return maker.roles.includes(ADMIN) ? null : RESTS["maker-no-admin"];
}

/** Whether somebody of this id made it, and not an earlier holder of the id. */
export const isMadeBy = async (stores: Stores, stored: StoredToken, person: string) =>
  stored.createdBy === person &&
  (await isStillHolder(stores, { organisation: stored.organisation, person, holder: makerOf(stored) }));

/** Tokens that were made before makers were noted: who made one for themselves is its holder. */
const makerOf = ({ maker, person, createdBy, holder }: StoredToken) => maker ?? (person === createdBy ? holder : null);

/** Without anything a token could be made or proven with. */
export const shownToken = (
  { hash: _, organisation: __, holder: ___, maker: ____, ...stored }: StoredToken,
  rests: TokenRest | null,
) => ({
  ...stored,
  namesInitiator: stored.namesInitiator === true,
  scopes: [...stored.scopes],
  rests: rests && { ...rests },
});

/** Those of somebody who left are theirs and nobody's to see: they never come back. */
export async function shownTokens(stores: Stores, tokens: readonly StoredToken[]): Promise<ShownToken[]> {
  const shown = await Promise.all(tokens.map(async (token) => shownToken(token, await restOf(stores, token))));
  return shown.filter(({ rests }) => rests?.code !== "person-left");
}

export type ShownToken = ReturnType<typeof shownToken>;
