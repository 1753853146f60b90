import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Plan, signature } from "./plan.ts";
import { planWatch, settlingMs } from "./plan-watch.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "holdfast-watch-"));
  mkdirSync(join(dir, "project"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const VERSION = "1";
const at = (name: string) => join(dir, name);
const NAMES = ["project/holdfast.yaml", "project/holdfast.toml", "elsewhere/holdfast.yaml", "trust.json"];

function watched(nowMs: () => number) {
  const plan = {
    version: VERSION,
    cwd: dir,
    watched: Object.fromEntries(NAMES.map((name) => [at(name), signature(at(name))])),
    environment: {},
  } as unknown as Plan;
  const watch = planWatch(plan, nowMs);
  return () => watch.isFresh({ cwd: dir }, {}, VERSION);
}

/** Long after, and right after, the directories were last changed. */
const MOMENTS = [() => Date.now() + 60_000, () => Date.now()];
/** Longer than the ticks in which a system stamps changes: only the clock of the test says that it was long ago. */
const nextTick = () => sleep(20);

it.each(NAMES)("a file that comes later is seen at once: %s", async (name) => {
  for (const now of MOMENTS) {
    await nextTick();
    const isFresh = watched(now);
    expect([isFresh(), isFresh()]).toEqual([true, true]);
    mkdirSync(join(at(name), ".."), { recursive: true });
    writeFileSync(at(name), "hooks: {}\n");
    expect(isFresh()).toBe(false);
    rmSync(at(name));
  }
});

it("a file that comes a moment after another, once the first was seen to be none of ours, is seen", async () => {
  const isFresh = watched(Date.now);
  for (const waitMs of [0, 5, 50, 150]) {
    writeFileSync(at(`project/other-${waitMs}`), "");
    await sleep(waitMs);
    expect([isFresh(), isFresh()]).toEqual([true, true]);
    writeFileSync(at("project/holdfast.toml"), "");
    expect(isFresh()).toBe(false);
    rmSync(at("project/holdfast.toml"));
  }
});

it("a directory whose time is in whole seconds is taken for one that could have changed again unseen, for longer", () => {
  expect(settlingMs({ ctimeMs: 1_763_300_000_000 })).toBe(3_000);
  expect(settlingMs({ ctimeMs: 1_763_300_000_123.5 })).toBe(100);
});

it("a file that is changed, replaced or removed is seen, whatever its times say", () => {
  const file = at("trust.json");
  writeFileSync(file, "{}");
  for (const change of [
    () => writeFileSync(file, "{ }"),
    () => {
      writeFileSync(file, "[]");
      utimesSync(file, 1, 1);
    },
    () => {
      writeFileSync(at("other"), "{}");
      renameSync(at("other"), file);
    },
    () => rmSync(file),
  ]) {
    const isFresh = watched(() => Date.now() + 60_000);
    expect([isFresh(), isFresh()]).toEqual([true, true]);
    change();
    expect(isFresh()).toBe(false);
  }
});

it("other files that come and go in the directory change nothing", () => {
  const isFresh = watched(() => Date.now() + 60_000);
  for (const name of ["a", "b"]) {
    writeFileSync(at(`project/${name}`), "");
    expect(isFresh()).toBe(true);
  }
});
