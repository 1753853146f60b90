import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sharedTurns } from "./turns.ts";

let dir: string;
let nowMs: number;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "holdfast-turns-"));
  nowMs = 1_000_000;
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const limit = { key: "k", calls: 10, windowMs: 60_000 };
const turns = () => sharedTurns(dir, { clock: () => nowMs });
const take = (id: string, limits = [limit]) => turns()({ id, limits });

describe("calls counted in a sliding window", () => {
  it("F-40 the 11th call in 60 seconds is refused, with the time that remains", () => {
    for (let index = 0; index < 10; index++, nowMs += 1_000) expect(take(`e${index}`)).toBeUndefined();
    expect(take("e10")).toEqual({ limit, waitMs: 50_000 });
    nowMs += 49_999;
    expect(take("e11")).toMatchObject({ waitMs: 1 });
    nowMs += 1;
    expect(take("e12")).toBeUndefined();
    expect(take("e13")).toMatchObject({ waitMs: 1_000 });
  });

  it("a call that is judged twice counts once", () => {
    const once = [{ ...limit, calls: 1 }];
    expect([take("a", once), take("a", once)]).toEqual([undefined, undefined]);
    expect(take("b", once)).toBeDefined();
  });

  it("a call takes its place in all its windows, or in none", () => {
    const other = { ...limit, key: "other", calls: 1 };
    expect(take("a", [other])).toBeUndefined();
    for (const id of ["b", "c", "d"]) expect(take(id, [{ ...limit, calls: 1 }, other])).toMatchObject({ limit: other });
    expect(take("e", [{ ...limit, calls: 1 }])).toBeUndefined();
  });

  it("a rehearsal looks and does not count", () => {
    const rehearse = sharedTurns(dir, { clock: () => nowMs, rehearsal: true });
    const once = [{ ...limit, calls: 1 }];
    expect([rehearse({ id: "a", limits: once }), rehearse({ id: "b", limits: once })]).toEqual([undefined, undefined]);
    take("c", once);
    expect(rehearse({ id: "d", limits: once })).toBeDefined();
  });

  it("a clock that was set back keeps nobody waiting for longer than the window", () => {
    const once = [{ ...limit, calls: 1 }];
    take("a", once);
    nowMs -= 3_600_000;
    expect(take("b", once)).toMatchObject({ waitMs: 60_000 });
  });

  it("windows that cannot be read refuse by failing, and are not silently begun anew", () => {
    take("a");
    const [file] = readdirSync(join(dir, "rates")).filter((name) => name.endsWith(".json"));
    writeFileSync(join(dir, "rates", file as string), "[[1");
    expect(() => take("b")).toThrow(SyntaxError);
  });
});

/** Takes as many turns as it can and prints how many were let through. */
const WORKER = `
const { sharedTurns } = await import(process.argv[1]);
const take = sharedTurns(process.argv[2]);
let passed = 0;
for (let index = 0; index < 20; index++) {
  const limits = [{ key: "shared", calls: 50, windowMs: 600000 }];
  if ((await take({ id: process.pid + "-" + index, limits })) === undefined) passed++;
}
process.stdout.write(String(passed));
`;

const worker = () =>
  new Promise<number>((resolve, reject) => {
    const program = join(import.meta.dirname, "../../dist/engine/turns.js");
    const child = spawn(process.execPath, ["--input-type=module", "-e", WORKER, program, dir]);
    let out = "";
    let err = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    child.stderr.on("data", (chunk) => {
      err += chunk;
    });
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve(Number(out)) : reject(new Error(err))));
  });

it("F-40 B14-15 of 320 calls from 16 processes at once exactly as many pass as the limit says", async () => {
  const passed = await Promise.all(Array.from({ length: 16 }, worker));
  expect(passed.reduce((sum, count) => sum + count, 0)).toBe(50);
});
