import { afterEach, describe, expect, it } from "vitest";
import { type TestServer, testServer } from "../server.fixture.ts";

let server: TestServer;
afterEach(() => server.close());

const HTML = { accept: "text/html" };
const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
const FORM = { "content-type": "application/x-www-form-urlencoded" };

describe("pages", () => {
  it("ask whoever is not signed in to do so, and come back", async () => {
    server = await testServer();
    const answer = await server.anybody("GET", "/history?q=a", undefined, HTML);
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/sign-in?to=%2Fhistory%3Fq%3Da"]);
  });

  it("say what went wrong as a page: an unknown request, an unknown address, a cursor nobody gave out", async () => {
    server = await testServer();
    const bob = await server.browser("bob");
    const statuses = [];
    for (const path of ["/approvals/A-none", "/nowhere", "/history?cursor=made-up"]) {
      const answer = await bob("GET", path, undefined, HTML);
      expect(answer.text).toContain("That did not work");
      expect(answer.headers.get("content-type")).toContain("text/html");
      statuses.push(answer.status);
    }
    expect(statuses).toEqual([404, 404, 400]);
  });

  it("X-7 F-35 another organisation's request is not there, and a vote on it changes nothing", async () => {
    server = await testServer();
    const approval = await server.asked();
    const olga = await server.browser("olga");
    expect((await olga("GET", `/approvals/${approval.id}`, undefined, HTML)).status).toBe(404);
    const vote = form({ csrf: olga.csrf, decision: "approve" });
    expect((await olga("POST", `/approvals/${approval.id}/decide`, vote, FORM)).status).toBe(404);
    expect(await server.stores.get(approval.id)).toEqual(approval);
  });

  it("F-30 a second click is told that the first one counted", async () => {
    server = await testServer();
    const approval = await server.asked();
    const [bob, cleo] = [await server.browser("bob"), await server.browser("cleo")];
    const path = `/approvals/${approval.id}/decide`;
    await bob("POST", path, form({ csrf: bob.csrf, decision: "deny", reason: "no" }), FORM);
    const late = await cleo("POST", path, form({ csrf: cleo.csrf, decision: "approve", from: "/inbox" }), FORM);
    expect(late.headers.get("location")).toBe(`/inbox?after=${approval.id}&refused=not-pending`);
    const inbox = await cleo("GET", late.headers.get("location") ?? "", undefined, HTML);
    expect(inbox.text).toContain("Your answer did not count");
    expect((await server.stores.get(approval.id))?.status).toBe("denied");
  });

  it("a link cannot make a page say that somebody decided", async () => {
    server = await testServer();
    const approval = await server.asked();
    const bob = await server.browser("bob");
    const inbox = await bob("GET", `/inbox?after=${approval.id}&refused=<b>`, undefined, HTML);
    expect(inbox.text).not.toContain("You approved");
    expect(inbox.text).not.toContain("<b>");
  });

  it("a form that says neither yes nor no, or says too much, is refused", async () => {
    server = await testServer();
    const approval = await server.asked();
    const bob = await server.browser("bob");
    const path = `/approvals/${approval.id}/decide`;
    for (const fields of [{ decision: "maybe" }, { decision: "deny", reason: "x".repeat(2_001) }])
      expect((await bob("POST", path, form({ csrf: bob.csrf, ...fields }), FORM)).status).toBe(400);
    expect(await server.stores.get(approval.id)).toEqual(approval);
  });

  it("files are kept by browsers only under the name of their content", async () => {
    server = await testServer();
    const { text } = await server.anybody("GET", "/sign-in", undefined, HTML);
    const [path = ""] = /\/assets\/pages\.css\?v=\w+/.exec(text) ?? [];
    const kept = await server.anybody("GET", path);
    expect(kept.headers.get("cache-control")).toContain("immutable");
    expect(kept.headers.get("content-type")).toContain("text/css");
    expect((await server.anybody("GET", "/assets/pages.css")).headers.get("cache-control")).toBe("no-cache");
    expect((await server.anybody("GET", "/assets/..%2fassets.ts")).status).toBe(404);
  });

  it("the theme is remembered for a stranger too, and leads nowhere else", async () => {
    server = await testServer();
    const answer = await server.anybody(
      "POST",
      "/theme",
      form({ theme: "dark", from: "https://elsewhere.example" }),
      FORM,
    );
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/"]);
    expect(answer.headers.get("set-cookie")).toContain("holdfast-theme=dark");
  });
});
