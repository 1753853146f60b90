import { describe, expect, test } from "vitest";
import { HookFailure } from "../core/failure.ts";
import type { HookTold } from "../core/hook.ts";
import { judgeContext, preToolUse } from "./module.fixture.ts";
import { Asker } from "./module-asker.ts";
import { runnerForEachTest } from "./module-runner.fixture.ts";

const scene = runnerForEachTest();

/** Hooks of one module, each with this body; `timeouts`: of some of them, by their place. */
function askersOf(bodies: readonly string[], timeouts: Readonly<Record<number, number>> = {}): Asker[] {
  const hooks = bodies.map(
    (body, index) => `defineHook({ name: "hook ${index}", on: ["pre_tool_use"], judge(event, context) { ${body} } })`,
  );
  const file = scene.project.write(
    "hooks.js",
    `import { defineHook } from "holdfast"; import { threadId } from "node:worker_threads"; import fs from "node:fs";
    let asked = 0;
    export default [${hooks.join(",\n")}];`,
  );
  return bodies.map(
    (_, exportIndex) =>
      new Asker({ file, exportIndex, pins: null, options: {}, timeoutMs: timeouts[exportIndex] ?? 20_000 }, true),
  );
}

const hear = async (askers: readonly Asker[], command = "ls") =>
  scene.runner.judgeInTurn(askers, preToolUse(command), judgeContext());

/** As the engine asks: again from the first that has not been asked. */
async function hearAll(askers: readonly Asker[], command = "ls"): Promise<HookTold[]> {
  const told: HookTold[] = [];
  while (told.length < askers.length) {
    const more = await hear(askers.slice(told.length), command);
    if (more.length === 0) throw new Error("a question was answered by nobody");
    told.push(...more);
  }
  return told;
}

/** Who took long the last time is asked alone the next: on a busy machine it takes a few rounds until nobody did. */
async function hearInOneQuestion(askers: readonly Asker[], count: number, command = "ls") {
  for (let round = 0; round < 300; round++) {
    const told = await hear(askers, command);
    if (told.length === count) return told;
    await hearAll(askers, command);
  }
  throw new Error("they were never asked together");
}

const said = (told: readonly HookTold[]) =>
  told.map((one) =>
    "failure" in one
      ? one.failure.code
      : one.verdict.opinion.kind === "block"
        ? one.verdict.opinion.reason
        : one.verdict.opinion.kind,
  );

const LOADED = "asked += 1;";

