/** `node scripts/screenshots.mjs [folder]`: the pictures of docs/screenshots, taken of the real pages. */
import { join } from "node:path";
import type { Approval } from "../../src/approvals/approval.ts";
import { memoryStores } from "../../src/stores/memory.ts";
import { launchBrowser } from "./browser.fixture.ts";
import { runServer } from "./browser-server.fixture.ts";
import { MIRA, tellStory } from "./browser-story.fixture.ts";

const DESK = { width: 1280, height: 860 };
const PHONE = { width: 390, height: 844 };

const shots = ([command, edit]: readonly Approval[]) =>
  [
    { name: "inbox-light", path: "/inbox", scheme: "light", viewport: DESK },
    { name: "inbox-dark", path: "/inbox", scheme: "dark", viewport: DESK },
    { name: "request-light", path: `/approvals/${edit?.id}`, scheme: "light", viewport: DESK },
    { name: "request-phone", path: `/approvals/${command?.id}`, scheme: "light", viewport: PHONE },
    { name: "history-phone", path: "/history", scheme: "dark", viewport: PHONE },
    { name: "health-dark", path: "/health", scheme: "dark", viewport: DESK },
  ] as const;

export async function takeScreenshots(folder: string, isWanted: (name: string) => boolean): Promise<void> {
  const stores = memoryStores();
  const { pending } = await tellStory(stores);
  const running = await runServer(stores);
  const browser = await launchBrowser();
  try {
    for (const { name, path, scheme, viewport } of shots(pending)) {
      if (!isWanted(name)) continue;
      const context = await browser.newContext({ viewport, colorScheme: scheme, timezoneId: "Europe/Berlin" });
      await context.addCookies([await running.cookieOf(MIRA)]);
      const page = await context.newPage();
      await page.goto(running.url + path);
      await page.getByText("Live", { exact: true }).waitFor();
      await page.screenshot({ path: join(folder, `${name}.png`) });
      await context.close();
    }
  } finally {
    await browser.close();
    await running.close();
  }
}
