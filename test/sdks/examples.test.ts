import { join } from "node:path";
import { expect, it } from "vitest";
import { installedSdk } from "./installed-sdk.ts";
import { runExample } from "./run-example.ts";

it("examples/sdks/ai-sdk.mjs: a push is blocked, and the turn goes on until the tests are spoken of", async () => {
  const printed = await runExample("ai-sdk.mjs", await installedSdk("ai-6"));
  expect(printed).toContain("git/force-push-protected");
  expect(printed).toContain("(ran git status)");
  expect(printed).toContain("Say whether the tests pass.");
  expect(printed).toContain("answer: The tests pass.");
});

it("examples/sdks/langchain.mjs: a push is blocked, a deploy waits for a person and then runs", async () => {
  const printed = await runExample("langchain.mjs", await installedSdk("langchain"));
  expect(printed).toContain("a person is asked: This goes to production.");
  expect(printed).toContain("git/force-push-protected");
  expect(printed).toContain("(ran deploy shop)");
  expect(printed).toContain("answer: Deployed, not pushed.");
});

it("examples/sdks/mcp-proxy.mjs: a card is hidden in both forms of the result, a deletion is blocked", async () => {
  const printed = await runExample("mcp-proxy.mjs", join(import.meta.dirname, "../.."));
  expect(printed).not.toContain("4111");
  expect(printed.match(/\[card\]/g)).toHaveLength(2);
  expect(printed).toContain("Customers are archived, not deleted.");
});
