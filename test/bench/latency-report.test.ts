/** The bench's own arithmetic and its picture, without measuring anything. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { hostCompiler } from "../../src/entry/native/compile.ts";

const bench = join(import.meta.dirname, "../../bench");
const load = (name: string) => import(join(bench, "latency", name));

describe("the statistics of bench:latency", () => {
  it("takes percentiles that were measured, never values in between", async () => {
    const { summaryOf } = await load("statistics.mjs");
    const times = Array.from({ length: 100 }, (_, index) => 100 - index);

    expect(summaryOf(times)).toEqual({ count: 100, p50: 50, p95: 95, p99: 99 });
    expect(summaryOf([7])).toEqual({ count: 1, p50: 7, p95: 7, p99: 7 });
  });
});

describe("the targets of bench:latency", () => {
  const row = (id: string, p50: number, p95 = p50) => ({ id, p50, p95, timesEmptyC: p50 / 0.4, timesNode: p50 / 40 });
  const rows = (warmMs: number, coldMs: number) => [
    row("empty-c", 0.4),
    row("node", 40),
    ...["warm-allow", "warm-block", "warm-ledger", "warm-rewrite"].map((id) => row(id, warmMs)),
    ...["cold-client", "cold-ledger", "cold-launcher"].map((id) => row(id, coldMs)),
  ];
  const heldOf = async (report: object) => {
    const { targetsOf } = await load("targets.mjs");
    const targets: { id: string; held: boolean | null }[] = targetsOf(report);
    expect(new Set(targets.map(({ id }) => id)).size).toBe(targets.length);
    return new Map(targets.map(({ id, held }) => [id, held]));
  };

  it("a figure at its limit holds, one above it does not", async () => {
    const atLimit = await heldOf({ cases: rows(2, 56) });
    expect([atLimit.get("warm-allow-c"), atLimit.get("warm-ledger-node"), atLimit.get("cold-client-node")]).toEqual([
      true,
      true,
      true,
    ]);

    const above = await heldOf({ cases: rows(2.1, 57) });
    expect([above.get("warm-allow-c"), above.get("warm-ledger-node"), above.get("cold-client-node")]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it("a lost line or a broken chain is a target that does not hold, however fast it was", async () => {
    const fast = [{ callers: 32, perSecond: 9_000 }];
    const parallel = { clients: fast, sockets: fast, due: 100, recorded: 100, chainHolds: true };
    expect((await heldOf({ parallel })).get("lost-lines")).toBe(true);
    expect((await heldOf({ parallel: { ...parallel, recorded: 99 } })).get("lost-lines")).toBe(false);
    expect((await heldOf({ parallel: { ...parallel, chainHolds: false } })).get("lost-lines")).toBe(false);
  });

  it("what was not measured neither holds nor fails", async () => {
    expect(new Set((await heldOf({})).values())).toEqual(new Set([null]));
  });
});

describe("the plot of bench:latency", () => {
  it("puts equal ratios at equal distances, within whole powers of ten", async () => {
    const { logScale } = await load("plot.mjs");
    const { ticks, share } = logScale(0.3, 180);

    expect(ticks).toEqual([0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]);
    expect(share(1) - share(0.1)).toBeCloseTo(share(1000) - share(100));
    expect([share(0.1), share(1000)]).toEqual([0, 1]);
  });
});

describe("the command line of bench:latency", () => {
  it("an unknown option is an error that lists the known ones, before anything is measured", () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(bench, "hook-latency.mjs"), "--fast"], {
      encoding: "utf8",
    });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain("--fast");
    expect(stderr).toContain("--quick");
  });
});

describe.runIf("command" in hostCompiler(process.env))("the spawner of bench:latency", () => {
  const spawnerOf = async () => {
    const { buildTools } = await load("native-tools.mjs");
    const dir = mkdtempSync(join(tmpdir(), "hf-spawner-"));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const input = join(dir, "input");
    writeFileSync(input, "deny");
    const { spawnTimes } = await load("spawner.mjs");
    const tools = buildTools(dir);
    return (about: object, count: number, callers?: number) =>
      spawnTimes(
        tools,
        { dir, env: {} },
        { name: "cat", command: ["/bin/cat"], input, cwd: dir, ...about },
        count,
        callers,
      );
  };

  it("gives one time for each spawn of each caller", async () => {
    const spawn = await spawnerOf();
    expect(spawn({ text: "deny" }, 3, 4)).toMatchObject({ times: { length: 12 }, byNode: 0 });
  });

  it("a wrong answer, a missing one and a wrong exit code end the bench", async () => {
    const spawn = await spawnerOf();
    expect(() => spawn({ text: "allow" }, 2)).toThrow("wrong answer");
    expect(() => spawn({ text: "" }, 2)).toThrow("wrong answer");
    expect(() => spawn({ text: "deny", exitCode: 2 }, 2)).toThrow("wrong answer");
    expect(() => spawn({ text: "allow" }, 1, 3)).toThrow("wrong answer");
  });

  it("tells what Node decided from what a small process did", async () => {
    const spawn = await spawnerOf();
    expect(spawn({ command: [process.execPath, "-e", "0"] }, 2)).toMatchObject({ byNode: 2 });
  });
});
