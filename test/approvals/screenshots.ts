/** `node scripts/screenshots.mjs [folder]`: the pictures of docs/screenshots, taken of the real pages. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Approval, Person } from "../../src/approvals/approval.ts";
import { sealingKey } from "../../src/channels/credentials.ts";
import type { KnowledgeSource } from "../../src/entry/server/knowledge/knowledge-source.ts";
import { localKnowledge } from "../../src/entry/server/knowledge/local-knowledge.ts";
import { localRuns } from "../../src/entry/server/runs/local-runs.ts";
import { storeIn } from "../../src/runs/files/store.fixture.ts";
import { memoryStores } from "../../src/stores/memory.ts";
import { launchBrowser } from "./browser.fixture.ts";
import { runServer } from "./browser-server.fixture.ts";
import { MIRA, TEAM, tellStory } from "./browser-story.fixture.ts";
import { tellKnowledgeStory } from "./knowledge-story.fixture.ts";
import { tellRunStory } from "./run-story.fixture.ts";

const DESK = { width: 1280, height: 860 };
const TALL = { width: 1280, height: 1180 };
const PHONE = { width: 390, height: 844 };
const NORA: Person = { id: "nora", organisation: TEAM, name: "Nora Lind", roles: ["admin"] };

interface Shot {
  readonly name: string;
  readonly path: string;
  readonly scheme: "light" | "dark";
  readonly viewport: { readonly width: number; readonly height: number };
  readonly by?: Person;
}

interface Places {
  readonly pending: readonly Approval[];
  readonly run: string;
  readonly knowledge: string;
}

const shots = ({ pending: [command, edit], run, knowledge }: Places): readonly Shot[] => [
  { name: "inbox-light", path: "/inbox", scheme: "light", viewport: DESK },
  { name: "inbox-dark", path: "/inbox", scheme: "dark", viewport: DESK },
  { name: "request-light", path: `/approvals/${edit?.id}`, scheme: "light", viewport: DESK },
  { name: "request-phone", path: `/approvals/${command?.id}`, scheme: "light", viewport: PHONE },
  { name: "history-phone", path: "/history", scheme: "dark", viewport: PHONE },
  { name: "health-dark", path: "/health", scheme: "dark", viewport: DESK },
  { name: "runs-dark", path: "/runs", scheme: "dark", viewport: DESK },
  { name: "run-light", path: `/runs/${run}`, scheme: "light", viewport: TALL },
  { name: "run-phone", path: `/runs/${run}`, scheme: "dark", viewport: PHONE },
  { name: "knowledge-graph-light", path: `${knowledge}/graph`, scheme: "light", viewport: DESK },
  { name: "knowledge-phone", path: knowledge, scheme: "light", viewport: PHONE },
  {
    name: "knowledge-proposal-dark",
    path: `${knowledge}/proposals/${encodeURIComponent("5e1f0c2a:practice:0")}`,
    scheme: "dark",
    viewport: DESK,
  },
  { name: "people-light", path: "/people", scheme: "light", viewport: DESK, by: NORA },
];

export async function takeScreenshots(folder: string, isWanted: (name: string) => boolean): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), "holdfast-screenshots-"));
  const stores = memoryStores();
  const { pending } = await tellStory(stores);
  await stores.putPerson(NORA);
  const root = join(scratch, "runs");
  const runs = storeIn(root);
  const { running } = await tellRunStory(runs);
  const lease = await runs.lease(running.id);
  const { base } = await tellKnowledgeStory();
  const knowledge = named("harbour", localKnowledge({ roots: () => [base.root], organisation: TEAM }));
  const server = await runServer(stores, {
    runs: localRuns({ root, organisation: TEAM }),
    knowledge,
    keyring: [sealingKey("a key for pictures only, 32 characters")],
  });
  const browser = await launchBrowser();
  const places = { pending, run: running.id, knowledge: `/knowledge/${knowledge.bases(TEAM)[0]?.id}` };
  try {
    for (const { name, path, scheme, viewport, by = MIRA } of shots(places)) {
      if (!isWanted(name)) continue;
      const context = await browser.newContext({ viewport, colorScheme: scheme, timezoneId: "Europe/Berlin" });
      await context.addCookies([await server.cookieOf(by)]);
      const page = await context.newPage();
      await page.goto(server.url + path);
      await page.getByText("Live", { exact: true }).waitFor();
      await page.screenshot({ path: join(folder, `${name}.png`) });
      await context.close();
    }
  } finally {
    await browser.close();
    await server.close();
    if ("release" in lease) await lease.release();
    base.remove();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** A scratch directory has no name that belongs in a picture. */
const named = (name: string, source: KnowledgeSource): KnowledgeSource => ({
  ...source,
  bases: (organisation) => source.bases(organisation).map((base) => ({ ...base, name })),
});
