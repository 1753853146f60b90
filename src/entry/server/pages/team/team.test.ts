import { describe, expect, it } from "vitest";
import { sealingKey } from "../../../../channels/credentials.ts";
import { testServer } from "../../server.fixture.ts";

const HTML = { accept: "text/html" };
const FORM = { "content-type": "application/x-www-form-urlencoded", ...HTML };
const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
const KEYRING = [sealingKey("a key for tests only, 32 characters")] as const;
const SECRET = "only-for-this-test-only-for-this-test";

describe("people", () => {
  it("an admin adds somebody, changes their roles and removes them", async () => {
    const server = await testServer();
    const ada = await server.browser("ada");
    const post = (path: string, fields: Record<string, string> = {}) =>
      ada("POST", path, form({ csrf: ada.csrf, ...fields }), FORM);
    const added = await post("/people", {
      id: "dan",
      name: "Dan",
      roles: "approver, release",
      identity: "email:dan@acme.example",
    });
    expect([added.status, added.headers.get("location")]).toEqual([303, "/people"]);
    expect(await server.stores.person("acme", "dan")).toMatchObject({ name: "Dan", roles: ["approver", "release"] });
    expect((await server.stores.identified("email:dan@acme.example", "acme"))?.id).toBe("dan");
    await post("/people/dan", { name: "Daniel", roles: "" });
    expect(await server.stores.person("acme", "dan")).toMatchObject({ name: "Daniel", roles: [] });
    await post("/people/dan/identities", { identity: "email:dan@acme.example", what: "unlink" });
    expect(await server.stores.identified("email:dan@acme.example", "acme")).toBeUndefined();
    expect((await post("/people/dan/remove")).status).toBe(303);
    expect(await server.stores.person("acme", "dan")).toBeUndefined();
  });

  it("somebody who is there already is not overwritten by adding them again, and the page says so", async () => {
    const server = await testServer();
    const ada = await server.browser("ada");
    const add = (fields: Record<string, string>) =>
      ada("POST", "/people", form({ csrf: ada.csrf, name: "New", roles: "approver", ...fields }), FORM);
    const before = await server.stores.people("acme");
    const again = await add({ id: "cleo", name: "Another Cleo", roles: "admin", identity: "slack:U7" });
    expect([again.status, again.text.includes("somebody with the id cleo already")]).toEqual([409, true]);
    await server.stores.linkIdentity("slack:U8", "acme", "bob");
    const taken = await add({ id: "dan", identity: "slack:U8" });
    expect([taken.status, taken.text.includes("identity slack:U8 is Bob (bob) already")]).toEqual([409, true]);
    const unusable = await add({ id: "eve", identity: "eve@acme.example" });
    expect([unusable.status, unusable.text.includes("an identity reads")]).toEqual([400, true]);
    expect(await server.stores.people("acme")).toEqual(before);
    expect(await server.stores.identified("slack:U7", "acme")).toBeUndefined();
    expect((await server.stores.identified("slack:U8", "acme"))?.id).toBe("bob");
  });

  it("nobody else may, whatever they post, and the last admin stays one", async () => {
    const server = await testServer();
    for (const who of ["bob", "mia"]) {
      const browser = await server.browser(who);
      const { text } = await browser("GET", "/people", undefined, HTML);
      expect(text).toContain("Admins add and change people.");
      expect(text).not.toContain('action="/people');
      const paths = ["/people", "/people/bob", "/people/bob/remove", "/people/bob/identities"];
      for (const path of paths) {
        const fields = { csrf: browser.csrf, id: "eve", name: "Eve", roles: "admin", identity: "slack:U1" };
        expect((await browser("POST", path, form(fields), FORM)).status, path).toBe(403);
      }
    }
    const ada = await server.browser("ada");
    const last = await ada("POST", "/people/ada/remove", form({ csrf: ada.csrf }), FORM);
    expect([last.status, last.text.includes("only admin")]).toEqual([409, true]);
    expect((await server.stores.people("acme")).map(({ id }) => id).sort()).toEqual(["ada", "bob", "cleo", "mia"]);
  });

  it("of another organisation nobody is shown, and nobody of it can be changed", async () => {
    const server = await testServer();
    const olga = await server.browser("olga");
    expect((await olga("GET", "/people", undefined, HTML)).text).not.toContain("Cleo");
    expect((await olga("POST", "/people/bob/remove", form({ csrf: olga.csrf }), FORM)).status).toBe(404);
    expect(await server.stores.person("acme", "bob")).toBeDefined();
  });

  it("names are text, whatever is in them", async () => {
    const server = await testServer();
    await server.stores.putPerson({
      id: "x",
      organisation: "acme",
      name: '"><script>alert(1)</script>',
      roles: ["<b>"],
    });
    const { text } = await (await server.browser("ada"))("GET", "/people", undefined, HTML);
    expect(text).not.toMatch(/<script>alert|<b>/);
  });
});

