import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { localKnowledge } from "../../src/entry/server/knowledge/local-knowledge.ts";
import { newNode } from "../../src/knowledge/base/base.fixture.ts";
import { addNode } from "../../src/knowledge/base/change-nodes.ts";
import { readTree } from "../../src/knowledge/base/tree.ts";
import { candidate, type ScratchCuration } from "../../src/knowledge/curation/curation.fixture.ts";
import { violations } from "./axe.fixture.ts";
import { type Bench, openBench, PHONE } from "./browser.fixture.ts";
import { LENA, MIRA, TEAM } from "./browser-story.fixture.ts";
import { tellKnowledgeStory } from "./knowledge-story.fixture.ts";

const HOSTILE = `<img src=x onerror="alert(1)"><script>alert(2)</script>"><b onmouseover='alert(3)'>${"x".repeat(300)}`;

let bench: Bench;
let at: ScratchCuration;
let hostile: ScratchCuration;
beforeAll(async () => {
  at = await tellKnowledgeStory();
  hostile = await tellKnowledgeStory(HOSTILE);
  const roots = () => [at.base.root, hostile.base.root];
  bench = await openBench({ knowledge: localKnowledge({ roots, organisation: TEAM, everyMs: 100 }) });
});
afterAll(async () => {
  await bench.close();
  for (const { base } of [at, hostile]) base.remove();
});
afterEach(async () => {
  await bench.leave();
  expect(bench.complaints.splice(0)).toEqual([]);
});

const pathOf = ({ base }: ScratchCuration) => {
  const source = localKnowledge({ roots: () => [base.root], organisation: TEAM });
  return `/knowledge/${source.bases(TEAM)[0]?.id}`;
};
const titles = () => readTree(at.places.nodesDir).nodes.map(({ title }) => title);