describe("hooks that are asked together", () => {
  test("answer one question, each for itself and in order", async () => {
    const askers = askersOf([
      "return;",
      `return { block: event.tool.command };`,
      "return;",
      `return { ask: "sure?" };`,
    ]);
    const told = await hearInOneQuestion(askers, 4, "make");
    expect(said(told)).toEqual(["none", "make", "none", "ask"]);
  });

  test("are those who are meant, in whatever order others were asked before", async () => {
    const askers = askersOf([`return { block: "a" };`, `return { block: "b" };`, `return { block: "c" };`]);
    const named = (letters: string) => [...letters].map((letter) => askers["abc".indexOf(letter)] as Asker);
    await hearAll(askers);
    for (const letters of ["ab", "ab", "ba", "a", "a", "b", "ab", "abc", "cba", "cb", "ab"])
      expect(said(await hearAll(named(letters))).join(""), letters).toBe(letters);
  });

  test("answer at once when they did the last time", async () => {
    const askers = askersOf(["return;", "return;"]);
    for (let round = 0; round < 200; round++) {
      const told = scene.runner.judgeInTurn(askers, preToolUse("ls"), judgeContext());
      if (!(told instanceof Promise) && told.length === 2) return;
      await told;
      await new Promise((done) => setTimeout(done, 5));
    }
    throw new Error("they never answered at once");
  });

  test("have each an event of their own: what one does to it, the next does not see", async () => {
    const askers = askersOf([
      `event.tool.input.command = "changed"; event.tool.command = "changed"; event.cwd = "changed"; return;`,
      `return { block: [event.tool.input.command, event.tool.command, event.cwd].join() };`,
    ]);
    expect(said(await hearInOneQuestion(askers, 2))).toEqual(["none", "ls,ls,/project"]);
  });

  test("have each the time of the event: what one sets it to, the next does not see, and a copy of the context has it", async () => {
    const year = "({ ...context }).now.getUTCFullYear()";
    const told = await hearInOneQuestion(
      askersOf([`context.now.setUTCFullYear(1999); return;`, `return { block: String(${year}) };`]),
      2,
    );
    expect(said(told)).toEqual(["none", preToolUse("ls").at.slice(0, 4)]);
  });

  test("are not asked after one that rewrites: the engine shows them what it made of the event", async () => {
    const askers = askersOf(["return;", `return { rewrite: { command: "other" } };`, `return { block: "x" };`]);
    await hearAll(askers);
    for (let round = 0; round < 20; round++) expect((await hear(askers)).length).toBeLessThan(3);
    const told = await hearInOneQuestion(askers, 2);
    expect(told[1]).toMatchObject({ verdict: { rewrite: { command: "other" } } });
  });

  test("fail alone when they throw or answer what cannot be", async () => {
    const askers = askersOf([
      `return { block: "a" };`,
      `throw new Error("no");`,
      "return 5;",
      `return { block: "b" };`,
    ]);
    await hearAll(askers);
    expect(said(await hearAll(askers))).toEqual(["a", "crash", "invalid-answer", "b"]);
  });

  test.each([
    ["hangs", "for (;;);", "timeout", "did not answer within 1500 ms"],
    ["waits for ever", "return new Promise(() => {});", "timeout", "did not answer within 1500 ms"],
    ["ends the process", "process.exit(3);", "crash", "ended the process (exit 3)"],
  ])(
    "one that %s fails alone: who answered before it has, and who comes after it is asked",
    async (_name, body, code, message) => {
      const trap = `if (event.tool.command === "trap") { ${body} } return;`;
      const bodies = [`${LOADED} return { block: String(asked) };`, trap, `return { block: "after" };`];
      const askers = askersOf(bodies, code === "timeout" ? { 1: 1_500 } : {});
      await hearAll(askers);
      const told = await hearAll(askers, "trap");
      expect(said(told)).toEqual(["2", code, "after"]);
      const [, failed] = told;
      expect(failed && "failure" in failed && failed.failure).toBeInstanceOf(HookFailure);
      expect(failed && "failure" in failed && failed.failure.message).toContain(message);
    },
  );

  test("what one prints is told with its own answer, and the next is asked all the same", async () => {
    const askers = askersOf(["return;", `console.log("seen"); return;`, `return { block: "after" };`]);
    await hearAll(askers);
    const told = await hearAll(askers);
    expect(said(told)).toEqual(["none", "none", "after"]);
    expect(told.map((one) => "verdict" in one && one.verdict.effects?.length)).toEqual([undefined, 1, undefined]);
  });

  test("what one leaves running is not left to those who have to be waited for", async () => {
    const askers = askersOf([
      "setTimeout(() => {}, 60_000); return { block: String(threadId) };",
      "return new Promise((done) => setTimeout(() => done({ block: String(threadId) }), 20));",
    ]);
    await hearAll(askers);
    const [first, second] = said(await hearAll(askers));
    expect(second).not.toBe(first);
  });

  test("an answer that is longer than the sheet arrives whole", async () => {
    const askers = askersOf([
      `return { block: "a" };`,
      `return { block: "ü".repeat(200_000) };`,
      `return { block: "b" };`,
    ]);
    await hearAll(askers);
    const reasons = said(await hearAll(askers));
    expect(reasons.map((reason) => reason.length)).toEqual([1, 200_000, 1]);
  });

  test("an event that is longer than the sheet arrives whole", async () => {
    const askers = askersOf(["return { block: String(event.tool.command.length) };", "return;"]);
    await hearAll(askers);
    expect(said(await hearAll(askers, "ü".repeat(300_000)))).toEqual(["300000", "none"]);
  });

  test("a question that is taken back already starts no worker", async () => {
    const started: unknown[] = [];
    const count = (worker: unknown) => started.push(worker);
    process.on("worker", count);
    try {
      const context = judgeContext({ signal: AbortSignal.abort() });
      const asked = askersOf(["return;", "return;"]).map(async (asker) =>
        scene.runner.judgeInTurn([asker], preToolUse("ls"), context),
      );
      for (const { status } of await Promise.allSettled(asked)) expect(status).toBe("rejected");
      expect(started).toHaveLength(0);
      await hear(askersOf(["return;"]));
      expect(started).toHaveLength(1);
    } finally {
      process.off("worker", count);
    }
  });

  test("a worker that went back to its loop is found there", async () => {
    const askers = askersOf(["return { block: 'a' };", "return;"]);
    await hearAll(askers);
    await new Promise((done) => setTimeout(done, 1500));
    expect(said(await hearAll(askers))).toEqual(["a", "none"]);
  });
});
