import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CLIENT, type OidcProvider, startOidcProvider } from "./oidc-provider.fixture.ts";
import { PUBLIC_URL, type TestServer, testServer } from "./server.fixture.ts";

const CALLBACK = `${PUBLIC_URL}/sign-in/team/callback`;
let provider: OidcProvider;

beforeAll(async () => {
  provider = await startOidcProvider(() => CALLBACK);
});
afterAll(() => provider.close());
beforeEach(() => {
  provider.account = { sub: "u-1", email: "Ada@Example.com", email_verified: true };
  provider.forge = undefined;
  provider.usesAnotherKey = false;
  provider.refused.length = 0;
});

const teamServer = () => testServer({ oidc: { issuer: provider.issuer, ...CLIENT } });

/** As a browser does: to the server, to the issuer, and where the issuer sends it. */
async function begun(server: TestServer, path = "/sign-in/team?to=/history") {
  const start = await server.anybody("GET", path);
  const cookie = (start.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const atIssuer = await fetch(start.headers.get("location") ?? "", { redirect: "manual" });
  expect(provider.refused).toEqual([]);
  return { cookie, back: atIssuer.headers.get("location") ?? "" };
}

async function signedIn(server: TestServer, path?: string) {
  const { cookie, back } = await begun(server, path);
  return server.anybody("GET", back, undefined, { cookie });
}

const sessionCookie = (headers: Headers) =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0] ?? "")
    .find((cookie) => /^holdfast=./.test(cookie)) ?? "";

