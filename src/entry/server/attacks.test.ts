import { describe, expect, it } from "vitest";
import { APPROVER, type Person } from "../../approvals/approval.ts";
import { PUBLIC_URL, postedDraft, testServer } from "./server.fixture.ts";
import { startSession } from "./sessions.ts";
import { newSignInLink } from "./sign-in-link.ts";

describe("a page of somebody else", () => {
  it("cannot decide with the person's cookie: the token, the origin and the form of the body are missing", async () => {
    const server = await testServer();
    const { id } = await server.asked();
    const { cookie, csrf } = await server.browser("bob");
    const path = `/api/approvals/${id}/respond`;
    const body = { decision: "approve" };
    const attempts: Record<string, string>[] = [
      { cookie },
      { cookie, origin: PUBLIC_URL },
      { cookie, origin: "https://evil.example" },
      { cookie, origin: "null", "x-csrf-token": csrf },
      { cookie, origin: "https://evil.example", "x-csrf-token": csrf },
      { cookie, origin: `${PUBLIC_URL}.evil.example`, "x-csrf-token": csrf },
      { cookie, origin: PUBLIC_URL, "x-csrf-token": `${csrf}x` },
      { cookie, "x-csrf-token": csrf },
    ];
    for (const headers of attempts)
      expect((await server.anybody("POST", path, body, headers)).status, JSON.stringify(headers)).toBe(403);
    const own = { cookie, origin: PUBLIC_URL, "x-csrf-token": csrf };
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
      expect((await server.anybody("POST", path, body, { ...own, "content-type": type })).status).toBe(415);
    expect((await server.stores.get(id))?.status).toBe("pending");
    expect((await server.anybody("POST", path, body, own)).status).toBe(200);
  });

  it("cannot use the CSRF token of another sign-in", async () => {
    const server = await testServer();
    const { id } = await server.asked();
    const [bob, mia] = [await server.browser("bob"), await server.browser("mia")];
    const headers = { cookie: bob.cookie, origin: PUBLIC_URL, "x-csrf-token": mia.csrf };
    expect(
      (await server.anybody("POST", `/api/approvals/${id}/respond`, { decision: "approve" }, headers)).status,
    ).toBe(403);
  });

  it("cannot post a form to a page, decide there, or sign the person out", async () => {
    const server = await testServer();
    const { id } = await server.asked();
    const { cookie, csrf } = await server.browser("bob");
    const form = "application/x-www-form-urlencoded";
    for (const path of [`/approvals/${id}/decide`, "/sign-out"]) {
      const without = { cookie, origin: PUBLIC_URL, "content-type": form };
      expect((await server.anybody("POST", path, "decision=approve", without)).status).toBe(403);
      const elsewhere = { cookie, origin: "https://evil.example", "content-type": form };
      expect((await server.anybody("POST", path, `decision=approve&csrf=${csrf}`, elsewhere)).status).toBe(403);
    }
    expect((await server.stores.get(id))?.status).toBe("pending");
    expect((await server.anybody("GET", "/api/me", undefined, { cookie })).status).toBe(200);
  });

  it("cannot frame, sniff, cache or be told of anything, and no answer allows another origin", async () => {
    const server = await testServer();
    const bob = await server.browser("bob");
    for (const path of ["/api/me", "/inbox", "/sign-in", "/api/nothing", "/nothing"]) {
      const { headers } = await bob("GET", path, undefined, { origin: "https://evil.example" });
      expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("access-control-allow-origin")).toBeNull();
      expect(headers.get("referrer-policy")).toBe(path.startsWith("/api/") ? "no-referrer" : "same-origin");
    }
  });

  it("cannot reach the server by a name of its own that points at this machine", async () => {
    const server = await testServer();
    const reply = await server.anybody("GET", "/api/health", undefined, { host: "evil.example:4173" });
    expect(reply.status).toBe(421);
  });
});

