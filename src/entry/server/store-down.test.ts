import { describe, expect, it, onTestFinished } from "vitest";
import type { Stores } from "../../approvals/store.ts";
import { memoryStores } from "../../stores/memory.ts";
import { createServer } from "./app.ts";
import { PUBLIC_URL, postedDraft, testServer } from "./server.fixture.ts";

/** Stores that can be switched off: every promise of theirs then fails, as those of a database that is gone do. */
function breakable() {
  const stores = memoryStores();
  const state = { isDown: false };
  const proxy = new Proxy(stores, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function" || name === "now") return member;
      return (...args: unknown[]) =>
        state.isDown ? Promise.reject(new Error("connect ECONNREFUSED 10.0.0.5:5432")) : member.apply(target, args);
    },
  }) as Stores;
  return { stores: proxy, state };
}

describe("while the store cannot be reached", () => {
  it("every request is 503 with a reason, health says so, and all is well again when it is back", async () => {
    const { stores, state } = breakable();
    const server = await testServer({ stores });
    const [bob, agent] = [await server.browser("bob"), await server.agent()];
    const { id } = await server.asked();
    state.isDown = true;
    for (const reply of [
      await bob("GET", "/api/approvals"),
      await bob("POST", `/api/approvals/${id}/respond`, { decision: "approve" }),
      await agent("POST", "/api/approvals", postedDraft()),
      await agent("POST", `/api/approvals/${id}/use`, { digest: "digest-x", eventId: "e" }),
      await server.anybody("GET", "/sign-in/link?token=x"),
    ]) {
      expect(reply.status).toBe(503);
      expect(reply.text).not.toContain("10.0.0.5");
      expect(reply.headers.get("retry-after")).toBe("5");
    }
    const json = await bob("GET", "/api/me");
    expect(json.json.error).toMatchObject({ code: "HF917", message: "the store of approvals cannot be reached" });
    const health = await server.anybody("GET", "/api/health");
    expect([health.status, health.json.store]).toEqual([503, "down"]);

    state.isDown = false;
    expect((await server.anybody("GET", "/api/health")).json).toMatchObject({ ok: true, store: "up" });
    const reply = await bob("POST", `/api/approvals/${id}/respond`, { decision: "approve" });
    expect([reply.status, reply.json.status]).toEqual([200, "approved"]);
  });

  it("a wait that is under way ends with 503 and can be begun again", async () => {
    const { stores, state } = breakable();
    const server = await testServer({ stores });
    const agent = await server.agent();
    const { id } = await server.asked();
    const waiting = agent("GET", `/api/approvals/${id}/wait?version=1&waitMs=500`);
    setTimeout(() => {
      state.isDown = true;
    }, 20);
    expect((await waiting).status).toBe(503);
    state.isDown = false;
    expect((await agent("GET", `/api/approvals/${id}/wait?version=0`)).json.id).toBe(id);
  });

  it("a server can start, and serves as soon as the store is back", async () => {
    const { stores, state } = breakable();
    state.isDown = true;
    const logged: string[] = [];
    const server = createServer({ stores, publicUrl: PUBLIC_URL, log: (line) => void logged.push(line) });
    await server.start();
    onTestFinished(() => server.close());
    const health = async () => server.app.request(`${PUBLIC_URL}/api/health`, { headers: { host: "127.0.0.1:4173" } });
    expect((await health()).status).toBe(503);
    expect(logged.join("\n")).toContain("live updates wait for the store");
    state.isDown = false;
    expect((await health()).status).toBe(200);
  });
});
