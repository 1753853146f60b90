import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Approval } from "../../src/approvals/approval.ts";
import { newSignInLink } from "../../src/entry/server/sign-in-link.ts";
import { type Bench, openBench } from "./browser.fixture.ts";
import { KEN, LENA, MIRA } from "./browser-story.fixture.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

/** Every test leaves the inbox empty and the browser quiet. */
afterEach(async () => {
  await bench.leave();
  const pending = { organisation: MIRA.organisation, statuses: ["pending"], limit: 100 } as const;
  for (let isEmpty = false; !isEmpty; ) {
    const { approvals } = await bench.stores.list(pending);
    for (const { id } of approvals) await bench.elsewhere.withdraw(id, "the test is over", null);
    isEmpty = approvals.length === 0;
  }
  expect(bench.complaints.splice(0)).toEqual([]);
});

const cardOf = (page: Page, { id }: Approval) => page.locator(`#card-${id}`);
const stored = async ({ id }: Approval) => (await bench.stores.get(id)) as Approval;

describe("signing in", () => {
  it("a link signs a person in once, and says so when it is opened again", async () => {
    const link = await newSignInLink(bench.stores, bench.url, MIRA);
    const page = await (await bench.newContext()).newPage();
    await page.goto(link);
    expect(new URL(page.url()).pathname).toBe("/inbox");
    await page.getByText("Nothing waits for you.").waitFor();

    const stranger = await (await bench.newContext()).newPage();
    const answer = await stranger.goto(link);
    expect(answer?.status()).toBe(401);
    await stranger.getByRole("heading", { name: "This link does not sign in" }).waitFor();
    // The browser itself logs that the page was answered with 401.
    bench.complaints.splice(0);
  });

  it("whoever is not signed in is asked to, and signing out ends the sign-in", async () => {
    const stranger = await (await bench.newContext()).newPage();
    await stranger.goto(`${bench.url}/history`);
    await stranger.getByRole("heading", { name: "Sign in" }).waitFor();

    const page = await bench.visit(MIRA);
    await page.getByText("Mira Sato").click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("You are signed out.").waitFor();
    await page.goto(`${bench.url}/inbox`);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });
});

describe("deciding", () => {
  it("F-35 a click approves: the card stays in its place and says so, the store has who and where", async () => {
    const approval = await bench.ask();
    const page = await bench.visit(MIRA);
    await cardOf(page, approval).getByRole("button", { name: "Approve" }).click();
    await page.locator("#said").getByText("You approved").waitFor();
    await cardOf(page, approval).getByText("Approved").first().waitFor();
    expect(await stored(approval)).toMatchObject({ status: "approved", votes: [{ by: "mira", via: "web" }] });
  });

  it("B14-10 a denial has a reason, which is stored and shown to everybody", async () => {
    const approval = await bench.ask();
    const page = await bench.visit(MIRA);
    const card = cardOf(page, approval);
    await card.getByText("Deny…").click();
    await card.getByLabel("Why not?").fill("Not on a Friday");
    await card.getByRole("button", { name: "Deny", exact: true }).click();
    await card.getByText("Not on a Friday").waitFor();
    expect(await stored(approval)).toMatchObject({ status: "denied", votes: [{ reason: "Not on a Friday" }] });
    const other = await bench.visit(LENA);
    await other.goto(`${bench.url}/approvals/${approval.id}`);
    await other.locator("#decision").getByText("Not on a Friday").first().waitFor();
  });

  it("X-6 with a quorum the first yes waits for another, and the page counts", async () => {
    const approval = await bench.ask({ policy: { approvers: { count: 2 } } });
    const page = await bench.visit(MIRA);
    await cardOf(page, approval).getByRole("button", { name: "Approve" }).click();
    await cardOf(page, approval).getByText("1 of 2 approvals").waitFor();
    await cardOf(page, approval).getByText("You approved this. It waits for 1 more.").waitFor();
    expect(await stored(approval)).toMatchObject({ status: "pending" });
  });

  it("F-36 whoever may not decide sees the request without buttons, and why", async () => {
    const approval = await bench.ask();
    const page = await bench.visit(LENA);
    await cardOf(page, approval).getByText("You cannot decide this: only approvers").waitFor();
    expect(await cardOf(page, approval).getByRole("button", { name: "Approve" }).count()).toBe(0);
  });

  it("X-6 an approver hands the decision on, and no longer has it", async () => {
    const approval = await bench.ask();
    const page = await bench.visit(MIRA);
    await page.goto(`${bench.url}/approvals/${approval.id}`);
    await page.getByText("Hand this decision to somebody else").click();
    await page.getByLabel("To whom?").selectOption("lena");
    await page.getByRole("button", { name: "Hand over" }).click();
    await page.getByText("You cannot decide this: you handed this decision").waitFor();
    expect(await stored(approval)).toMatchObject({ delegations: [{ from: "mira", to: "lena" }] });
  });
});