describe("looking at what is known", () => {
  it("a node is found by its words, read, and followed to what it has to do with", async () => {
    const page = await bench.visit(LENA);
    await page.getByRole("link", { name: "Knowledge" }).click();
    await page.locator(`a[href="${pathOf(at)}"]`).click();
    await page.getByLabel("Search").fill("float cents");
    await page.getByRole("button", { name: "Search" }).click();
    expect(await page.locator(".rows > li").count()).toBe(1);
    await page.getByRole("link", { name: "Money is whole cents" }).click();
    await page.getByText("Never a float.").waitFor();
    await page.getByRole("complementary").getByRole("link", { name: "Ledger service" }).click();
    await page.getByRole("heading", { name: "Ledger service", level: 1 }).waitFor();
    await page.getByText("Named by").waitFor();
  });

  it("the graph is a picture whose nodes are links, for the keyboard too", async () => {
    const page = await bench.visit(LENA);
    await page.goto(`${bench.url}${pathOf(at)}/graph`);
    expect(await page.locator(".graph-node").count()).toBe(22);
    await page.locator(".graph-node").first().focus();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/nodes/**");
    await page.goto(`${bench.url}${pathOf(at)}/graph?q=tide`);
    const shown = await page.locator(".graph-node title").allTextContents();
    expect(shown).toContain("Tide feed");
    expect(shown).not.toContain("Mobile app");
  });

  it("what somebody adds elsewhere appears by itself", async () => {
    const page = await bench.visit(LENA);
    await page.goto(`${bench.url}${pathOf(at)}?q=lighthouse`);
    await page.getByText("Live", { exact: true }).waitFor();
    await addNode(at, newNode("Lighthouse keeper"));
    await page.getByRole("link", { name: "Lighthouse keeper" }).waitFor();
  });
});

describe.each([true, false])("deciding on proposals (script on: %s)", (javaScriptEnabled) => {
  it("one is accepted, one merged, one kept, and the last one taken back", async () => {
    const session = javaScriptEnabled ? "with-script" : "without-script";
    const fresh = javaScriptEnabled ? "Buoys are painted yearly" : "Ropes hang in the dry";
    at.session(session, [
      candidate(fresh, { body: "In May." }),
      candidate("Sign every release", { body: `Signed on paper too ${session}.` }),
      candidate(`Gulls ${session}`),
    ]);
    const page = await bench.visit(MIRA, { javaScriptEnabled });
    await page.goto(`${bench.url}${pathOf(at)}/proposals`);
    await page.getByRole("link", { name: fresh }).click();
    await page.getByRole("region", { name: "What it would add" }).getByText("+In May.").waitFor();
    await page.getByText("Change it first").click();
    await page.getByLabel("All of it, in Markdown").fill("In May, before the season.");
    await page.getByRole("button", { name: "Accept it" }).click();
    await page.getByText(`Accepted: ${fresh}`).waitFor();
    expect(titles()).toContain(fresh);

    await page.goto(`${bench.url}${pathOf(at)}/proposals/${encodeURIComponent(`${session}:practice:1`)}`);
    await page
      .getByRole("region", { name: /What changes in/ })
      .getByText(`+Signed on paper too ${session}.`)
      .waitFor();
    await page.getByRole("button", { name: "Merge it" }).click();
    await page.getByText("Merged into practice-sign-every-release").waitFor();
    const merged = () =>
      readTree(at.places.nodesDir).nodes.find(({ id }) => id === "practice-sign-every-release")?.body;
    expect(merged()).toContain(`Signed on paper too ${session}.`);

    await page.goto(`${bench.url}${pathOf(at)}/proposals`);
    await page.getByText("The last one was merged").waitFor();
    await page.getByRole("button", { name: "Take it back" }).click();
    await page.getByText("Taken back. It waits again").waitFor();
    expect(merged()).not.toContain(`Signed on paper too ${session}.`);
    for (const [number, button] of [
      ["1", "Reject it"],
      ["2", "Keep it for later"],
    ] as const) {
      await page.goto(`${bench.url}${pathOf(at)}/proposals/${encodeURIComponent(`${session}:practice:${number}`)}`);
      await page.getByRole("button", { name: button }).click();
      await page.locator("#said p").waitFor();
    }
    await page.goto(`${bench.url}${pathOf(at)}/proposals`);
    const row = page.locator("li").filter({ hasText: `Gulls ${session}` });
    await row.getByText("kept for later").waitFor();
    expect(await page.locator(".rows").getByText(`Signed on paper too ${session}`).count()).toBe(0);
  });
});

it("with the keyboard: o opens a proposal, a goes to Accept, d to Reject, and neither decides alone", async () => {
  at.session("keys", [candidate("Keys are enough")]);
  const page = await bench.visit(MIRA);
  await page.goto(`${bench.url}${pathOf(at)}/proposals/keys%3Apractice%3A0`);
  await page.keyboard.press("a");
  await page.locator('button[data-key="a"]:focus').waitFor();
  await page.keyboard.press("d");
  await page.locator('button[data-key="d"]:focus').waitFor();
  expect(titles()).not.toContain("Keys are enough");
  await page.keyboard.press("a");
  await page.keyboard.press("Enter");
  await page.locator("#said").getByText("Accepted: Keys are enough").waitFor();
  expect(titles()).toContain("Keys are enough");
});

it.each(["light", "dark"] as const)(
  "axe finds nothing in %s colours, markup is text, and a phone need not scroll sideways",
  async (colorScheme) => {
    const proposal = `/proposals/${encodeURIComponent("5e1f0c2a:practice:0")}`;
    const [first] = readTree(hostile.places.nodesDir).nodes;
    const paths = [
      "/knowledge",
      ...["", "/graph", "/proposals", proposal, `${proposal}?into=`, `/nodes/${first?.id}`].map(
        (path) => pathOf(hostile) + path,
      ),
    ];
    for (const viewport of [{ width: 1280, height: 900 }, PHONE]) {
      const page = await bench.visit(MIRA, { colorScheme, viewport });
      for (const path of paths) {
        await page.goto(bench.url + path);
        expect(await page.locator("img, main script, b[onmouseover]").count()).toBe(0);
        await page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true");
        expect(await violations(page), path).toEqual([]);
        expect(`${path} ${await page.evaluate("document.documentElement.scrollWidth")}`).toBe(
          `${path} ${viewport.width}`,
        );
      }
    }
  },
);
