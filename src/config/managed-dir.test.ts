import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type ScratchMachine, scratchMachine } from "./config.fixture.ts";
import { placesOf } from "./places.ts";
import { readFreshPlan, writePlan } from "./plan.ts";

let machine: ScratchMachine;
beforeEach(() => {
  machine = scratchMachine();
});
afterEach(() => machine.remove());

const told = async () => (await machine.compile()).errors.map(({ code, message }) => `${code} ${message}`);

it("a directory of managed rules that is not there is an error: what they forbid is not known", async () => {
  const dir = join(machine.dir, "managed");
  rmSync(dir, { recursive: true });
  expect(await told()).toEqual([`HF105 HOLDFAST_MANAGED_DIR is ${dir}, which does not exist`]);
});

it("so is a file in the place of the directory", async () => {
  const file = machine.write("managed/holdfast.yaml", "guards: {}\n");
  machine.env.HOLDFAST_MANAGED_DIR = file;
  expect(await told()).toEqual([`HF105 HOLDFAST_MANAGED_DIR is ${file}, which is no directory`]);
});

it("and a relative path, which a daemon would look for elsewhere than the call", async () => {
  machine.env.HOLDFAST_MANAGED_DIR = "managed";
  expect(await told()).toEqual([expect.stringMatching(/^HF105 HOLDFAST_MANAGED_DIR is managed, which is relative/)]);
  expect(placesOf(machine.env).managedDirs).toEqual(["/etc/holdfast"]);
});

it("one that is there may have no rules yet, and an empty variable is none", async () => {
  expect(await told()).toEqual([]);
  machine.env.HOLDFAST_MANAGED_DIR = "";
  expect(await told()).toEqual([]);
});

it("the stored plan stands until the directory comes", async () => {
  const dir = join(machine.dir, "managed");
  rmSync(dir, { recursive: true });
  const places = placesOf(machine.env);
  const standing = { cwd: machine.project };
  writePlan((await machine.compile()).plan, places);
  expect(readFreshPlan(standing, places, machine.env, "test")?.errors).toHaveLength(1);
  mkdirSync(dir);
  expect(readFreshPlan(standing, places, machine.env, "test")).toBeUndefined();
});