describe("sign-ins", () => {
  it("whoever gets the id of somebody who was removed is not them: their sign-ins, links and tokens stay dead", async () => {
    const server = await testServer();
    const [ada, bob] = [await server.browser("ada"), await server.browser("bob")];
    const program = await server.agent({ kind: "person", person: "bob", scopes: [] });
    const agent = await server.agent({ person: "bob" });
    const person: Person = { id: "bob", organisation: "acme", name: "Another Bob", roles: [APPROVER] };
    const link = new URL(await newSignInLink(server.stores, PUBLIC_URL, person));
    for (const old of [bob, program, agent]) expect((await old("GET", "/api/me")).status).toBe(200);
    expect((await ada("DELETE", "/api/people/bob")).status).toBe(204);
    const { organisation: _, ...added } = person;
    expect((await ada("POST", "/api/people", added)).status).toBe(200);
    for (const old of [bob, program, agent]) expect((await old("GET", "/api/me")).status).toBe(401);
    expect((await server.anybody("GET", link.pathname + link.search)).status).toBe(401);
    const fresh = [await server.browser("bob"), await server.agent({ kind: "person", person: "bob", scopes: [] })];
    for (const ask of fresh) expect((await ask("GET", "/api/me")).json.person).toMatchObject({ name: "Another Bob" });
    const { tokens } = (await fresh[0]?.("GET", "/api/tokens"))?.json ?? {};
    expect(JSON.stringify(tokens)).not.toContain("holder");
  });

  it("a session that somebody planted before the sign-in is worth nothing after it", async () => {
    const server = await testServer();
    const [ada, mia] = [await server.stores.person("acme", "ada"), await server.stores.person("acme", "mia")];
    if (!ada || !mia) throw new Error("they are in the fixture");
    const planted = await startSession(server.stores, mia);
    const link = await newSignInLink(server.stores, PUBLIC_URL, ada);
    const reply = await server.anybody("GET", link, undefined, { cookie: `holdfast=${planted}` });
    const cookie = reply.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/^holdfast=[\w-]{43}; .*HttpOnly; SameSite=Lax/);
    expect(cookie).not.toContain(planted);
    expect((await server.anybody("GET", "/api/me", undefined, { cookie: `holdfast=${planted}` })).status).toBe(401);
    const own = cookie.split(";")[0] ?? "";
    expect((await server.anybody("GET", "/api/me", undefined, { cookie: own })).json.person.id).toBe("ada");
  });

  it("over https the cookie is secure and bound to the host", async () => {
    const server = await testServer({ publicUrl: "https://holdfast.example.com" });
    const ada = await server.stores.person("acme", "ada");
    if (!ada) throw new Error("she is in the fixture");
    const link = await newSignInLink(server.stores, "https://holdfast.example.com", ada);
    const response = await server.app.request(link, { headers: { host: "holdfast.example.com" } });
    expect(response.headers.get("set-cookie")).toMatch(/^__Host-holdfast=.*Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    expect(response.headers.get("strict-transport-security")).toContain("max-age");
  });

  it("guessing links, tokens and sessions is slowed down, and what is right still works from elsewhere", async () => {
    const server = await testServer({ isBehindProxy: true });
    const from = (address: string) => ({ "x-forwarded-for": `9.9.9.9, ${address}` });
    const link = () => server.anybody("GET", "/sign-in/link?token=guess", undefined, from("1.2.3.4"));
    const links = await Promise.all(Array.from({ length: 25 }, link));
    expect(links.filter(({ status }) => status === 401)).toHaveLength(20);
    const late = links.filter(({ status }) => status === 429);
    expect(late).toHaveLength(5);
    expect(late[0]?.headers.get("retry-after")).toBe("60");
    expect((await server.anybody("GET", "/sign-in/link?token=guess", undefined, from("5.6.7.8"))).status).toBe(401);

    const agent = await server.agent();
    const guess = { ...from("1.2.3.4"), authorization: `Bearer ${agent.token.slice(0, -1)}x` };
    const tokens = await Promise.all(
      Array.from({ length: 25 }, () => server.anybody("GET", "/api/me", undefined, guess)),
    );
    expect(tokens.filter(({ status }) => status === 401)).toHaveLength(20);
    expect(tokens.filter(({ status }) => status === 429)).toHaveLength(5);
  });

  it("answering is limited per person, not per address", async () => {
    const server = await testServer();
    const [bob, cleo] = [await server.browser("bob"), await server.browser("cleo")];
    let status = 0;
    for (let count = 0; count < 121; count++)
      ({ status } = await bob("POST", "/api/approvals/A-unknown/respond", { decision: "deny" }));
    expect(status).toBe(429);
    expect((await cleo("POST", "/api/approvals/A-unknown/respond", { decision: "deny" })).status).toBe(404);
  });

  it("a wrong Authorization header is not made up for by a cookie", async () => {
    const server = await testServer();
    const { cookie } = await server.browser("bob");
    for (const authorization of ["Bearer hf_0123456789abcdef_x", "Basic Ym9iOg==", "Bearer"])
      expect((await server.anybody("GET", "/api/me", undefined, { cookie, authorization })).status).toBe(401);
  });
});