describe("keyboard", () => {
  it("j and a go to a request and its Approve, Enter approves; d, a reason and Ctrl+Enter deny", async () => {
    const first = await bench.ask({ policy: { expiresAfterMs: 600_000 } });
    const second = await bench.ask({ policy: { expiresAfterMs: 900_000 } });
    const page = await bench.visit(MIRA);
    await page.keyboard.press("j");
    await page.keyboard.press("a");
    expect(await stored(first)).toMatchObject({ status: "pending" });
    await page.keyboard.press("Enter");
    await cardOf(page, first).getByText("Approved").first().waitFor();
    await page.locator(`#card-${second.id}:focus`).waitFor();
    await page.keyboard.press("d");
    await page.keyboard.type("a, d and j are letters here");
    await page.keyboard.press("Control+Enter");
    await cardOf(page, second).getByText("Denied").first().waitFor();
    expect((await stored(second)).votes[0]?.reason).toBe("a, d and j are letters here");
  });

  it("o opens, / searches, ? lists the keys, and single keys can be switched off", async () => {
    const approval = await bench.ask();
    const page = await bench.visit(MIRA);
    await page.keyboard.press("/");
    await page.locator("#q:focus").waitFor();
    await page.locator("h1").click();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
    await page.getByLabel("Single keys are on").uncheck();
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    expect(await page.locator("[data-item]:focus").count()).toBe(0);
    await page.keyboard.press("?");
    await page.getByLabel("Single keys are on").check();
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await page.keyboard.press("o");
    await page.waitForURL(`**/approvals/${approval.id}`);
  });
});

describe("without the script", () => {
  it("every decision works, and a click that comes too late is told what was decided", async () => {
    const [yes, no, late] = [await bench.ask(), await bench.ask(), await bench.ask()];
    const page = await bench.visit(MIRA, { javaScriptEnabled: false });
    await cardOf(page, yes).getByRole("button", { name: "Approve" }).click();
    await page.getByText("You approved").waitFor();
    await cardOf(page, no).getByText("Deny…").click();
    await cardOf(page, no).getByLabel("Why not?").fill("no");
    await cardOf(page, no).getByRole("button", { name: "Deny", exact: true }).click();
    await page.getByText("You denied").waitFor();

    await bench.elsewhere.vote(late.id, { person: KEN, kind: "deny", reason: "", via: "terminal" });
    await cardOf(page, late).getByRole("button", { name: "Approve" }).click();
    await page.getByText("Your answer did not count").waitFor();
    expect(await stored(late)).toMatchObject({ status: "denied", votes: [{ by: "ken" }] });
    expect([(await stored(yes)).status, (await stored(no)).status]).toEqual(["approved", "denied"]);
  });

  it("the theme is remembered", async () => {
    const page = await bench.visit(MIRA, { javaScriptEnabled: false });
    await page.getByRole("button", { name: "Dark colours" }).click();
    await page.goto(`${bench.url}/history`);
    await page.locator('html[data-theme="dark"]').waitFor({ state: "attached" });
  });
});

