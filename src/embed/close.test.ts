import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { defineHook } from "../custom/define-hook.ts";
import { sceneForEachTest } from "./embedded.fixture.ts";
import type { Holdfast } from "./holdfast.ts";

const scene = sceneForEachTest();
const names = () => scene.records("audit").map(({ event }) => event);
const isLocked = () =>
  ["audit", "ledger"].some((name) => existsSync(join(scene.project, `.holdfast/tracking/${name}.jsonl.lock`)));

function promised() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve: () => resolve() };
}

it("close waits for hooks that are being asked, and for their records", async () => {
  const asked = promised();
  const judge = () => {
    asked.resolve();
    return sleep(150).then(() => {});
  };
  const holdfast = await scene.create({ hooks: [defineHook({ name: "slow", on: ["post_tool_use"], judge })] });
  const call = holdfast.session().callTool({ name: "t", input: {}, run: () => "done" });
  await asked.promise;
  await holdfast.close();
  expect(names()).toEqual(["pre_tool_use", "post_tool_use"]);
  expect(await call).toMatchObject({ status: "ran", output: "done" });
  expect(isLocked()).toBe(false);
});

it("what a call has to ask after the close is asked and recorded, and no journal stays locked", async () => {
  const asked: string[] = [];
  const looks = defineHook({ name: "looks", on: ["post_tool_use"], judge: (event) => void asked.push(event.name) });
  const holdfast = await scene.create({ hooks: [looks] });
  let end = (_: string) => {};
  const output = new Promise<string>((resolve) => {
    end = resolve;
  });
  const call = holdfast.session().callTool({ name: "t", input: {}, run: () => output });
  await sleep(50);
  await holdfast.close();
  end("late");
  expect(await call).toMatchObject({ status: "ran", output: "late" });
  expect(asked).toEqual(["post_tool_use"]);
  expect(names()).toEqual(["pre_tool_use", "post_tool_use"]);
  expect(isLocked()).toBe(false);
});

it("close waits for no people: a call that they have not decided about does not run", async () => {
  mkdirSync(join(scene.dir, "config"));
  writeFileSync(join(scene.dir, "config/holdfast.yaml"), "approvals:\n  - name: money\n    when: { tool: pay }\n");
  const waiting = promised();
  const holdfast = await scene.create({ onAwaitingConfirmation: () => waiting.resolve() });
  const ran: string[] = [];
  const signal = new AbortController();
  const run = () => String(ran.push("paid"));
  const call = holdfast.session().callTool({ name: "pay", input: {}, signal: signal.signal, run });
  await waiting.promise;
  const startedMs = performance.now();
  await holdfast.close();
  expect(performance.now() - startedMs).toBeLessThan(2_000);
  signal.abort();
  expect(await call.catch(() => ({ status: "blocked" }))).toMatchObject({ status: "blocked" });
  expect(ran).toEqual([]);
});

it("close waits five seconds at most: the hook that is being asked may be what closes", {
  timeout: 20_000,
}, async () => {
  const closing: { holdfast?: Holdfast } = {};
  const closes = defineHook({ name: "closes", on: ["session_end"], judge: () => closing.holdfast?.close() });
  closing.holdfast = await scene.create({ hooks: [closes] });
  await closing.holdfast.session().fire("session_end", { reason: "over" });
  expect(names()).toEqual(["session_end"]);
});
