/** What an issuer's answers may be forged to, and what a browser may be made to ask for. */
import { createHmac, createSign, generateKeyPairSync, type KeyObject } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CLIENT, type OidcProvider, startOidcProvider } from "./oidc-provider.fixture.ts";
import { PUBLIC_URL, type TestServer, testServer } from "./server.fixture.ts";

let provider: OidcProvider;

beforeAll(async () => {
  provider = await startOidcProvider(() => `${PUBLIC_URL}/sign-in/team/callback`);
});
afterAll(() => provider.close());
beforeEach(() => {
  provider.account = { sub: "u-1" };
  provider.forge = undefined;
  provider.makeToken = undefined;
  provider.saysToo = {};
});

type Claims = Record<string, unknown>;

async function teamServer(): Promise<TestServer> {
  const server = await testServer({ oidc: { issuer: provider.issuer, ...CLIENT } });
  await server.stores.linkIdentity(`oidc:${provider.issuer}#u-1`, "acme", "ada");
  return server;
}

async function signedIn(server: TestServer, path = "/sign-in/team") {
  const start = await server.anybody("GET", path);
  const cookie = (start.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const atIssuer = await fetch(start.headers.get("location") ?? "", { redirect: "manual" });
  const reply = await server.anybody("GET", atIssuer.headers.get("location") ?? "", undefined, { cookie });
  const hasSession = reply.headers.getSetCookie().some((set) => /^holdfast=./.test(set));
  return { status: reply.status, to: reply.headers.get("location"), hasSession };
}

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
const inputOf = (header: object, claims: Claims) => `${encoded(header)}.${encoded(claims)}`;
const signedWith = (key: KeyObject, header: object, claims: Claims) => {
  const input = inputOf(header, claims);
  return `${input}.${createSign("RSA-SHA256").update(input).sign(key, "base64url")}`;
};
const stranger = generateKeyPairSync("rsa", { modulusLength: 2048 });
const now = () => Math.floor(Date.now() / 1000);

describe("an ID token is not believed", () => {
  it.each<[string, NonNullable<OidcProvider["makeToken"]>]>([
    ["without a signature (none)", (claims) => `${inputOf({ alg: "none" }, claims)}.`],
    ["that says none and keeps a signature", (claims, keys) => signedWith(keys.privateKey, { alg: "none" }, claims)],
    [
      "signed with the published key as if it were a shared secret",
      (claims, keys) => {
        const input = inputOf({ alg: "HS256", kid: "one" }, claims);
        const secret = keys.publicKey.export({ type: "spki", format: "pem" });
        return `${input}.${createHmac("sha256", secret).update(input).digest("base64url")}`;
      },
    ],
    [
      "signed with the client's secret",
      (claims) => {
        const input = inputOf({ alg: "HS256" }, claims);
        return `${input}.${createHmac("sha256", CLIENT.clientSecret).update(input).digest("base64url")}`;
      },
    ],
    [
      "that brings its own key",
      (claims) =>
        signedWith(
          stranger.privateKey,
          { alg: "RS256", kid: "one", jwk: stranger.publicKey.export({ format: "jwk" }) },
          claims,
        ),
    ],
    [
      "that names a place for its key",
      (claims) => signedWith(stranger.privateKey, { alg: "RS256", kid: "two", jku: "http://127.0.0.1:1/jwks" }, claims),
    ],
    [
      "with a key of a name that nobody published",
      (claims, keys) => signedWith(keys.privateKey, { alg: "RS256", kid: "../../one" }, claims),
    ],
    [
      "with a critical header we do not know",
      (claims, keys) => signedWith(keys.privateKey, { alg: "RS256", kid: "one", crit: ["b64"], b64: false }, claims),
    ],
  ])("%s", async (_what, makeToken) => {
    const server = await teamServer();
    provider.makeToken = makeToken;
    expect(await signedIn(server)).toMatchObject({ status: 401, hasSession: false });
  });

  it.each<[string, (claims: Claims) => Claims]>([
    ["for several, of whom another was meant", (claims) => ({ ...claims, aud: [CLIENT.clientId, "x"], azp: "x" })],
    ["for several, without a word whom", (claims) => ({ ...claims, aud: [CLIENT.clientId, "x"] })],
    ["meant for another", (claims) => ({ ...claims, azp: "x" })],
    ["without an end", ({ exp: _, ...claims }) => claims],
    ["without a beginning", ({ iat: _, ...claims }) => claims],
    ["of which the end is text", (claims) => ({ ...claims, exp: String(now() + 300) })],
    ["that is not valid yet", (claims) => ({ ...claims, nbf: now() + 3_600 })],
    ["without a nonce", ({ nonce: _, ...claims }) => claims],
    ["of an empty subject", (claims) => ({ ...claims, sub: "" })],
    ["of a subject that is no text", (claims) => ({ ...claims, sub: ["u-1"] })],
    ["of an issuer that only begins the same", (claims) => ({ ...claims, iss: `${claims.iss}/` })],
  ])("%s", async (_what, forge) => {
    const server = await teamServer();
    provider.forge = forge;
    expect(await signedIn(server)).toMatchObject({ status: 401, hasSession: false });
  });

  it("for all that its issuer says it may do: none and shared secrets are not taken", async () => {
    provider.saysToo = { id_token_signing_alg_values_supported: ["none", "HS256", "RS256"] };
    const server = await teamServer();
    for (const alg of ["none", "HS256"]) {
      provider.makeToken = (claims) => {
        const input = inputOf({ alg }, claims);
        const mac = createHmac("sha256", CLIENT.clientSecret).update(input).digest("base64url");
        return `${input}.${alg === "none" ? "" : mac}`;
      };
      expect(await signedIn(server)).toMatchObject({ status: 401, hasSession: false });
    }
  });
});

describe("an issuer", () => {
  it("that calls itself by another name is not asked", async () => {
    provider.saysToo = { issuer: "https://evil.example" };
    const server = await teamServer();
    expect((await server.anybody("GET", "/sign-in/team")).status).toBe(502);
  });

  it("is not asked in clear text, unless it is on this machine", async () => {
    const server = await testServer({ oidc: { issuer: "http://login.example.com", ...CLIENT } });
    const reply = await server.anybody("GET", "/sign-in/team");
    expect(reply.status).toBe(502);
    expect(reply.text).not.toContain(CLIENT.clientSecret);
  });
});

describe("a sign-in leads to this server only", () => {
  it.each([
    "//evil.example",
    "/\\evil.example",
    "https://evil.example/",
    "/\t/evil.example",
    "/.//evil.example",
    "javascript:alert(1)",
    "https:evil.example//x",
    "\\\\evil.example",
    "http://127.0.0.1:4173@evil.example/",
    "/%0d%0aset-cookie:x=y",
  ])("to=%s", async (to) => {
    const server = await teamServer();
    const { status, to: target } = await signedIn(server, `/sign-in/team?to=${encodeURIComponent(to)}`);
    expect(status).toBe(303);
    expect(new URL(target ?? "", PUBLIC_URL).origin).toBe(PUBLIC_URL);
    expect(target).toMatch(/^\/(?![\\/])/);
  });
});
