/** `node scripts/screenshots.mjs [folder]`: the pictures of docs/screenshots, taken of the real pages. */
import { join } from "node:path";
import { memoryStores } from "../../src/stores/memory.ts";
import { launchBrowser } from "./browser.fixture.ts";
import { runServer } from "./browser-server.fixture.ts";
import { MIRA, tellStory } from "./browser-story.fixture.ts";

const DESK = { width: 1280, height: 860 };
const PHONE = { width: 390, height: 844 };

const shots = (id: string) =>
  [
    { name: "inbox-light", path: "/inbox", scheme: "light", viewport: DESK },
    { name: "inbox-dark", path: "/inbox", scheme: "dark", viewport: DESK },
    { name: "inbox-phone", path: "/inbox", scheme: "light", viewport: PHONE },
    { name: "inbox-phone-dark", path: "/inbox", scheme: "dark", viewport: PHONE },
    { name: "request-light", path: `/approvals/${id}`, scheme: "light", viewport: DESK },
    { name: "request-dark", path: `/approvals/${id}`, scheme: "dark", viewport: DESK },
    { name: "request-phone", path: `/approvals/${id}`, scheme: "light", viewport: PHONE },
    { name: "history-light", path: "/history", scheme: "light", viewport: DESK },
    { name: "history-phone", path: "/history", scheme: "dark", viewport: PHONE },
    { name: "session-light", path: "/sessions/s-7f31c2", scheme: "light", viewport: DESK },
    { name: "health-light", path: "/health", scheme: "light", viewport: DESK },
    { name: "health-dark", path: "/health", scheme: "dark", viewport: DESK },
    { name: "health-phone", path: "/health", scheme: "light", viewport: PHONE },
  ] as const;

export async function takeScreenshots(folder: string, isWanted: (name: string) => boolean): Promise<void> {
  const stores = memoryStores();
  const { pending } = await tellStory(stores);
  const running = await runServer(stores);
  const browser = await launchBrowser();
  try {
    for (const { name, path, scheme, viewport } of shots(pending[1]?.id ?? "")) {
      if (!isWanted(name)) continue;
      const context = await browser.newContext({ viewport, colorScheme: scheme, timezoneId: "Europe/Berlin" });
      await context.addCookies([await running.cookieOf(MIRA)]);
      const page = await context.newPage();
      await page.goto(running.url + path);
      await page.waitForTimeout(300);
      await page.screenshot({ path: join(folder, `${name}.png`), fullPage: viewport === PHONE });
      await context.close();
    }
  } finally {
    await browser.close();
    await running.close();
  }
}
