/** Sign-in of a team at its own issuer: OpenID Connect, authorization code with PKCE, state and nonce. */
import { setTimeout as sleep } from "node:timers/promises";
import * as client from "openid-client";
import type { Person } from "../../approvals/approval.ts";
import type { Stores } from "../../approvals/store.ts";
import { Problem } from "./problem.ts";
import { hashOf, isSame, newSecret } from "./secret.ts";

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined: a public client, which PKCE alone protects. */
  readonly clientSecret?: string | undefined;
}

export interface TeamSignIn {
  /** Where to send the browser, and the secret that ties the answer to this browser. */
  begin(returnTo: string, organisation: string | undefined): Promise<{ url: string; browser: string }>;
  finish(query: URLSearchParams, browser: string | undefined): Promise<TeamAnswer>;
}

export type TeamAnswer =
  | { readonly kind: "known"; readonly person: Person; readonly identity: string; readonly returnTo: string }
  | { readonly kind: "several"; readonly organisations: readonly string[]; readonly returnTo: string }
  | { readonly kind: "unknown"; readonly identity: string; readonly email: string | undefined };

interface Begun {
  readonly verifier: string;
  readonly nonce: string;
  readonly browser: string;
  readonly returnTo: string;
  readonly organisation?: string | undefined;
}

/** Time enough to type a password and a second factor. */
export const BEGUN_LASTS_MS = 10 * 60 * 1000;

export function teamSignIn(stores: Stores, publicUrl: string, settings: OidcSettings): TeamSignIn {
  let discovered: Promise<client.Configuration> | undefined;
  const configuration = () => {
    discovered ??= discover(settings).catch((error: unknown) => {
      discovered = undefined;
      throw notReached(settings.issuer, error);
    });
    return discovered;
  };
  const redirectUri = `${publicUrl}/sign-in/team/callback`;

  return {
    async begin(returnTo, organisation) {
      const config = await configuration();
      const [state, browser, nonce, verifier] = [
        newSecret(),
        newSecret(),
        newSecret(),
        client.randomPKCECodeVerifier(),
      ];
      const begun: Begun = { verifier, nonce, browser: hashOf(browser), returnTo, organisation };
      const expires = new Date(stores.now().getTime() + BEGUN_LASTS_MS);
      await stores.keep(keyOf(state), JSON.stringify(begun), expires);
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: "openid email profile",
        response_type: "code",
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        state,
        nonce,
      });
      return { url: url.href, browser };
    },

    async finish(query, browser) {
      const state = query.get("state") ?? "";
      const text = await stores.take(keyOf(state));
      const begun = text === undefined ? undefined : (JSON.parse(text) as Begun);
      if (!begun || browser === undefined || !isSame(begun.browser, hashOf(browser)))
        throw new Problem(401, "HF911", "this sign-in was not begun in this browser, or too long ago", {
          fix: "Begin again at /sign-in.",
        });
      const claims = await claimsOf(await configuration(), redirectUri, query, state, begun, settings);
      return memberOf(stores, claims, begun);
    },
  };
}

interface Claims {
  readonly iss: string;
  readonly sub: string;
  readonly email: string | undefined;
}

