/** Debian's Chromium on the real server with a real SQLite file, and people in front of it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { type DraftChanges, draftOf } from "../../src/approvals/approval.fixture.ts";
import type { Approval, Person } from "../../src/approvals/approval.ts";
import { Approvals } from "../../src/approvals/service.ts";
import type { Stores } from "../../src/approvals/store.ts";
import { sealingKey } from "../../src/channels/credentials.ts";
import type { ServerSettings } from "../../src/entry/server/app.ts";
import { SESSION_COOKIE } from "../../src/entry/server/cookie.ts";
import { localRuns } from "../../src/entry/server/runs/local-runs.ts";
import { startSession } from "../../src/entry/server/sessions.ts";
import { storeIn } from "../../src/runs/files/store.fixture.ts";
import type { RunStore } from "../../src/runs/store.ts";
import { sqliteStores } from "../../src/stores/sqlite/stores.ts";
import { type RunningServer, runServer } from "./browser-server.fixture.ts";
import { KEN, LENA, MIRA, TEAM } from "./browser-story.fixture.ts";

export const PHONE = { width: 360, height: 740 };

/** Nothing of its own to say to the network. */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });

export interface BenchSettings extends Partial<ServerSettings> {
  /** Where runs are that something else keeps. */
  readonly runsRoot?: string;
}

export interface Bench {
  readonly stores: Stores;
  /** The runs of the machine that the server is on. */
  readonly runs: RunStore;
  /** As another process has them, over the same file. */
  readonly elsewhere: Approvals;
  readonly url: string;
  /** What no page may do: leave the origin, break the policy, log an error, open a dialog. */
  readonly complaints: string[];
  ask(changes?: DraftChanges): Promise<Approval>;
  /** A browser of its own, signed in. Not by a link: more of those in a minute than the server lets anybody try. */
  visit(person: Person, options?: BrowserContextOptions): Promise<Page>;
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>;
  /** Closes every page. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

export async function openBench(more: BenchSettings = {}): Promise<Bench> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-browser-"));
  const { runsRoot = join(folder, "runs"), ...settings } = more;
  const file = join(folder, "holdfast.db");
  const stores = await sqliteStores(file);
  const otherStores = await sqliteStores(file);
  const elsewhere = new Approvals(otherStores);
  for (const person of [MIRA, KEN, LENA]) await stores.putPerson(person);
  const running: RunningServer = await runServer(stores, {
    runs: localRuns({ root: runsRoot, organisation: TEAM, everyMs: 100 }),
    keyring: [sealingKey("a key for tests only, 32 characters")],
    ...settings,
  });
  const browser = await launchBrowser();
  const complaints: string[] = [];

  const newContext = async (options: BrowserContextOptions = {}) => {
    const context = await browser.newContext(options);
    context.on("request", (request) => {
      if (!request.url().startsWith(`${running.url}/`)) complaints.push(`request to ${request.url()}`);
    });
    context.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    context.on("weberror", (error) => complaints.push(String(error.error())));
    context.on("dialog", (dialog) => complaints.push(`dialog ${dialog.message()}`));
    return context;
  };

  return {
    stores,
    runs: storeIn(runsRoot),
    elsewhere,
    url: running.url,
    complaints,
    newContext,
    async leave() {
      for (const context of browser.contexts()) await context.close();
    },
    ask: (changes = {}) => {
      const policy = { expiresAfterMs: 15 * 60_000, ...changes.policy };
      const { id: _, ...draft } = draftOf({ organisation: TEAM, ...changes, policy });
      return elsewhere.request(draft);
    },
    async visit(person, options) {
      const context = await newContext(options);
      const value = await startSession(stores, person);
      await context.addCookies([{ name: SESSION_COOKIE, value, url: running.url, httpOnly: true, sameSite: "Lax" }]);
      const page = await context.newPage();
      await page.goto(running.url);
      return page;
    },
    async close() {
      await browser.close();
      await running.close();
      await stores.close();
      await otherStores.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
