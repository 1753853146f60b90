import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const script = join(import.meta.dirname, "../../bench/approvals.mjs");

describe("bench:approvals, in small", () => {
  it("on both stores: one winner for each request, every click noted, no audit row lost, every page answered", async () => {
    const sizes = ["--quick", "--json", "--seconds", "1", "--rows", "2000"];
    const options = { maxBuffer: 10_000_000, timeout: 590_000 };
    const { stdout } = await promisify(execFile)(process.execPath, [script, ...sizes], options);
    const { stores } = JSON.parse(stdout);
    expect(Object.keys(stores)).toEqual(["sqlite", "postgres"]);
    for (const { wake, clicks, audit, pages } of Object.values<Record<string, Record<string, unknown>>>(stores)) {
      expect(clicks).toMatchObject({ oneWinnerEach: true, isStored: true });
      expect(audit).toMatchObject({ lost: 0 });
      expect(wake).toMatchObject({ pending: 200, restDecided: 100 });
      expect(Object.keys(pages?.pages as object)).toHaveLength(18);
    }
  }, 600_000);
});