describe("live", () => {
  it("F-30 another person's decision appears by itself, and the buttons are gone", async () => {
    const approval = await bench.ask();
    const mira = await bench.visit(MIRA);
    await mira.getByText("Live", { exact: true }).waitFor();
    const ken = await bench.visit(KEN);
    await cardOf(ken, approval).getByText("Deny…").click();
    await cardOf(ken, approval).getByLabel("Why not?").fill("I know this one");
    await cardOf(ken, approval).getByRole("button", { name: "Deny", exact: true }).click();
    await cardOf(mira, approval).getByText("I know this one").waitFor();
    expect(await cardOf(mira, approval).getByRole("button", { name: "Approve" }).count()).toBe(0);
  });

  it("F-36 a new request appears at the end, and what somebody was typing stays", async () => {
    const approval = await bench.ask({ policy: { expiresAfterMs: 900_000, approvers: { count: 2 } } });
    const page = await bench.visit(MIRA);
    await page.getByText("Live", { exact: true }).waitFor();
    await cardOf(page, approval).getByText("Deny…").click();
    await cardOf(page, approval).getByLabel("Why not?").fill("half a sen");
    const added = await bench.ask({ policy: { expiresAfterMs: 300_000 } });
    await cardOf(page, added).waitFor();
    await bench.elsewhere.vote(approval.id, { person: KEN, kind: "approve", reason: "", via: "terminal" });
    await cardOf(page, approval).getByText("1 of 2 approvals").waitFor();
    expect(await cardOf(page, approval).getByLabel("Why not?").inputValue()).toBe("half a sen");
    const order = await page.locator(".card").evaluateAll((cards) => cards.map(({ id }) => id));
    expect(order).toEqual([`card-${approval.id}`, `card-${added.id}`]);
    expect(await page.locator("#pending-count").textContent()).toContain("2");
  });

  it("X-11 a stream of changes that does not end never keeps the page from showing them", async () => {
    const page = await bench.visit(MIRA);
    await page.getByText("Live", { exact: true }).waitFor();
    let isOver = false;
    const stream = (async () => {
      for (; !isOver; await sleep(20)) await bench.ask();
    })();
    await page.locator(".card").nth(3).waitFor();
    isOver = true;
    await stream;
  });

  it("F-17 a countdown that reaches its end shows the request as expired, not denied", async () => {
    const page = await bench.visit(MIRA);
    await page.getByText("Live", { exact: true }).waitFor();
    const approval = await bench.ask({ policy: { expiresAfterMs: 15_000 } });
    await cardOf(page, approval)
      .getByText(/^\d+ s left$/)
      .waitFor();
    await cardOf(page, approval).getByText("Expired").first().waitFor();
    expect(await cardOf(page, approval).getByText("Nobody decided in time").count()).toBe(1);
    expect(await stored(approval)).toMatchObject({ status: "expired", votes: [] });
  });

  it("where more wait than one page shows, the page stays live, says so, and shows new ones and what becomes of them", async () => {
    const page = await bench.visit(MIRA);
    await page.getByText("Live", { exact: true }).waitFor();
    const oldest = await bench.ask();
    await cardOf(page, oldest).waitFor();
    for (let count = 0; count < 150; count++) await bench.ask();
    const newest = await bench.ask();
    await cardOf(page, newest).waitFor();
    await page.getByText("There are older requests.").waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    const other = await bench.visit(KEN);
    await other.getByText("Live", { exact: true }).waitFor();
    await bench.elsewhere.vote(newest.id, { person: MIRA, kind: "approve", reason: "", via: "terminal" });
    for (const seen of [page, other]) await cardOf(seen, newest).getByText("Approved").first().waitFor();
  });

  it("a request in whose card somebody types stays, and is settled, also when many newer ones come", async () => {
    const oldest = await bench.ask({ policy: { expiresAfterMs: 100_000 } });
    const page = await bench.visit(MIRA);
    await page.getByText("Live", { exact: true }).waitFor();
    await cardOf(page, oldest).getByText("Deny…").click();
    await cardOf(page, oldest).getByLabel("Why not?").fill("half a sen");
    for (let count = 0; count < 120; count++) await bench.ask();
    const newest = await bench.ask();
    await cardOf(page, newest).waitFor();
    expect(await cardOf(page, oldest).getByLabel("Why not?").inputValue()).toBe("half a sen");
    await bench.elsewhere.vote(oldest.id, { person: KEN, kind: "deny", reason: "too late", via: "terminal" });
    await cardOf(page, oldest).getByText("too late").waitFor();
  });

  it("a stream that the server refused is tried again", async () => {
    const page = await bench.visit(MIRA);
    await page.getByText("Live", { exact: true }).waitFor();
    let refused = 0;
    await page.route("**/api/events*", (route) =>
      refused++ === 0 ? route.fulfill({ status: 503, body: "" }) : route.continue(),
    );
    await page.reload();
    await page.getByText("Not connected: trying again").waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    expect(refused).toBeGreaterThan(1);
    // The browser itself logs the request that was refused.
    bench.complaints.splice(0);
  });

  it("the connection is shown as lost while it is, and the page catches up", async () => {
    const page = await bench.visit(MIRA);
    await page.getByText("Live", { exact: true }).waitFor();
    await page.context().setOffline(true);
    const approval = await bench.ask();
    await page.getByText("Not connected: trying again").waitFor();
    await page.context().setOffline(false);
    await cardOf(page, approval).waitFor();
    // The browser itself logs the requests it could not make.
    bench.complaints.splice(0);
  });
});

