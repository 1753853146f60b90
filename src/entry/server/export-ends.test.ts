/** An export goes on for as long as there is something to read: whoever may not read any more gets no more of it. */
import { expect, it } from "vitest";
import { PUBLIC_URL, testServer } from "./server.fixture.ts";
import { revokeToken } from "./tokens.ts";

const ROWS = 1_500;

it("an export breaks off, and does not look whole, where its token is revoked meanwhile", async () => {
  const server = await testServer();
  const rows = Array.from({ length: ROWS }, (_, index) => ({
    ...{ source: "acme:m", sequence: index + 1, organisation: "acme", at: "2026-01-01T00:00:00.000Z", session: "s" },
    ...{ event: "pre_tool_use", decision: "allow", tool: null, ms: 1, record: "{}" },
  }));
  await server.stores.appendAudit(rows);
  const bob = await server.browser("bob");
  const { json } = await bob("POST", "/api/tokens", { kind: "person", name: "export" });
  const exported = () =>
    server.app.request(new URL("/api/audit/export?format=csv", PUBLIC_URL), {
      headers: { host: new URL(PUBLIC_URL).host, authorization: `Bearer ${json.token}` },
    });
  expect((await (await exported()).text()).trim().split("\r\n")).toHaveLength(ROWS + 1);
  const response = await exported();
  const reader = response.body?.getReader();
  await reader?.read();
  await revokeToken(server.stores, "acme", json.stored.id);
  const rest = async () => {
    for (;;) if ((await reader?.read())?.done) return "whole";
  };
  await expect(rest()).rejects.toThrow("no longer");
});
