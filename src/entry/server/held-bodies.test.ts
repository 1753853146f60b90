/** A body takes as long as whoever sends it likes. What they may is what they may once it is there. */
import { describe, expect, it } from "vitest";
import { PUBLIC_URL, type TestServer, testServer } from "./server.fixture.ts";

/** Sends the first half, does something meanwhile, then sends the rest. */
async function sentSlowly(
  server: TestServer,
  [method, path]: readonly [string, string],
  headers: Record<string, string>,
  body: string,
  meanwhile: () => Promise<unknown>,
): Promise<number> {
  const bytes = new TextEncoder().encode(body);
  let isHalfSent = false;
  const slow = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (!isHalfSent) {
          isHalfSent = true;
          return controller.enqueue(bytes.slice(0, 5));
        }
        await meanwhile();
        controller.enqueue(bytes.slice(5));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const init = { method, headers: { host: new URL(PUBLIC_URL).host, ...headers }, body: slow, duplex: "half" };
  return (await server.app.request(new URL(path, PUBLIC_URL), init as RequestInit)).status;
}

const FORM = "application/x-www-form-urlencoded";

async function world() {
  const server = await testServer();
  const { stores } = server;
  await stores.putPerson({ id: "bob", organisation: "acme", name: "Bob", roles: ["admin"] });
  const { cookie, csrf } = await server.browser("bob");
  return { server, stores, csrf, headers: { cookie, origin: PUBLIC_URL, "x-csrf-token": csrf } };
}

describe("whoever holds back the end of what they send", () => {
  const leaving = {
    "was removed": (stores: TestServer["stores"]) => stores.removePerson("acme", "bob"),
    "is no admin any more": (stores: TestServer["stores"]) =>
      stores.putPerson({ id: "bob", organisation: "acme", name: "Bob", roles: [] }),
  };

  it.each(Object.entries(leaving))("X-6 and %s meanwhile makes nobody an admin by the API", async (_, leave) => {
    const { server, stores, headers } = await world();
    const json = { ...headers, "content-type": "application/json" };
    const body = JSON.stringify({ name: "Eve", roles: ["admin"] });
    const status = await sentSlowly(server, ["PUT", "/api/people/eve"], json, body, () => leave(stores));
    expect([401, 403]).toContain(status);
    expect(await stores.person("acme", "eve")).toBeUndefined();
  });

  it.each(Object.entries(leaving))("X-6 and %s meanwhile makes nobody an admin by a form", async (_, leave) => {
    const { server, stores, headers, csrf } = await world();
    const form = new URLSearchParams({ csrf, id: "eve", name: "Eve", roles: "admin" }).toString();
    const sent = { ...headers, "content-type": FORM };
    const status = await sentSlowly(server, ["POST", "/people"], sent, form, () => leave(stores));
    expect([401, 403]).toContain(status);
    expect(await stores.person("acme", "eve")).toBeUndefined();
  });

  it("and stays an admin is heard, by the API and by a form", async () => {
    const { server, stores, headers, csrf } = await world();
    const json = { ...headers, "content-type": "application/json" };
    const body = JSON.stringify({ name: "Eve", roles: ["admin"] });
    expect(await sentSlowly(server, ["PUT", "/api/people/eve"], json, body, async () => {})).toBe(200);
    const form = new URLSearchParams({ csrf, id: "zoe", name: "Zoe", roles: "" }).toString();
    expect(
      await sentSlowly(server, ["POST", "/people"], { ...headers, "content-type": FORM }, form, async () => {}),
    ).toBe(303);
    expect((await stores.people("acme")).map(({ id }) => id)).toEqual(expect.arrayContaining(["eve", "zoe"]));
  });
});
