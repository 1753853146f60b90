import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Places } from "../config/places.ts";
import { sampleEvent } from "../core/engine.fixture.ts";
import { callDigest } from "./call-digest.ts";
import { grantPass, usePass } from "./one-time-pass.ts";

let stateDir: string;
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), "holdfast-pass-"));
});
afterEach(() => rmSync(stateDir, { recursive: true, force: true }));

const event = sampleEvent("pre_tool_use");
const granted = () => {
  const places = { stateDir } as Places;
  grantPass(callDigest(event) ?? "", places, new Date(event.at));
  return places;
};

it("a pass is not used up by a call whose caller has gone while it was judged", async () => {
  const places = granted();
  expect(await usePass(event, places, async () => false)).toBeUndefined();
  expect(await usePass({ ...event, id: "again" }, places, async () => true)).toMatchObject({
    digest: callDigest(event),
  });
});

it("a pass is for one call, and whoever takes that call over finds it again", async () => {
  const places = granted();
  const isAwaited = () => true;
  expect(await usePass(event, places, isAwaited)).toBeDefined();
  expect(await usePass({ ...event, id: "another" }, places, isAwaited)).toBeUndefined();
  expect(await usePass(event, places, isAwaited)).toBeDefined();
});

it("nobody is asked whether the caller is still there where there is no pass", async () => {
  const isAwaited = () => {
    throw new Error("asked");
  };
  expect(await usePass(event, { stateDir } as Places, isAwaited)).toBeUndefined();
});