describe("tokens", () => {
  it("are made with a secret that is on that page only, work, and are revoked", async () => {
    const server = await testServer();
    const mia = await server.browser("mia");
    const fields = { csrf: mia.csrf, name: "ci", kind: "agent", days: "7", agent: "builder", "scope-request": "on" };
    const made = await mia("POST", "/tokens", form(fields), FORM);
    const [token = "none"] = /hf_[0-9a-f]{16}_[\w-]{43}/.exec(made.text) ?? [];
    const asToken = { authorization: `Bearer ${token}` };
    expect((await server.anybody("GET", "/api/me", undefined, asToken)).json).toMatchObject({
      agent: "builder",
      scopes: ["request"],
    });
    const list = (await mia("GET", "/tokens", undefined, HTML)).text;
    expect(list).toContain(token.split("_")[1]);
    expect(list).not.toContain(token);
    expect((await (await server.browser("bob"))("GET", "/tokens", undefined, HTML)).text).not.toContain("builder");
    const bob = await server.browser("bob");
    const path = `/tokens/${token.split("_")[1]}/revoke`;
    expect((await bob("POST", path, form({ csrf: bob.csrf }), FORM)).status).toBe(404);
    expect((await mia("POST", path, form({ csrf: mia.csrf }), FORM)).status).toBe(303);
    expect((await server.anybody("GET", "/api/me", undefined, asToken)).status).toBe(401);
  });

  it("one that rests because its maker is no admin any more says so, and what to do", async () => {
    const server = await testServer();
    const ada = await server.browser("ada");
    await server.agent({ name: "the build", createdBy: "bob" });
    const { text } = await ada("GET", "/tokens", undefined, HTML);
    expect(text).toMatch(/the build<\/bdi><\/strong> <span class="badge" data-look="no">rests/);
    expect(text).toContain("no admin any more");
    expect(text).toContain("make a new one");
    await ada("PUT", "/api/people/bob", { name: "Bob", roles: ["admin"] });
    expect((await ada("GET", "/tokens", undefined, HTML)).text).not.toContain("rests");
  });

  it("a token that acts for somebody else is an admin's to make, also by a form that was made up", async () => {
    const server = await testServer();
    const mia = await server.browser("mia");
    expect((await mia("GET", "/tokens", undefined, HTML)).text).not.toContain("On whose behalf");
    const fields = { csrf: mia.csrf, name: "x", kind: "agent", days: "7", onBehalfOf: "bob", "scope-use": "on" };
    expect((await mia("POST", "/tokens", form(fields), FORM)).status).toBe(403);
  });
});

