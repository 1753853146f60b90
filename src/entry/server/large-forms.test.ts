/** What is legal to say can be said in a form, however long a form makes it. */
import { expect, it, onTestFinished } from "vitest";
import { readTree } from "../../knowledge/base/tree.ts";
import { candidate, scratchCuration } from "../../knowledge/curation/curation.fixture.ts";
import { localKnowledge } from "./knowledge/local-knowledge.ts";
import { PUBLIC_URL, testServer } from "./server.fixture.ts";

const FORM = { "content-type": "application/x-www-form-urlencoded", accept: "text/html" };
const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();

it.each([
  ["Chinese, of which a form writes each byte as three", "发布前必须签名。".repeat(40_000)],
  ["short lines, of which a form writes each end as six", "y\r\n".repeat(250_000)],
])("a node in %s, is accepted through the page", async (_, body) => {
  const at = scratchCuration();
  onTestFinished(at.base.remove);
  const source = localKnowledge({ roots: () => [at.base.root], organisation: "acme", everyMs: 10, waitMs: 2_000 });
  const server = await testServer({ knowledge: source });
  at.session("s1", [candidate("Sign every release")]);
  const bob = await server.browser("bob");
  const [base] = source.bases("acme");
  const proposal = `/knowledge/${base?.id}/proposals/${encodeURIComponent("s1:practice:0")}`;
  const posted = form({ csrf: bob.csrf, what: "accept", title: "Sign", body, folder: "" });
  expect(posted.length).toBeGreaterThan(1024 * 1024);
  expect((await bob("POST", proposal, posted, FORM)).status).toBe(303);
  expect(readTree(at.places.nodesDir).nodes[0]?.body).toBe(body.replaceAll("\r\n", "\n").trim());
});

it("a form beyond anything legal is refused and says the limit, and one of nobody who is signed in sooner", async () => {
  const server = await testServer();
  const bob = await server.browser("bob");
  const reply = await bob("POST", "/people", form({ csrf: bob.csrf, name: "x".repeat(7 * 1024 * 1024) }), FORM);
  expect([reply.status, reply.text.includes("6144 KiB")]).toEqual([413, true]);
  const theme = form({ theme: "dark", from: "x".repeat(1024 * 1024) });
  expect((await server.anybody("POST", "/theme", theme, { ...FORM, origin: PUBLIC_URL })).status).toBe(413);
});
