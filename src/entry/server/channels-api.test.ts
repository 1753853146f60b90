import { describe, expect, it, onTestFinished } from "vitest";
import type { Stores } from "../../approvals/store.ts";
import { newChannel } from "../../channels/administration.ts";
import type { PlatformCallback, SimulatedPlatform } from "../../channels/platforms/platform.fixture.ts";
import { SLACK_CHANNEL, simulatedSlack } from "../../channels/platforms/slack.fixture.ts";
import { KEYRING } from "../../channels/world.fixture.ts";
import { memoryStores } from "../../stores/memory.ts";
import { type TestServer, testServer } from "./server.fixture.ts";

async function world() {
  const platform = await simulatedSlack();
  onTestFinished(() => platform.close());
  const server = await testServer({ keyring: KEYRING });
  const ada = await server.browser("ada");
  const made = await ada("POST", "/api/channels", { type: "slack", name: "releases", config: platform.config });
  expect(made.status).toBe(200);
  return { platform, server, ada, id: made.json.id as string };
}

function called(server: TestServer, id: string, { method, headers, body }: PlatformCallback) {
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value ?? ""]));
  return server.anybody(method, `/api/channels/${id}/callback`, body, sent);
}

const shows = (platform: SimulatedPlatform, text: string) => platform.secrets.filter((secret) => text.includes(secret));

