import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Person } from "../../src/approvals/approval.ts";
import { violations } from "./axe.fixture.ts";
import { type Bench, openBench, PHONE } from "./browser.fixture.ts";
import { LENA, TEAM } from "./browser-story.fixture.ts";

const NORA: Person = { id: "nora", organisation: TEAM, name: "Nora Lind", roles: ["admin"] };
const HOSTILE = `<img src=x onerror="alert(1)"><script>alert(2)</script>${"x".repeat(300)}`;
const SECRET = "only-for-this-test-only-for-this-test";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
  await bench.stores.putPerson(NORA);
});
afterAll(() => bench.close());
afterEach(async () => {
  await bench.leave();
  expect(bench.complaints.splice(0)).toEqual([]);
});

describe.each([true, false])("the pages of the team (script on: %s)", (javaScriptEnabled) => {
  it("an admin adds a person, gives them a role, and removes them", async () => {
    const page = await bench.visit(NORA, { javaScriptEnabled });
    await page.getByRole("link", { name: "Team" }).click();
    await page.getByText("Add somebody").click();
    await page.getByLabel("Id", { exact: true }).fill("dan");
    await page.getByLabel("Name", { exact: true }).first().fill("Dan Orr");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.locator("#said").getByText("Dan Orr belongs to the team now.").waitFor();
    expect(await bench.stores.person(TEAM, "dan")).toMatchObject({ roles: ["approver"] });
    const row = page.locator("li").filter({ hasText: "Dan Orr" });
    await row.getByText("Change", { exact: false }).first().click();
    await row.getByText("Remove Dan Orr…").click();
    await row.getByRole("button", { name: "Remove Dan Orr" }).click();
    await page.locator("#said").getByText("dan is removed").waitFor();
    expect(await bench.stores.person(TEAM, "dan")).toBeUndefined();
  });

  it("a member makes a token, sees it once, and revokes it", async () => {
    const page = await bench.visit(LENA, { javaScriptEnabled });
    await page.goto(`${bench.url}/tokens`);
    await page.getByText("Make a token").click();
    await page.getByLabel("What it is for").fill("my laptop");
    await page.getByRole("button", { name: "Make it" }).click();
    const secret = (await page.locator("#secret").textContent()) ?? "";
    const asToken = { headers: { authorization: `Bearer ${secret}` } };
    expect((await fetch(`${bench.url}/api/me`, asToken)).status).toBe(200);
    await page.goto(`${bench.url}/tokens`);
    expect(await page.locator("body").textContent()).not.toContain(secret);
    await page.locator("summary").filter({ hasText: "Revoke my laptop" }).click();
    await page.getByRole("button", { name: "Revoke it" }).click();
    await page.getByText("The token is worth nothing from now on.").waitFor();
    expect((await fetch(`${bench.url}/api/me`, asToken)).status).toBe(401);
  });

  it("an admin adds a channel, tries it out, and reads why it does not work", async () => {
    const page = await bench.visit(NORA, { javaScriptEnabled });
    await page.goto(`${bench.url}/channels`);
    await page.getByText("A signed webhook").click();
    const form = page.locator("#add-webhook");
    await form.getByLabel("Name").fill("room");
    await form.getByLabel("url").fill("http://127.0.0.1:9/hook");
    await form.getByLabel("secret").fill(SECRET);
    await form.getByRole("button", { name: "Add" }).click();
    await page.locator("#said").getByText("The channel room is kept").waitFor();
    expect(await page.content()).not.toContain(SECRET);
    await page.getByRole("button", { name: "Send a test message to room" }).click();
    await page.getByRole("heading", { name: "That did not work" }).waitFor();
    // The browser itself logs that the page was answered with 502.
    bench.complaints.splice(0);
    await page.goto(`${bench.url}/channels`);
    await page.locator("summary").filter({ hasText: "Remove room" }).click();
    await page.getByRole("button", { name: "Remove it" }).click();
    await page.getByText("The channel is removed.").waitFor();
  });
});

it.each(["light", "dark"] as const)(
  "axe finds nothing in %s colours, opened up, and a phone need not scroll sideways",
  async (colorScheme) => {
    await bench.stores.putPerson({ id: "evil", organisation: TEAM, name: HOSTILE, roles: [HOSTILE] });
    for (const viewport of [{ width: 1280, height: 900 }, PHONE]) {
      const page = await bench.visit(NORA, { colorScheme, viewport });
      for (const path of ["/people", "/tokens", "/channels"]) {
        await page.goto(bench.url + path);
        expect(await page.locator("img, main script").count()).toBe(0);
        await page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true");
        expect(await violations(page), path).toEqual([]);
        expect(`${path} ${await page.evaluate("document.documentElement.scrollWidth")}`).toBe(
          `${path} ${viewport.width}`,
        );
      }
    }
  },
);
