import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AgentEvent } from "../core/event.ts";
import { judgeContext, postToolUse, preToolUse } from "./module.fixture.ts";
import { Asker } from "./module-asker.ts";
import { runnerForEachTest } from "./module-runner.fixture.ts";

const scene = runnerForEachTest();

const hookFile = () =>
  scene.project.write(
    "hook.js",
    `import { defineHook } from "holdfast"; import fs from "node:fs";
    fs.writeFileSync(${JSON.stringify(join(scene.project.dir, "loaded"))}, "");
    export default defineHook({ name: "probe", on: ["pre_tool_use", "post_tool_use"], judge() {
      fs.writeFileSync(${JSON.stringify(join(scene.project.dir, "asked"))}, "");
      return { context: "asked" };
    } });`,
  );
const askerOf = (file: string) => new Asker({ file, exportIndex: 0, pins: null, options: {}, timeoutMs: 60_000 }, true);
const has = (name: string) => existsSync(join(scene.project.dir, name));

async function told(asker: Asker, event: AgentEvent) {
  const [one] = await scene.runner.judgeInTurn([asker], event, judgeContext());
  return one && "verdict" in one ? one.verdict : one?.failure.message;
}

test("an understudy is silent and rewrites by turns; the module is not even loaded for it", async () => {
  const understudy = askerOf(hookFile()).understudy();
  const answers = [];
  for (let call = 0; call < 4; call++) answers.push(await told(understudy, preToolUse("ls")));
  const rewritten = expect.objectContaining({ rewrite: { command: "ls # rehearsed" } });
  expect(answers).toEqual([{ opinion: { kind: "none" } }, rewritten, { opinion: { kind: "none" } }, rewritten]);
  expect(has("loaded")).toBe(false);
});

test("it says nothing where a rewrite could not be expressed", async () => {
  const understudy = askerOf(hookFile()).understudy();
  for (let call = 0; call < 2; call++)
    expect(await told(understudy, postToolUse("a.txt"))).toEqual({ opinion: { kind: "none" } });
});

test("beside the hook it stands in for it changes nothing: that one is asked as ever, and known by its own time", async () => {
  const asker = askerOf(hookFile());
  const understudy = asker.understudy();
  await told(understudy, preToolUse("ls"));
  expect(asker.lastMs).toBeNaN();
  expect(await told(asker, preToolUse("ls"))).toMatchObject({ context: ["asked"] });
  const { lastMs } = asker;
  await told(understudy, preToolUse("ls"));
  expect(asker.lastMs).toBe(lastMs);
  expect([has("loaded"), has("asked")]).toEqual([true, true]);
});
