import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { PERSONAL } from "../../approvals/approval.ts";
import { placesOf } from "../../config/places.ts";
import { journalOf } from "../../engine/journals.ts";
import { appendRecords } from "../../records/journal.ts";
import { memoryStores } from "../../stores/memory.ts";
import { listen } from "../server/listen.ts";
import { createToken } from "../server/tokens.ts";
import { auditServer } from "./audit-server.ts";
import { handIn } from "./hand-in.ts";

async function machineAndServer() {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-hand-in-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const stores = memoryStores();
  const server = await listen({ stores, host: "127.0.0.1", port: 0 });
  onTestFinished(() => server.close());
  const who = { organisation: PERSONAL, name: "records", kind: "agent" as const, agent: null, person: null };
  const { token } = await createToken(stores, { ...who, scopes: ["ingest"], createdBy: "test", lastsMs: 60_000 });
  const places = placesOf({
    HOME: dir,
    HOLDFAST_STATE_DIR: join(dir, "state"),
    HOLDFAST_CONFIG_DIR: join(dir, "config"),
  });
  const root = join(dir, "project");
  mkdirSync(join(dir, "state", "plans"), { recursive: true });
  const settings = { handIn: { server: server.url, tokenEnv: "TOKEN" } };
  writeFileSync(join(dir, "state", "plans", "one.json"), JSON.stringify({ root, settings }));
  const record = (changes: object = {}) => ({
    timestamp: "2026-11-15T12:00:00.000Z",
    session: "one",
    event: "pre_tool_use",
    tool: "Bash",
    decision: "none",
    ...changes,
  });
  return {
    // The audit's journal cuts long texts; a line that somebody wrote past it may be of any length.
    append: (...changes: object[]) =>
      appendRecords({ ...journalOf("audit", { root }, places), maxTextCharacters: undefined }, changes.map(record)),
    handing: () => handIn(auditServer(server.url, token), server.url, places),
    stored: async () => {
      const rows = [];
      let cursor: string | undefined;
      do {
        const page = await stores.audit({ organisation: PERSONAL, limit: 500, ...(cursor ? { cursor } : {}) });
        rows.push(...page.rows);
        cursor = page.next;
      } while (cursor);
      return rows.sort((left, right) => left.sequence - right.sequence);
    },
  };
}

it("a backlog longer than what is looked through from the end is handed in from its beginning, each record once", async () => {
  const { append, handing, stored } = await machineAndServer();
  append(...Array.from({ length: 3_000 }, () => ({})));
  expect(await handing().round()).toBe(3_000);
  append({}, {});
  expect(await handing().round()).toBe(2);
  const rows = await stored();
  expect(rows.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 3_002 }, (_, index) => index + 1));
});

it("a record that the server cannot take holds up no other: its outline stands in its place", async () => {
  const { append, handing, stored } = await machineAndServer();
  append({}, { session: "s".repeat(600), note: "n".repeat(700_000) }, { timestamp: "yesterday" }, {});
  expect(await handing().round()).toBe(4);
  const rows = await stored();
  expect(rows.map(({ sequence }) => sequence)).toContain(4);
  const long = rows.find(({ sequence }) => sequence === 2);
  expect(long?.session).toHaveLength(500);
  expect(JSON.parse(long?.record ?? "")).toMatchObject({
    seq: 2,
    left_out: expect.stringMatching(/^70\d{4} characters/),
  });
  expect(rows.find(({ sequence }) => sequence === 3)?.at).toBe("1970-01-01T00:00:00.000Z");
});
