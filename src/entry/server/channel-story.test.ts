/** Channels through the server: made, tried out, asked in, clicked on, over HTTP and against simulated platforms. */
import { describe, expect, it, onTestFinished } from "vitest";
import { sealingKey } from "../../channels/credentials.ts";
import { MASK } from "../../channels/masking.ts";
import { channelsFor } from "../../channels/platforms/all.fixture.ts";
import type { PlatformCallback, SimulatedPlatform } from "../../channels/platforms/platform.fixture.ts";
import { eventually } from "../../channels/world.fixture.ts";
import { postedDraft, type TestServer, testServer } from "./server.fixture.ts";

const KEYRING = [sealingKey("a key for tests, of more than 32 characters")] as const;

describe.each(channelsFor())("a channel on %s, through the server", (_, platformOf) => {
  async function story() {
    const platform: SimulatedPlatform = await platformOf();
    onTestFinished(() => platform.close());
    const server: TestServer = await testServer({ keyring: KEYRING });
    const ada = await server.browser("ada");
    const { type, config } = platform;
    const made = await ada("POST", "/api/channels", { type, name: "releases", config });
    expect(made.status).toBe(200);
    const id: string = made.json.id;
    const identity = platform.identityOf("ou_bob", id);
    const linked = await ada("POST", "/api/people/bob/identities", { identity });
    expect(linked.status).toBeLessThan(300);
    const callBack = ({ method, headers, query, body }: PlatformCallback) =>
      server.anybody(
        method,
        `/api/channels/${id}/callback?${new URLSearchParams(query as Record<string, string>)}`,
        method === "GET" ? undefined : body,
        Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value ?? ""])),
      );
    return { platform, server, ada, id, made, callBack };
  }

  it("F-26 admins make and change it, members see it masked, and nobody sees a secret", async () => {
    const { platform, server, ada, id, made } = await story();
    const mia = await server.browser("mia");
    const seen = await mia("GET", `/api/channels/${id}`);
    for (const { text } of [made, seen, await mia("GET", "/api/channels")])
      for (const secret of platform.secrets) expect(text).not.toContain(secret);
    expect(Object.values(seen.json.config)).toContain(MASK);
    expect((await mia("PATCH", `/api/channels/${id}`, { name: "mine" })).status).toBe(403);
    expect((await mia("POST", "/api/channels", { type: "slack", name: "x", config: {} })).status).toBe(403);
    expect((await ada("PATCH", `/api/channels/${id}`, { name: "renamed", config: seen.json.config })).status).toBe(200);
    expect((await mia("POST", `/api/channels/${id}/test`)).status).toBe(200);
    const olga = await server.browser("olga");
    expect((await olga("GET", `/api/channels/${id}`)).status).toBe(404);
  });

  it("F-16 F-30 an agent asks, a card comes, a click decides, and the agent's next look shows it", async () => {
    const { platform, server, id, callBack } = await story();
    const agent = await server.agent();
    const asked = await agent("POST", "/api/approvals", postedDraft({ channel: id }));
    expect(asked.status).toBeLessThan(300);
    const approval: string = asked.json.id;
    await eventually(() => platform.cards().length === 1);
    const challenge = platform.challenge();
    if (challenge) expect((await callBack(challenge.callback)).text).toBe(challenge.expected);
    const click = platform.click({ approval, decision: "approve", user: "ou_bob" });
    expect((await callBack(click)).status).toBe(200);
    expect((await callBack(click)).status).toBe(409);
    const now = await server.stores.get(approval);
    expect(now).toMatchObject({ status: "approved", votes: [{ by: "bob", via: `channel:${id}` }] });
    await eventually(() => platform.cards().every(({ buttons }) => buttons.length === 0));
    expect(server.logged.join("\n")).not.toContain(click.body);
  });

  it("F-45 an agent tells of its run, people read it once, and a channel of others is not found", async () => {
    const { platform, server, id } = await story();
    const agent = await server.agent();
    const news = {
      run: "r-1",
      kind: "finished",
      agent: "deployer",
      durationMs: 1000,
      tools: [],
      asked: "a",
      answer: "b",
    };
    for (const channel of [id, "releases", null])
      expect((await agent("POST", "/api/notifications", { ...news, channel })).status).toBe(204);
    await eventually(() => platform.messages().length === 1);
    expect(platform.messages()[0]).toContain("deployer has finished");
    const olgas = await server.browser("olga");
    const { type, config } = platform;
    const foreign = await olgas("POST", "/api/channels", { type, name: "theirs", config });
    const refused = await agent("POST", "/api/notifications", { ...news, run: "r-2", channel: foreign.json.id });
    expect(refused.status).toBe(404);
    expect(platform.messages()).toHaveLength(1);
  });

  it("X-7 a forged click is answered 401 by the server too, and changes nothing", async () => {
    const { platform, server, id, callBack } = await story();
    const { id: approval } = await server.asked({ channel: id });
    const forged = platform.click({ approval, decision: "approve", user: "ou_bob", isForged: true });
    expect((await callBack(forged)).status).toBe(401);
    expect((await server.stores.get(approval))?.status).toBe("pending");
  });

  it("F-33 F-34 it can be tried out, and its rooms can be found before it is made and while it is edited", async () => {
    const { platform, server, ada, id } = await story();
    const tried = await ada("POST", `/api/channels/${id}/test-approval`);
    expect([tried.status, tried.json?.delivery?.state]).toEqual([200, "delivered"]);
    const { type, config } = platform;
    const created = await ada("POST", "/api/channels/discover-chats", { type, config });
    const masked = (await ada("GET", `/api/channels/${id}`)).json.config;
    const edited = await ada("POST", "/api/channels/discover-chats", { type, config: masked, channel: id });
    const hasRooms = type === "feishu" || type === "slack";
    expect([created.status, edited.status]).toEqual(hasRooms ? [200, 200] : [400, 400]);
    if (hasRooms) expect(edited.json.chats).toHaveLength(2);
    platform.failNext(99, "final");
    const failed = await ada("POST", `/api/channels/${id}/test`);
    expect(failed.status).toBe(400);
    expect(failed.text).toContain("HF934");
    await ada("PATCH", `/api/channels/${id}`, { isActive: false });
    expect((await ada("POST", `/api/channels/${id}/test-approval`)).status).toBe(409);
    expect(server.logged.join("\n")).not.toContain(platform.secrets[0]);
  });
});