describe("sign-in of a team", () => {
  it("signs in who is known by the issuer's id of them, and goes on where they wanted to go", async () => {
    const server = await teamServer();
    await server.stores.linkIdentity(`oidc:${provider.issuer}#u-1`, "acme", "ada");
    const reply = await signedIn(server);
    expect([reply.status, reply.headers.get("location")]).toEqual([303, "/history"]);
    const me = await server.anybody("GET", "/api/me", undefined, { cookie: sessionCookie(reply.headers) });
    expect(me.json.person).toMatchObject({ id: "ada", organisation: "acme" });
  });

  it("knows somebody by an address the issuer has verified, once, and by the issuer's id from then on", async () => {
    const server = await teamServer();
    await server.stores.linkIdentity("email:ada@example.com", "acme", "ada");
    expect((await signedIn(server)).status).toBe(303);
    provider.account = { sub: "u-1" };
    expect((await signedIn(server)).status).toBe(303);
  });

  it("an address that was given to somebody else meanwhile does not make them who had it before", async () => {
    const server = await teamServer();
    await server.stores.linkIdentity("email:ada@example.com", "acme", "ada");
    expect((await signedIn(server)).status).toBe(303);
    provider.account = { sub: "u-2", email: "ada@example.com", email_verified: true };
    const reply = await signedIn(server);
    expect([reply.status, sessionCookie(reply.headers)]).toEqual([403, ""]);
    expect(await server.stores.memberships(`oidc:${provider.issuer}#u-2`)).toEqual([]);
    provider.account = { sub: "u-1", email: "ada@example.com", email_verified: true };
    expect((await signedIn(server)).status).toBe(303);
  });

  it("an address that an earlier version left linked is taken away when its person signs in", async () => {
    const server = await teamServer();
    await server.stores.linkIdentity("email:ada@example.com", "acme", "ada");
    await server.stores.linkIdentity(`oidc:${provider.issuer}#u-1`, "acme", "ada");
    expect((await signedIn(server)).status).toBe(303);
    provider.account = { sub: "u-2", email: "ada@example.com", email_verified: true };
    expect((await signedIn(server)).status).toBe(403);
  });

  it("of two who show the same address at once one is taken for the person", async () => {
    const server = await teamServer();
    await server.stores.linkIdentity("email:ada@example.com", "acme", "ada");
    const one = await begun(server);
    provider.account = { sub: "u-2", email: "ada@example.com", email_verified: true };
    const other = await begun(server);
    const replies = await Promise.all(
      [one, other].map(({ back, cookie }) => server.anybody("GET", back, undefined, { cookie })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([303, 403]);
  });

  it("an account that is no longer linked ends what was signed in with it, and nothing else of the person", async () => {
    const server = await teamServer();
    const identity = `oidc:${provider.issuer}#u-1`;
    await server.stores.linkIdentity(identity, "acme", "bob");
    const cookie = sessionCookie((await signedIn(server)).headers);
    const byLink = await server.browser("bob");
    const status = async () => (await server.anybody("GET", "/api/me", undefined, { cookie })).status;
    expect(await status()).toBe(200);
    const admin = await server.browser("ada");
    const query = new URLSearchParams({ identity });
    expect((await admin("DELETE", `/api/people/bob/identities?${query}`)).status).toBe(204);
    expect([await status(), (await byLink("GET", "/api/me")).status]).toEqual([401, 200]);
    expect((await admin("POST", "/api/people/cleo/identities", { identity })).status).toBe(204);
    expect(await status()).toBe(401);
  });

  it("the same account in two windows at once is the person in both", async () => {
    const server = await teamServer();
    await server.stores.linkIdentity("email:ada@example.com", "acme", "ada");
    const windows = [await begun(server), await begun(server)];
    const replies = await Promise.all(
      windows.map(({ back, cookie }) => server.anybody("GET", back, undefined, { cookie })),
    );
    expect(replies.map(({ status }) => status)).toEqual([303, 303]);
  });

  it("an address is the same however an admin wrote it", async () => {
    const server = await teamServer();
    const admin = await server.browser("ada");
    const identity = "email:Bob@EXAMPLE.com";
    expect((await admin("POST", "/api/people/bob/identities", { identity })).status).toBe(204);
    provider.account = { sub: "u-3", email: "bob@example.COM", email_verified: true };
    expect((await signedIn(server)).status).toBe(303);
  });

  it("does not believe an address that nobody has verified", async () => {
    const server = await teamServer();
    await server.stores.linkIdentity("email:ada@example.com", "acme", "ada");
    provider.account = { sub: "u-9", email: "ada@example.com", email_verified: false };
    expect((await signedIn(server)).status).toBe(403);
    provider.account = { sub: "u-9", email: "ada@example.com" };
    expect((await signedIn(server)).status).toBe(403);
  });

  it("refuses who is unknown, with a page that says what an admin needs to know, markup and all escaped", async () => {
    const server = await teamServer();
    provider.account = { sub: "<script>alert(1)</script>" };
    const reply = await signedIn(server);
    expect(reply.status).toBe(403);
    expect(reply.text).toContain(`oidc:${provider.issuer}#&lt;script&gt;`);
    expect(reply.text).not.toContain("<script>alert");
    expect(sessionCookie(reply.headers)).toBe("");
  });

  it("asks for the organisation where there are several, and signs in to that one only", async () => {
    const server = await teamServer();
    const identity = `oidc:${provider.issuer}#u-1`;
    await server.stores.linkIdentity(identity, "acme", "ada");
    await server.stores.linkIdentity(identity, "other", "olga");
    const choice = await signedIn(server);
    expect(choice.status).toBe(200);
    expect(choice.text).toContain("organisation=other");
    const reply = await signedIn(server, "/sign-in/team?organisation=other");
    const me = await server.anybody("GET", "/api/me", undefined, { cookie: sessionCookie(reply.headers) });
    expect(me.json.person.id).toBe("olga");
    expect((await signedIn(server, "/sign-in/team?organisation=third")).status).toBe(403);
  });

  it("takes an answer once, and only in the browser that began it", async () => {
    const server = await teamServer();
    await server.stores.linkIdentity(`oidc:${provider.issuer}#u-1`, "acme", "ada");
    const [mine, theirs] = [await begun(server), await begun(server)];
    expect((await server.anybody("GET", theirs.back, undefined, { cookie: mine.cookie })).status).toBe(401);
    expect((await server.anybody("GET", mine.back)).status).toBe(401);
    const good = await begun(server);
    expect((await server.anybody("GET", good.back, undefined, { cookie: good.cookie })).status).toBe(303);
    expect((await server.anybody("GET", good.back, undefined, { cookie: good.cookie })).status).toBe(401);
  });

  it.each<[string, (claims: Record<string, unknown>) => Record<string, unknown>]>([
    ["another nonce", (claims) => ({ ...claims, nonce: "another" })],
    ["another audience", (claims) => ({ ...claims, aud: "somebody-else" })],
    ["another issuer", (claims) => ({ ...claims, iss: "https://evil.example" })],
    ["an end in the past", (claims) => ({ ...claims, exp: 1 })],
    ["no subject", ({ sub: _, ...claims }) => claims],
  ])("does not believe an ID token with %s", async (_what, forge) => {
    const server = await teamServer();
    await server.stores.linkIdentity(`oidc:${provider.issuer}#u-1`, "acme", "ada");
    provider.forge = forge;
    const reply = await signedIn(server);
    expect(reply.status).toBe(401);
    expect(sessionCookie(reply.headers)).toBe("");
  });

  it("does not believe a signature of another key, a mixed-up issuer, or a changed code", async () => {
    const server = await teamServer();
    await server.stores.linkIdentity(`oidc:${provider.issuer}#u-1`, "acme", "ada");
    provider.usesAnotherKey = true;
    expect((await signedIn(server)).status).toBe(401);
    provider.usesAnotherKey = false;
    for (const [name, value] of [
      ["iss", "https://evil.example"],
      ["code", "guessed"],
    ] as const) {
      const { cookie, back } = await begun(server);
      const url = new URL(back);
      url.searchParams.set(name, value);
      expect((await server.anybody("GET", url.href, undefined, { cookie })).status).toBe(401);
    }
  });

  it("says so where the issuer cannot be reached", async () => {
    const server = await testServer({ oidc: { issuer: "http://127.0.0.1:1", ...CLIENT } });
    const reply = await server.anybody("GET", "/sign-in/team");
    expect(reply.status).toBe(502);
    expect(reply.json.error.message).toContain("cannot be reached");
  });
});