describe("strange requests", () => {
  it("paths that climb, or name nothing, are 404 and show nothing of the machine", async () => {
    const server = await testServer();
    const bob = await server.browser("bob");
    const paths = [
      "/assets/..%2f..%2fapp.ts",
      "/assets/%2e%2e/%2e%2e/package.json",
      "/assets/....//pages.css",
      "/api/approvals/..%2f..%2fpeople",
      "/api/approvals/%00",
      `/api/approvals/${"x".repeat(5_000)}`,
      "/api/channels/..%2f/callback",
      "/api/__proto__",
      "/.env",
    ];
    for (const path of paths) {
      const reply = await bob("GET", path);
      expect([path, reply.status]).toEqual([path, 404]);
      expect(reply.text).not.toMatch(/import |"dependencies"|node_modules/);
    }
  });

  it("a body that is too large is refused while it is read, whatever its length claims", async () => {
    const server = await testServer();
    const agent = await server.agent();
    const huge = JSON.stringify({ ...postedDraft(), reason: "x".repeat(1024 * 1024) });
    expect((await agent("POST", "/api/approvals", huge)).status).toBe(413);
    expect((await agent("POST", "/api/approvals", "{}", { "content-length": "99999999" })).status).toBe(413);
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(0x20));
      },
    });
    const response = await server.app.request(new URL("/api/approvals", PUBLIC_URL), {
      method: "POST",
      headers: { host: "127.0.0.1:4173", "content-type": "application/json", authorization: `Bearer ${agent.token}` },
      body: endless,
      duplex: "half",
    } as RequestInit);
    expect(response.status).toBe(413);
    expect(sent).toBeLessThan(2 * 1024 * 1024);
  });

  it("broken JSON, bytes that are no text and deep nesting are 400, and the server goes on", async () => {
    const server = await testServer();
    const agent = await server.agent();
    const nested = `{"call":${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
    for (const body of ["{", "", "nonsense", "[]", "null", '{"__proto__":{"admin":true}}', nested]) {
      const reply = await agent("POST", "/api/approvals", body, { "content-type": "application/json" });
      expect([body.slice(0, 20), reply.status, reply.json.error.code]).toEqual([body.slice(0, 20), 400, "HF914"]);
    }
    expect((await agent("GET", "/api/me")).status).toBe(200);
  });

  it("line breaks in names, reasons and queries never become headers, markup stays what it is in JSON", async () => {
    const server = await testServer();
    const ada = await server.browser("ada");
    const name = 'Eve\r\nset-cookie: a=b\r\n\r\n<script>alert("x")</script>';
    const put = await ada("PUT", "/api/people/eve", { name, roles: [] });
    expect(put.json.name).toBe(name);
    expect(put.headers.get("set-cookie")).toBeNull();
    const { id } = await server.asked();
    const reply = await ada("POST", `/api/approvals/${id}/respond`, { decision: "deny", reason: name });
    expect(reply.json.votes[0].reason).toBe(name);
    expect(reply.headers.get("content-type")).toContain("application/json");
    const redirect = await server.anybody("GET", "/inbox?x=%0d%0aset-cookie:a=b", undefined, { accept: "text/html" });
    expect(redirect.status).toBe(303);
    expect(redirect.headers.get("set-cookie")).toBeNull();
    const signIn = await ada("GET", "/sign-in?to=//evil.example/x");
    expect(signIn.headers.get("location")).toMatch(/^\/(?!\/)/);
    for (const to of ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)"])
      expect((await ada("GET", `/sign-in?to=${encodeURIComponent(to)}`)).headers.get("location")).toBe("/");
  });

  it("what fails inside is in the log, and not in the answer", async () => {
    const server = await testServer();
    const bob = await server.browser("bob");
    server.stores.people = async () => {
      throw new Error("password=hunter2 at /srv/secret.ts");
    };
    const reply = await bob("GET", "/api/people");
    expect(reply.status).toBe(503);
    expect(reply.text).not.toContain("hunter2");
    expect(server.logged.join("\n")).toContain("hunter2");
  });
});
