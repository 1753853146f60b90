import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { buildSync } from "esbuild";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { withFileLock } from "../records/file-lock.ts";
import { AT, ok, problemOf, SHOP, scratchProject } from "./workflow.fixture.ts";

let build: string;
let caller: string;
let project: ReturnType<typeof scratchProject>;

beforeAll(() => {
  build = mkdtempSync(join(tmpdir(), "holdfast-caller-"));
  caller = join(build, "caller.mjs");
  buildSync({
    entryPoints: [join(import.meta.dirname, "fixtures", "caller.mjs")],
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: caller,
  });
});
afterAll(() => rmSync(build, { recursive: true }));
beforeEach(() => {
  project = scratchProject();
  ok(project.workflow.stateInit(SHOP));
});
afterEach(() => project.remove());

const start = (name: string, count: number) =>
  spawn(process.execPath, [caller, project.root, name, String(count)], { stdio: ["ignore", "pipe", "inherit"] });

function call(name: string, count: number): Promise<Record<string, number>> {
  const child = start(name, count);
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  return new Promise((resolve, reject) =>
    child.on("close", (code) => (code === 0 ? resolve(JSON.parse(output)) : reject(new Error(`exit ${code}`)))),
  );
}

describe("many processes at once", () => {
  it("16 of them lose no blocker, no resolution and no transition", { timeout: 120_000 }, async () => {
    const counts = await Promise.all(Array.from({ length: 16 }, (_, index) => call(`p${index}`, 10)));
    for (const codes of counts) {
      expect(Object.keys(codes).filter((code) => code !== "ok" && code !== "INVALID_TRANSITION")).toEqual([]);
      expect((codes.ok ?? 0) + (codes.INVALID_TRANSITION ?? 0)).toBe(25);
    }
    const { blockers, current } = ok(project.workflow.stateGet());
    expect(new Set(blockers.map(({ reason }) => reason)).size).toBe(160);
    expect(blockers).toHaveLength(160);
    for (const { reason, resolved } of blockers) expect(resolved).toBe(Number(reason.split(":")[1]) % 2 === 0);
    expect(current.status).toBe("blocked");
    // The circle has 7 steps: where it stands tells how many transitions were taken.
    const circle = ["specced", "designed", "planned", "executing", "executed", "complete", "shipped"];
    const taken = counts.reduce((sum, codes) => sum + (codes.ok ?? 0) - 15, 0);
    expect(circle[taken % 7]).toBe(current.step);
    expect(leftovers()).toEqual([]);
  });

  it("one that is killed at any moment leaves a whole file, and the next goes on", { timeout: 120_000 }, async () => {
    const count = () => ok(project.workflow.stateGet()).blockers.length;
    let recorded = 0;
    for (let round = 0; round < 12; round++) {
      const child = start(`r${round}`, 100_000);
      while (count() === recorded) await setTimeout(2);
      await setTimeout(round * 3);
      const seen = count();
      child.kill("SIGKILL");
      await new Promise((resolve) => child.once("close", resolve));
      recorded = count();
      expect(recorded).toBeGreaterThanOrEqual(seen);
    }
    expect(await call("last", 1)).toEqual({ ok: 3 });
    expect(leftovers()).toEqual([]);
  });
});

describe("a change that does not come to its end", () => {
  it("leaves the old file when the lock was lost before the swap", () => {
    const before = project.read("state.toml");
    const late = scratchProject({ exclusively: (_, work) => work({ isHeld: () => false }) });
    late.write("state.toml", before);
    expect(problemOf(late.workflow.stateAddBlocker({ reason: "x" }))).toMatchObject({ code: "IO_ERROR" });
    expect(late.read("state.toml")).toBe(before);
    expect(readdirSync(late.file("."))).toEqual(["state.toml"]);
    late.remove();
  });

  it("leaves half a file of a dead writer to be swept away by the next", () => {
    writeFileSync(project.file(".state.toml.99999999.tmp"), "[curr");
    ok(project.workflow.stateAddBlocker({ reason: "x" }));
    expect(leftovers()).toEqual([]);
  });

  it("waits for nobody who is dead", async () => {
    mkdirSync(project.file("tracking"), { recursive: true });
    const child = spawn(process.execPath, ["-e", ""]);
    await new Promise((resolve) => child.once("close", resolve));
    // As a process leaves it that dies while holding the lock.
    withFileLock(project.file("tracking/workflow.lock"), {}, () => {
      const signature = project.read("tracking/workflow.lock");
      writeFileSync(project.file("tracking/dead"), signature.replace(/^\d+/, String(child.pid)));
    });
    writeFileSync(project.file("tracking/workflow.lock"), project.read("tracking/dead"));
    rmSync(project.file("tracking/dead"));
    expect(await call("next", 1)).toEqual({ ok: 3 });
  });

  it("is not seen by those who read meanwhile: no reader ever meets half a file", { timeout: 120_000 }, async () => {
    const writing = Promise.all([call("a", 25), call("b", 25)]);
    let done = false;
    writing.finally(() => {
      done = true;
    });
    let reads = 0;
    while (!done) {
      const state = ok(project.workflow.stateGet());
      expect(state.project).toEqual({ name: "shop", initialized: AT });
      reads += 1;
      if (reads % 20 === 0) await setTimeout(1);
    }
    await writing;
    expect(reads).toBeGreaterThan(20);
  });
});

const leftovers = () =>
  readdirSync(project.file("."), { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.(tmp|lock|steal)$/.test(name),
  );
