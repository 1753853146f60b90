import { describe, expect, it } from "vitest";
import type { AuditRow } from "../../../approvals/store.ts";
import { auditDetails } from "./audit-details.ts";
import { healthPage } from "./health-page.ts";
import { hookHealth, recordedDecision } from "./hook-health.ts";
import { plainText } from "./markup.fixture.ts";
import { duration } from "./moment.ts";
import { sessionPage } from "./session-page.ts";

const row = (record: unknown): AuditRow => ({
  source: "machine",
  sequence: 1,
  organisation: "acme",
  at: "2026-01-02T03:04:05.000Z",
  session: "s",
  event: "pre_tool_use",
  decision: "none",
  tool: "Bash",
  ms: 1,
  record: typeof record === "string" ? record : JSON.stringify(record),
});

describe("audit records of other machines", () => {
  it.each(["", "no JSON", "null", "[]", '{"hooks":7,"reasons":{},"input":[]}', '{"hooks":[null,{"ms":"x"}]}'])(
    "%j is read as far as it goes",
    (record) => {
      expect(auditDetails(row(record)).reasons).toEqual([]);
    },
  );

  it("what the agent was told stands beside the decision, where that was something else", () => {
    const rows = [row({ delivered: "block" })];
    const past = { session: "s", approvals: [], rows, names: new Map(), earlier: undefined };
    expect(plainText(sessionPage(past))).toContain("delivered as block");
    expect(plainText(sessionPage({ ...past, rows: [row({})] }))).not.toContain("delivered");
  });

  it("hooks that failed stand first, with how often and how long", () => {
    const step = (hook: string, ms: number, more = {}) => ({ hook, ms, opinion: { kind: "none" }, ...more });
    const rows = [
      row({ hooks: [step("calm", 1), step("calm", 2), step("calm", 9, { opinion: { kind: "block" } })] }),
      row({ hooks: [step("broken", 4, { failure: { code: "crash", message: "boom" } })] }),
    ];
    expect(hookHealth(rows.map(recordedDecision))).toEqual([
      { name: "broken", asked: 1, blocked: 0, failed: 1, medianMs: 4, longestMs: 4 },
      { name: "calm", asked: 3, blocked: 1, failed: 0, medianMs: 2, longestMs: 9 },
    ]);
  });
});

describe("health", () => {
  it("shows times without a decision as such, and every figure in the table", () => {
    const from = new Date("2026-01-02T00:00:00.000Z");
    const to = new Date("2026-01-02T01:00:00.000Z");
    const bucket = { startsAt: "2026-01-02T00:10:00.000Z", decisions: { block: 3, halt: 2 }, p50Ms: 1.5, p95Ms: 12 };
    const page = healthPage({ range: "hour", from, to, buckets: [bucket], recent: [] });
    expect(String(page).match(/<th scope="row"><time/g)?.length).toBe(60);
    expect(plainText(page)).toContain("2026-01-02 00:1000032");
    expect(plainText(page)).toContain("1.5 ms12 ms");
  });
});

it.each([
  [0, "0 s"],
  [59_999, "59 s"],
  [60_000, "1 min"],
  [3_725_000, "1 h 2 min"],
  [90_000_000, "1 d 1 h"],
])("%d milliseconds are %s", (ms, words) => {
  expect(duration(ms)).toBe(words);
});