describe("channels", () => {
  it("F-26 only admins change them, members see them, and no answer or row shows a secret", async () => {
    const { server, platform, ada, id } = await world();
    const mia = await server.browser("mia");
    const config = { ...platform.config };
    for (const [method, path, body] of [
      ["POST", "/api/channels", { type: "slack", name: "x", config }],
      ["PATCH", `/api/channels/${id}`, { name: "x" }],
      ["DELETE", `/api/channels/${id}`, undefined],
      ["POST", "/api/channels/discover-chats", { type: "slack", config }],
    ] as const)
      expect((await mia(method, path, body)).status).toBe(403);
    const [list, one] = [await mia("GET", "/api/channels"), await mia("GET", `/api/channels/${id}`)];
    expect(one.json.config.channel).toBe(SLACK_CHANNEL);
    const stored = JSON.stringify(await server.stores.channel(id));
    for (const text of [list.text, one.text, (await ada("GET", `/api/channels/${id}`)).text, stored])
      expect(shows(platform, text)).toEqual([]);
  });

  it("F-26 a change merges: what is not named stays, and a mask that comes back never replaces a secret", async () => {
    const { platform, ada, id } = await world();
    const { config } = (await ada("GET", `/api/channels/${id}`)).json;
    const changed = await ada("PATCH", `/api/channels/${id}`, {
      name: "renamed",
      config: { ...config, team_id: "T1" },
    });
    expect(changed.json).toMatchObject({ name: "renamed", config });
    expect((await ada("PATCH", `/api/channels/${id}`, { config: { bot_token: "***" } })).status).toBe(200);
    expect((await ada("POST", `/api/channels/${id}/test`)).status).toBe(200);
    expect(platform.messages()).toHaveLength(1);
    expect((await ada("PATCH", `/api/channels/${id}`, { config: { bot_token: null } })).status).toBe(400);
    expect((await ada("PATCH", `/api/channels/${id}`, { config: { colour: "red" } })).status).toBe(400);
  });

  it("F-26 of admins who change different fields at once none undoes another's change", async () => {
    const { server, ada, id } = await world();
    await ada("PUT", "/api/people/bob", { name: "Bob", roles: ["admin"] });
    const bob = await server.browser("bob");
    const replies = await Promise.all([
      ada("PATCH", `/api/channels/${id}`, { name: "renamed" }),
      bob("PATCH", `/api/channels/${id}`, { isActive: false }),
      ada("PATCH", `/api/channels/${id}`, { config: { team_id: "T1" } }),
      bob("PATCH", `/api/channels/${id}`, { config: { channel: "C0OTHER" } }),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { config, ...rest } = (await ada("GET", `/api/channels/${id}`)).json;
    expect(rest).toMatchObject({ name: "renamed", isActive: false });
    expect(config).toMatchObject({ team_id: "T1", channel: "C0OTHER" });
  });

  it("F-26 a channel that is removed while it is changed stays removed", async () => {
    const stores = memoryStores();
    let afterRead: (id: string) => Promise<unknown> = async () => {};
    const slow: Stores = {
      ...stores,
      async channel(id) {
        const read = await stores.channel(id);
        await afterRead(id);
        return read;
      },
    };
    const ada = await (await testServer({ keyring: KEYRING, stores: slow })).browser("ada");
    const config = { url: "https://hooks.example.com/", secret: "s".repeat(32) };
    const { id } = (await ada("POST", "/api/channels", { type: "webhook", name: "w", config })).json;
    afterRead = stores.removeChannel;
    expect((await ada("PATCH", `/api/channels/${id}`, { name: "renamed" })).status).toBe(404);
    expect(await stores.channels("acme")).toEqual([]);
  });

  it("F-26 who finds a channel changed by others twenty times over is told so, and has changed nothing", async () => {
    const stores = memoryStores();
    let tries = 0;
    const beaten: Stores = {
      ...stores,
      by: (actor) => ({
        ...stores.by(actor),
        async changeChannel(next, from) {
          await stores.putChannel({ ...from, name: `somebody's ${++tries}` });
          return stores.by(actor).changeChannel(next, from);
        },
      }),
    };
    const ada = await (await testServer({ keyring: KEYRING, stores: beaten })).browser("ada");
    const config = { url: "https://hooks.example.com/", secret: "s".repeat(32) };
    const { id } = (await ada("POST", "/api/channels", { type: "webhook", name: "w", config })).json;
    const { status, json } = await ada("PATCH", `/api/channels/${id}`, { isActive: false });
    expect([status, json.error.code, tries]).toEqual([409, "HF915", 20]);
    expect(json.error.message).toContain(`${id} was changed by others all the while`);
    expect(await stores.channel(id)).toMatchObject({ name: "somebody's 20", isActive: true });
  });

  it("X-7 one that anybody could forge a click with is refused", async () => {
    const { ada } = await world();
    const config = { app_id: "a", app_secret: "b", chat_id: "oc_1" };
    const reply = await ada("POST", "/api/channels", { type: "feishu", name: "x", config });
    expect([reply.status, reply.json.error.code]).toEqual([400, "HF933"]);
    expect(reply.json.error.message).toContain("forge");
  });

  it("F-34 a test is a plain message, rooms are found with new settings and with masked ones, bad ones are 400", async () => {
    const { platform, ada, id } = await world();
    expect((await ada("POST", `/api/channels/${id}/test`)).json.message).toEqual(expect.any(String));
    expect(platform.cards()).toEqual([]);
    const { channel: _, ...config } = platform.config;
    const fresh = await ada("POST", "/api/channels/discover-chats", { type: "slack", config });
    expect(fresh.json.chats).toContainEqual({ id: SLACK_CHANNEL, name: "releases" });
    const masked = (await ada("GET", `/api/channels/${id}`)).json.config;
    const edited = await ada("POST", "/api/channels/discover-chats", { type: "slack", config: masked, channel: id });
    expect(edited.json.chats).toEqual(fresh.json.chats);
    const wrong = { type: "slack", config: { ...config, bot_token: "xoxb-wrong" } };
    const refused = await ada("POST", "/api/channels/discover-chats", wrong);
    expect(refused.status).toBe(400);
    expect(refused.text).not.toContain("xoxb-wrong");
    expect((await ada("POST", "/api/channels/discover-chats", { type: "pigeon", config: {} })).status).toBe(400);
  });

  it("F-33 trying a channel out takes the way of every approval: the card, the click, the decision", async () => {
    const { server, platform, ada, id } = await world();
    await ada("POST", "/api/people/bob/identities", { identity: "slack:U0BOB" });
    const tried = await (await server.browser("mia"))("POST", `/api/channels/${id}/test-approval`);
    expect(tried.json).toMatchObject({ status: "pending", delivery: { state: "delivered" } });
    expect(platform.cards()).toHaveLength(1);
    const wish = { approval: tried.json.id, decision: "approve" } as const;
    const forged = await called(server, id, platform.click({ ...wish, user: "U0BOB", isForged: true }));
    expect(forged.status).toBe(401);
    await called(server, id, platform.click({ ...wish, user: "U0STRANGER" }));
    expect((await server.stores.get(tried.json.id))?.status).toBe("pending");
    const click = platform.click({ ...wish, user: "U0BOB" });
    expect((await called(server, id, click)).status).toBe(200);
    expect(await server.stores.get(tried.json.id)).toMatchObject({ status: "approved", votes: [{ by: "bob" }] });
    expect((await called(server, id, click)).status).toBe(409);
  });

  it("F-33 a channel that is switched off is refused, and what cannot be sent is not left pending", async () => {
    const { server, platform, ada, id } = await world();
    platform.failNext(50, "final");
    const failed = await ada("POST", `/api/channels/${id}/test-approval`);
    expect(failed.status).toBe(409);
    const { approvals } = await server.stores.list({ organisation: "acme", limit: 10 });
    expect(approvals.map(({ status }) => status)).toEqual(["withdrawn"]);
    platform.failNext(0, "final");
    await ada("PATCH", `/api/channels/${id}`, { isActive: false });
    const off = await ada("POST", `/api/channels/${id}/test-approval`);
    expect([off.status, off.json.error.code]).toEqual([409, "HF936"]);
  });

  it("an organisation that the server was not started for has nothing sent to the server's machine", async () => {
    const server = await testServer({ keyring: KEYRING, homeOrganisation: "acme" });
    const [ada, olga] = [await server.browser("ada"), await server.browser("olga")];
    const webhook = (url: string) => ({ type: "webhook", name: "w", config: { url, secret: "s".repeat(32) } });
    const here = [
      "http://127.0.0.1:9/",
      "http://localhost:9/",
      "http://127.1:9/",
      "http://2130706433:9/",
      "https://127.0.0.2/",
      "https://0.0.0.0/",
      "https://[::1]/",
      "https://[::ffff:127.0.0.1]/",
      "https://x.localhost/",
      "https://LOCALHOST./",
    ];
    for (const url of here) {
      const refused = await olga("POST", "/api/channels", webhook(url));
      expect([url, refused.status, refused.json.error.code]).toEqual([url, 400, "HF933"]);
    }
    expect((await ada("POST", "/api/channels", webhook("http://127.0.0.1:9/"))).status).toBe(200);
    const made = await olga("POST", "/api/channels", webhook("https://hooks.example.com/x"));
    expect(made.status).toBe(200);
    const change = { config: { url: "http://127.0.0.1:9/" } };
    expect((await olga("PATCH", `/api/channels/${made.json.id}`, change)).status).toBe(400);
    const config = { app_id: "a", app_secret: "s", base_url: "http://127.0.0.1:9" };
    const found = await olga("POST", "/api/channels/discover-chats", { type: "feishu", config });
    expect([found.status, found.json.error.code]).toEqual([400, "HF933"]);
    // As an earlier version stored it.
    const draft = { organisation: "other", ...webhook("http://127.0.0.1:9/") };
    const earlier = newChannel(draft, KEYRING, new Date());
    await server.stores.putChannel(earlier);
    expect((await olga("POST", `/api/channels/${earlier.id}/test`)).json.error.code).toBe("HF933");
  });

  it("X-7 a callback is bound to its channel: the same click at another channel's address decides nothing", async () => {
    const { server, platform, ada, id } = await world();
    await ada("POST", "/api/people/bob/identities", { identity: "slack:U0BOB" });
    const other = await ada("POST", "/api/channels", { type: "slack", name: "other", config: platform.config });
    const approval = await server.asked({ channel: id });
    const click = platform.click({ approval: approval.id, decision: "approve", user: "U0BOB" });
    await called(server, other.json.id, click);
    expect((await server.stores.get(approval.id))?.status).toBe("pending");
    expect((await called(server, "C-unknown", click)).status).toBe(404);
  });

  it("X-7 a callback that is too large, or comes too often, is refused", async () => {
    const { server, id } = await world();
    const large = { method: "POST", headers: {}, query: {}, body: "x".repeat(256 * 1024 + 1) };
    expect((await called(server, id, large)).status).toBe(413);
    const small = { ...large, body: "x" };
    let status = 0;
    for (let count = 0; count < 601; count++) ({ status } = await called(server, id, small));
    expect(status).toBe(429);
  });

  it("X-7 channels that callers make up are counted together, and leave no row each", async () => {
    const { server } = await world();
    const callback = { method: "POST", headers: {}, query: {}, body: "x" };
    let status = 0;
    for (let count = 0; count < 601; count++) ({ status } = await called(server, `C-${count}`, callback));
    expect(status).toBe(429);
    expect((await called(server, "%00", callback)).status).toBe(429);
    expect(await server.stores.keptUnder("rate:callback")).toHaveLength(1);
  });

  it("B14-16 what was decided outlives the channel it was asked in", async () => {
    const { server, ada, id } = await world();
    const approval = await server.asked({ channel: id });
    await ada("POST", `/api/approvals/${approval.id}/respond`, { decision: "deny", reason: "no" });
    expect((await ada("DELETE", `/api/channels/${id}`)).status).toBe(204);
    const { history } = (await ada("GET", `/api/approvals/${approval.id}/history`)).json;
    expect(history.some(({ action }: { action: string }) => action === "denied")).toBe(true);
  });

  it("a server without a key says so, and takes no callbacks", async () => {
    const server = await testServer();
    const reply = await (await server.browser("ada"))("GET", "/api/channels");
    expect([reply.status, reply.json.error.code]).toEqual([503, "HF931"]);
  });
});