async function claimsOf(
  config: client.Configuration,
  redirectUri: string,
  query: URLSearchParams,
  state: string,
  { verifier, nonce }: Begun,
  { issuer, clientId }: OidcSettings,
): Promise<Claims> {
  // Not the address the request came to: behind a proxy that is another one.
  const current = new URL(`${redirectUri}?${query}`);
  try {
    const tokens = await client.authorizationCodeGrant(config, current, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (!claims || claims.sub === "") throw new Error("there is no ID token, or it is nobody's");
    // The library asks for it only where a token is for several: one that was made for another program is not for us.
    if (claims.azp !== undefined && claims.azp !== clientId) throw new Error("the ID token is another program's");
    const isVerified = claims.email_verified === true && typeof claims.email === "string";
    return { iss: claims.iss, sub: claims.sub, email: isVerified ? String(claims.email).toLowerCase() : undefined };
  } catch (error) {
    throw new Problem(401, "HF911", `${new URL(issuer).host} did not confirm who you are (${reasonOf(error)})`, {
      fix: "Begin again at /sign-in.",
    });
  }
}

/** By the issuer's own id of them; at first by an address that the issuer has verified, and then by the id alone. */
async function memberOf(stores: Stores, { iss, sub, email }: Claims, begun: Begun): Promise<TeamAnswer> {
  const identity = `oidc:${iss}#${sub}`;
  const bySubject = await stores.memberships(identity);
  const byEmail = email === undefined ? [] : await stores.memberships(addressOf(email));
  const others = byEmail.filter(({ organisation }) => !bySubject.some((known) => known.organisation === organisation));
  const all = [...bySubject, ...others];
  const { returnTo, organisation } = begun;
  const wanted = organisation === undefined ? all : all.filter((known) => known.organisation === organisation);
  const [person] = wanted;
  if (!person) return { kind: "unknown", identity, email };
  if (wanted.length > 1) return { kind: "several", organisations: wanted.map((known) => known.organisation), returnTo };
  const isByAddress = byEmail.some(({ organisation, id }) => organisation === person.organisation && id === person.id);
  // An address may be somebody else's later: once it has said who a person is, it says so no more. Of two at once one takes it.
  const isTaken =
    isByAddress && email !== undefined && (await stores.unlinkIdentity(addressOf(email), person.organisation));
  if (others.includes(person)) {
    if (isTaken) await linkInstead(stores, identity, addressOf(email), person);
    else if (!(await isLinkedSoon(stores, identity, person))) return { kind: "unknown", identity, email };
  }
  return { kind: "known", person, identity, returnTo };
}

/** An address that led nowhere is there for the next time. */
async function linkInstead(stores: Stores, identity: string, address: string, { organisation, id }: Person) {
  try {
    await stores.linkIdentity(identity, organisation, id);
  } catch (error) {
    await stores.linkIdentity(address, organisation, id);
    throw error;
  }
}

/** The same account in another window may have taken the address, and be about to be linked. */
async function isLinkedSoon(stores: Stores, identity: string, { organisation, id }: Person): Promise<boolean> {
  for (let look = 0; look < LOOKS; look++) {
    if (look > 0) await sleep(LOOK_MS);
    if ((await stores.identified(identity, organisation))?.id === id) return true;
  }
  return false;
}
const [LOOKS, LOOK_MS] = [4, 100];

const addressOf = (email: string) => `email:${email}`;

function discover({ issuer, clientId, clientSecret }: OidcSettings): Promise<client.Configuration> {
  const url = new URL(issuer);
  const authentication = clientSecret === undefined ? client.None() : client.ClientSecretBasic(clientSecret);
  const isLoopback = ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname);
  return client.discovery(
    url,
    clientId,
    clientSecret === undefined ? {} : { client_secret: clientSecret },
    authentication,
    {
      timeout: 10,
      // Not left to the connection alone: the ID token's signature is checked too.
      execute: [
        client.enableNonRepudiationChecks,
        ...(isLoopback && url.protocol === "http:" ? [client.allowInsecureRequests] : []),
      ],
    },
  );
}

const notReached = (issuer: string, error: unknown) =>
  new Problem(502, "HF911", `the sign-in at ${new URL(issuer).host} cannot be reached (${reasonOf(error)})`, {
    fix: "Try again soon; if it stays so, check --oidc-issuer and the server's network.",
  });

/** The library's code for what was wrong; never its text, which may quote what was sent. */
const reasonOf = (error: unknown) =>
  error instanceof Error && "code" in error ? String(error.code) : error instanceof Error ? error.name : "unknown";

const keyOf = (state: string) => `oidc:${hashOf(state)}`;