describe("channels", () => {
  const settings = { "setting-url": "http://127.0.0.1:9/hook", "setting-secret": SECRET };

  it("are made, changed without their secret, switched off and removed; the secret is on no page", async () => {
    const server = await testServer({ keyring: KEYRING });
    const ada = await server.browser("ada");
    const post = (path: string, fields: Record<string, string> = {}) =>
      ada("POST", path, form({ csrf: ada.csrf, ...fields }), FORM);
    await post("/channels", { type: "webhook", name: "room", ...settings });
    const [channel] = await server.stores.channels("acme");
    const path = `/channels/${channel?.id}`;
    const { text } = await ada("GET", "/channels", undefined, HTML);
    expect(text).toContain("http://127.0.0.1:9/hook");
    expect(text).toContain("••••••••");
    expect(text).not.toContain(SECRET);
    const sealed = channel?.sealedConfig;
    await post(path, { name: "renamed", ...settings, "setting-secret": "" });
    const [renamed] = await server.stores.channels("acme");
    expect(renamed?.name).toBe("renamed");
    expect(renamed?.sealedConfig).not.toBe(sealed);
    expect((await post(path, { name: "renamed", ...settings, "setting-secret": "short" })).text).toContain(
      "at least 32",
    );
    await post(`${path}/active`, { isActive: "false" });
    expect((await server.stores.channels("acme"))[0]?.isActive).toBe(false);
    await post(`${path}/remove`);
    expect(await server.stores.channels("acme")).toEqual([]);
  });

  it("of two admins who opened the page at the same time each changes only what they touched", async () => {
    const server = await testServer({ keyring: KEYRING });
    const ada = await server.browser("ada");
    const post = (path: string, fields: Record<string, string>) =>
      ada("POST", path, form({ csrf: ada.csrf, ...fields }), FORM);
    const secrets = { "setting-bot_token": `xoxb-${SECRET}`, "setting-signing_secret": SECRET };
    await post("/channels", {
      type: "slack",
      name: "room",
      "setting-channel": "C1",
      "setting-team_id": "T1",
      ...secrets,
    });
    const [channel] = await server.stores.channels("acme");
    const { text } = await ada("GET", "/channels", undefined, HTML);
    const [, shown = ""] = text.split(`action="/channels/${channel?.id}"`);
    const inputs = (shown.split("</form>")[0] ?? "").match(/<input [^>]*>/g) ?? [];
    const opened = Object.fromEntries(
      inputs.map((input) => [/ name="([^"]*)"/.exec(input)?.[1] ?? "", / value="([^"]*)"/.exec(input)?.[1] ?? ""]),
    );
    expect(opened).toMatchObject({ name: "room", "setting-channel": "C1", "setting-team_id": "T1" });
    await post(`/channels/${channel?.id}`, { ...opened, name: "renamed", "setting-team_id": "" });
    await post(`/channels/${channel?.id}`, { ...opened, "setting-channel": "C2" });
    const { name, config } = (await ada("GET", `/api/channels/${channel?.id}`)).json;
    expect([name, config.channel, config.team_id]).toEqual(["renamed", "C2", undefined]);
  });

  it("whether an empty field stays or goes is said by the setting, not by how its value looks", async () => {
    const server = await testServer({ keyring: KEYRING });
    const ada = await server.browser("ada");
    const secrets = { "setting-bot_token": `xoxb-${SECRET}`, "setting-signing_secret": SECRET };
    const shown = { name: "room", "setting-channel": "C1" };
    const post = (path: string, fields: Record<string, string>) =>
      ada("POST", path, form({ csrf: ada.csrf, ...fields }), FORM);
    const odd = { "setting-team_id": "••••" };
    expect((await post("/channels", { type: "slack", ...shown, ...secrets, ...odd })).status).toBe(303);
    const [channel] = await server.stores.channels("acme");
    const config = async () => (await ada("GET", `/api/channels/${channel?.id}`)).json.config;
    expect(await config()).toMatchObject({ team_id: "••••" });
    const none = { "setting-bot_token": "", "setting-signing_secret": "" };
    await post(`/channels/${channel?.id}`, { ...shown, ...none, "setting-team_id": "" });
    expect(await config()).not.toHaveProperty("team_id");
    expect(await config()).toMatchObject({ bot_token: "••••••••", signing_secret: "••••••••" });
  });

  it("whoever is no admin tries them out and changes nothing; another organisation finds none", async () => {
    const server = await testServer({ keyring: KEYRING });
    const ada = await server.browser("ada");
    await ada("POST", "/channels", form({ csrf: ada.csrf, type: "webhook", name: "room", ...settings }), FORM);
    const [channel] = await server.stores.channels("acme");
    const path = `/channels/${channel?.id}`;
    const mia = await server.browser("mia");
    for (const wrong of ["/channels", path, `${path}/active`, `${path}/remove`])
      expect(
        (await mia("POST", wrong, form({ csrf: mia.csrf, type: "webhook", name: "x", ...settings }), FORM)).status,
      ).toBe(403);
    // Nobody listens there: the platform's failure is told, not hidden.
    expect((await mia("POST", `${path}/test`, form({ csrf: mia.csrf }), FORM)).status).toBe(502);
    const olga = await server.browser("olga");
    expect((await olga("GET", "/channels", undefined, HTML)).text).not.toContain("room");
    expect((await olga("POST", `${path}/test`, form({ csrf: olga.csrf }), FORM)).status).toBe(404);
    expect(await server.stores.channels("acme")).toEqual([channel]);
  });

  it("a server without the key says what it lacks", async () => {
    const server = await testServer();
    expect((await (await server.browser("ada"))("GET", "/channels", undefined, HTML)).text).toContain(
      "HOLDFAST_SECRET_KEY",
    );
  });
});
