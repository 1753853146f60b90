import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import type { AuditStore } from "../../approvals/store.ts";
import { placesOf } from "../../config/places.ts";
import { journalOf } from "../../engine/journals.ts";
import { appendRecords } from "../../records/journal.ts";
import { memoryStores } from "../../stores/memory.ts";
import { auditServer } from "../hand-in/audit-server.ts";
import { handIn } from "../hand-in/hand-in.ts";
import { listen } from "./listen.ts";
import { localJournals } from "./local-journals.ts";
import { createToken } from "./tokens.ts";

const organisation = "personal";

function machine() {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-feed-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
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
  const stores = memoryStores();
  const decide = (decision: string, changes: object = {}) =>
    appendRecords(journalOf("audit", { root }, places), [
      {
        timestamp: "2026-11-15T12:00:00.000Z",
        session: "one",
        event: "pre_tool_use",
        tool: "Bash",
        decision,
        hooks: [{ hook: "guard", ms: 2 }],
        quiet: { other: 0.5 },
        ...changes,
      },
    ]);
  return {
    root,
    places,
    stores,
    decide,
    feeding: (log: (line: string) => void = () => {}, to: AuditStore = stores) => {
      const journals = localJournals({ stores: to, places, organisation, log, everyMs: 10 });
      onTestFinished(() => journals.close());
      return journals;
    },
    stored: async (whose = organisation) => (await stores.audit({ organisation: whose, limit: 100 })).rows,
  };
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(5);
}

describe("records of this machine's projects", () => {
  it("reach the store once each, in their order, as they grow, however many servers hand them in", async () => {
    const { decide, feeding, stored } = machine();
    decide("none");
    const first = feeding();
    await until(async () => (await stored()).length === 1);
    decide("block");
    await until(async () => (await stored()).length === 2);
    await first.close();
    decide("allow");
    feeding();
    feeding();
    await until(async () => (await stored()).length === 3);
    await sleep(50);
    expect((await stored()).map(({ decision, tool, ms, sequence }) => ({ decision, tool, ms, sequence }))).toEqual([
      { decision: "allow", tool: "Bash", ms: 2.5, sequence: 3 },
      { decision: "block", tool: "Bash", ms: 2.5, sequence: 2 },
      { decision: "none", tool: "Bash", ms: 2.5, sequence: 1 },
    ]);
  });

  it("are kept once where they are handed in to this very server as well, whatever the config calls it", async () => {
    const { root, places, stores, decide, feeding, stored } = machine();
    const server = await listen({ stores, host: "127.0.0.1", port: 0 });
    onTestFinished(() => server.close());
    const who = { organisation, name: "records", kind: "agent" as const, agent: null, person: null };
    await stores.putPerson({ id: "test", organisation: who.organisation, name: "Test", roles: ["admin"] });
    const { token } = await createToken(stores, { ...who, scopes: ["ingest"], createdBy: "test", lastsMs: 60_000 });
    const url = server.url.replace("127.0.0.1", "localhost");
    const settings = { handIn: { server: url, tokenEnv: "TOKEN" } };
    writeFileSync(join(places.stateDir, "plans", "one.json"), JSON.stringify({ root, settings }));
    decide("none");
    feeding();
    await until(async () => (await stored()).length > 0);
    const handing = handIn(auditServer(server.url, token), () => [root], places);
    expect(await handing.round()).toEqual({ rows: 0 });
    decide("block");
    await Promise.all([handing.round(), until(async () => (await stored()).length > 1)]);
    await sleep(50);
    expect((await stored()).map(({ sequence }) => sequence)).toEqual([2, 1]);
  });

  it("are those of the organisation that they name, under a source of its own", async () => {
    const { decide, feeding, stored } = machine();
    decide("none");
    decide("block", { organisation: "acme" });
    feeding();
    await until(async () => (await stored("acme")).length === 1);
    const [[own], [acmes]] = await Promise.all([stored(), stored("acme")]);
    expect(own).toMatchObject({ sequence: 1, source: expect.stringMatching(/^personal\//) });
    expect(acmes).toMatchObject({ sequence: 2, source: expect.stringMatching(/^acme\//) });
    expect(acmes?.source.slice("acme/".length)).toBe(own?.source.slice("personal/".length));
  });

  it("are all shown, those of long ago too", async () => {
    const { places, root, feeding, stores } = machine();
    const long = Array.from({ length: 6_000 }, () => ({ timestamp: "2026-11-15T12:00:00.000Z", decision: "none" }));
    appendRecords(journalOf("audit", { root }, places), long);
    feeding();
    const count = async () => {
      const [bucket] = await stores.auditBuckets(organisation, new Date(0), new Date("2027-01-01"), 3_600_000);
      return bucket?.decisions.none ?? 0;
    };
    await until(async () => (await count()) === 6_000);
  });

  it("wait for a store that is down, which is told of once", async () => {
    const { decide, feeding, stores, stored } = machine();
    const lines: string[] = [];
    let isDown = true;
    const appendAudit: typeof stores.appendAudit = (rows) =>
      isDown ? Promise.reject(new Error("no connection")) : stores.appendAudit(rows);
    decide("none");
    const guarded = { ...stores, lastSequence: stores.lastSequence.bind(stores), appendAudit };
    const journals = feeding((line) => lines.push(line), guarded as typeof stores);
    await until(async () => lines.length > 0);
    await sleep(50);
    isDown = false;
    await until(async () => (await stored()).length === 1);
    await journals.close();
    expect(lines).toEqual(["records of this machine could not be handed to the store: no connection"]);
  });
});
