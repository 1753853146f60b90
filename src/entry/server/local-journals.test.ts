import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { placesOf } from "../../config/places.ts";
import { journalOf } from "../../engine/journals.ts";
import { appendRecords } from "../../records/journal.ts";
import { memoryStores } from "../../stores/memory.ts";
import { localJournals } from "./local-journals.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "holdfast-feed-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function machine() {
  const places = placesOf({
    HOME: dir,
    HOLDFAST_CONFIG_DIR: join(dir, "config"),
    HOLDFAST_STATE_DIR: join(dir, "state"),
  });
  const root = join(dir, "project");
  mkdirSync(join(root, ".holdfast", "tracking"), { recursive: true });
  mkdirSync(join(dir, "state", "plans"), { recursive: true });
  writeFileSync(join(dir, "state", "plans", "one.json"), JSON.stringify({ root }));
  writeFileSync(join(dir, "state", "plans", "half.json"), '{"root":');
  const audit = journalOf("audit", { root }, places);
  const decide = (session: string, decision: string) =>
    appendRecords(audit, [
      {
        timestamp: "2026-11-15T12:00:00.000Z",
        session,
        event: "pre_tool_use",
        tool: "Bash",
        decision,
        hooks: [{ hook: "guard", ms: 2 }],
        quiet: { other: 0.5 },
      },
    ]);
  return { places, decide };
}

describe("records of this machine's projects", () => {
  it("reach the store once each, in their order, as they grow", async () => {
    const { places, decide } = machine();
    const stores = memoryStores();
    const settings = { stores, places, organisation: "personal", log: () => {}, everyMs: 60_000 };
    decide("one", "none");
    const first = localJournals(settings);
    await first.feed();
    decide("one", "block");
    expect(await first.feed()).toBe(1);
    expect(await first.feed()).toBe(0);
    const second = localJournals(settings);
    expect(await second.feed()).toBe(0);
    await first.close();
    await second.close();
    const { rows } = await stores.audit({ organisation: "personal", limit: 10 });
    expect(rows.map(({ decision, tool, ms, sequence }) => ({ decision, tool, ms, sequence }))).toEqual([
      { decision: "block", tool: "Bash", ms: 2.5, sequence: 2 },
      { decision: "none", tool: "Bash", ms: 2.5, sequence: 1 },
    ]);
  });

  it("wait for a store that is down, which is told of once", async () => {
    const { places, decide } = machine();
    const stores = memoryStores();
    const lines: string[] = [];
    let isDown = true;
    const appendAudit: typeof stores.appendAudit = (rows) =>
      isDown ? Promise.reject(new Error("no connection")) : stores.appendAudit(rows);
    const guarded = { ...stores, lastSequence: stores.lastSequence.bind(stores), appendAudit };
    decide("one", "none");
    const feeding = localJournals({
      stores: guarded as typeof stores,
      places,
      organisation: "personal",
      log: (line) => lines.push(line),
      everyMs: 20,
    });
    const until = async (isSo: () => Promise<boolean>) => {
      while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10));
    };
    await until(async () => lines.length > 0);
    isDown = false;
    await until(async () => (await stores.audit({ organisation: "personal", limit: 10 })).rows.length === 1);
    await feeding.close();
    expect(lines).toEqual(["records of this machine could not be handed to the store: no connection"]);
  });
});