describe("records", () => {
  it("F-37 a page opened again shows the true arguments and the final state", async () => {
    const approval = await bench.ask({ call: { input: { command: "deploy --production --tag v1.2.3" } } });
    const page = await bench.visit(MIRA);
    await page.goto(`${bench.url}/approvals/${approval.id}`);
    await page.locator("#decision").getByRole("button", { name: "Approve" }).click();
    await page.locator("#state").getByText("Approved").waitFor();
    await page.reload();
    await page.locator("#state").getByText("Approved").waitFor();
    expect(await page.locator("pre.command").textContent()).toBe("deploy --production --tag v1.2.3");
    await page.locator("#history").getByText("it was approved").waitFor();
  });

  it("history is searched, filtered and paged", async () => {
    const wanted = await bench.ask({ call: { agent: "pelican", input: { command: "archive pelicans" } } });
    await bench.elsewhere.vote(wanted.id, { person: KEN, kind: "approve", reason: "", via: "terminal" });
    for (let count = 0; count < 51; count++) await bench.ask({ call: { input: { command: `tern ${count}` } } });
    const page = await bench.visit(MIRA);
    await page.goto(`${bench.url}/history`);
    expect(await page.locator(".rows > li").count()).toBe(50);
    await page.getByRole("link", { name: "Older" }).click();
    await page.getByRole("link", { name: "Newest" }).waitFor();
    expect(await page.locator(".rows > li").count()).toBeGreaterThanOrEqual(1);
    await page.getByLabel("Search").fill("pelicans");
    await page.getByLabel("Status").selectOption("approved");
    await page.getByRole("button", { name: "Search" }).click();
    await page.locator(`#row-${wanted.id}`).waitFor();
    expect(await page.locator(".rows > li").count()).toBe(1);
    await page.getByLabel("Agent").fill("nobody");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("Nothing found.").waitFor();
  });

  it("the organisation's read-only switch stands on every page", async () => {
    await bench.stores.putSettings(MIRA.organisation, { isReadOnly: true });
    const page = await bench.visit(MIRA);
    await page.getByText("No tool that writes may run in this organisation").waitFor();
    await bench.stores.putSettings(MIRA.organisation, { isReadOnly: false });
  });
});
