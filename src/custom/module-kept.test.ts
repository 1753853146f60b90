import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../core/json.ts";
import {
  type BuiltPackage,
  buildPackage,
  judgeContext,
  type Project,
  preToolUse,
  temporaryProject,
} from "./module.fixture.ts";
import { createModuleRunner, type ModuleRunner, type ModuleRunnerOptions } from "./module-host.ts";
import { createWorkerLimit } from "./module-limit.ts";

let built: BuiltPackage;
let project: Project;
let runners: ModuleRunner[];

beforeAll(async () => {
  built = await buildPackage();
});
afterAll(() => built.remove());
beforeEach(() => {
  project = temporaryProject();
  runners = [];
});
afterEach(async () => {
  await Promise.all(runners.map((runner) => runner.close()));
  project.remove();
});

function startRunner(more: Partial<ModuleRunnerOptions> = {}): ModuleRunner {
  const runner = createModuleRunner({ ...built, ...more });
  runners.push(runner);
  return runner;
}

/** A hook whose body runs before it blocks with the number of its worker. */
const hookFile = (body: string, name = "hook.js") =>
  project.write(
    name,
    `import { defineHook } from "holdfast";
    import fs from "node:fs"; import net from "node:net"; import { spawn } from "node:child_process";
    import { threadId } from "node:worker_threads";
    export default defineHook({ name: "probe", on: ["pre_tool_use"], async judge(event, context) {
      ${body}
      return { block: String(threadId) };
    } });`,
  );

async function judge(runner: ModuleRunner, file: string, { timeoutMs = 60_000, options = {} as JsonObject } = {}) {
  const verdict = await runner.judge(file, 0, preToolUse("ls"), judgeContext({ options }), timeoutMs);
  return { ...verdict, worker: verdict.opinion.kind === "block" ? verdict.opinion.reason : "" };
}

/** Asked twice, by one worker. What is about to end when a hook has answered may take a busy machine too long. */
async function isKept(ask: () => Promise<{ readonly worker: string }>, next = ask): Promise<boolean> {
  for (let round = 0; round < 30; round++) if ((await ask()).worker === (await next()).worker) return true;
  return false;
}

const HANGS = "for (;;);";
const limit = (maxWorkers: number, maxIdle = maxWorkers, idleMs = 60_000) =>
  createWorkerLimit({ maxWorkers, maxIdle, idleMs });

describe("a worker is kept", () => {
  test("for the next question, also of another file", async () => {
    const runner = startRunner();
    const [file, other] = [hookFile(""), hookFile("", "other.js")];
    expect(await isKept(() => judge(runner, file))).toBe(true);
    const asked = [() => judge(runner, file), () => judge(runner, other)] as const;
    expect(await isKept(...asked)).toBe(true);
  });

  test("also after a hook that awaited files, timers and processes", async () => {
    const runner = startRunner();
    const file = hookFile(`
      await fs.promises.readFile(import.meta.filename ?? "/dev/null");
      await new Promise((done) => setTimeout(done, 5));
      await new Promise((done) => spawn("true").on("close", done));`);
    expect(await isKept(() => judge(runner, file))).toBe(true);
  });

  test.each([
    ["a timer", "setTimeout(() => {}, 60_000);"],
    ["a timer that was unref'd", "setTimeout(() => {}, 60_000).unref();"],
    ["an interval", "setInterval(() => {}, 60_000);"],
    ["a server", "net.createServer().listen(0);"],
    ["a process", `spawn("sleep", ["1"]);`],
    ["a promise that waits for a file", `void fs.promises.watch("/").next();`],
  ])("but not one in which a hook left %s", async (_name, leak) => {
    const runner = startRunner();
    const { worker } = await judge(runner, hookFile(leak, "leaky.js"));
    expect((await judge(runner, hookFile(""))).worker).not.toBe(worker);
  });

  test("but not one in which a module was not loaded: the next question loads it anew", async () => {
    const runner = startRunner();
    const file = project.write("hook.js", "export default {");
    await expect(judge(runner, file)).rejects.toMatchObject({ code: "not-loaded" });
    expect((await judge(runner, hookFile(""))).worker).not.toBe("");
  });

  test("but not one that hung: it ends with its time, and the next question has a fresh one", async () => {
    const runner = startRunner();
    const file = hookFile(`if (context.options.hang) ${HANGS}`);
    const { worker } = await judge(runner, file);
    await expect(judge(runner, file, { timeoutMs: 200, options: { hang: true } })).rejects.toMatchObject({
      code: "timeout",
    });
    expect((await judge(runner, file)).worker).not.toBe(worker);
  });
});

describe("what a hook leaves running", () => {
  test("does not hold up the next question", async () => {
    const runner = startRunner();
    // Not before the hook has answered, however long that takes a busy machine: then it would hold up itself.
    await judge(runner, hookFile(`setTimeout(() => { ${HANGS} }, 1000).unref();`, "leaky.js"));
    await sleep(1100);
    await judge(runner, hookFile(""));
  });

  test("does not print into another's answer", async () => {
    const runner = startRunner();
    // Node does not count this among what is running, so the worker is kept.
    const late = `require("node:crypto").pbkdf2("x", "y", 100_000, 64, "sha512", () => console.log("late"));`;
    const [printing, slow] = [
      hookFile(late, "late.js"),
      hookFile("await new Promise((done) => setTimeout(done, 1500));"),
    ];
    const slowly = async () => {
      const next = await judge(runner, slow);
      expect(next.effects).toBeUndefined();
      return next;
    };
    expect(await isKept(() => judge(runner, printing), slowly)).toBe(true);
  });
});

describe("several questions at once", () => {
  test("one that hangs does not hold up another", async () => {
    const runner = startRunner();
    const file = hookFile(`if (context.options.hang) ${HANGS}`);
    await judge(runner, file);
    const order: string[] = [];
    // Longer than the test may take: another worker has to start meanwhile.
    const hanging = judge(runner, file, { timeoutMs: 60_000, options: { hang: true } }).catch(() => order.push("hung"));
    for (const _ of [1, 2, 3]) await judge(runner, file).then(() => order.push("quick"));
    expect(order).toEqual(["quick", "quick", "quick"]);
    await runner.close();
    await hanging;
  });

  test("one that breaks its worker fails alone", async () => {
    const runner = startRunner();
    const slow = judge(runner, hookFile("await new Promise((done) => setTimeout(done, 800));", "slow.js"));
    const broken = ["process.exit(3);", "setTimeout(() => { throw new Error('x'); }); await new Promise(() => {});"];
    for (const [index, body] of broken.entries()) {
      await expect(judge(runner, hookFile(body, `broken-${index}.js`))).rejects.toMatchObject({ code: "crash" });
    }
    expect((await slow).opinion.kind).toBe("block");
  });

  test("quick ones share a worker", async () => {
    const runner = startRunner();
    const file = hookFile("");
    await judge(runner, file);
    const startedAt = performance.now();
    const workers = await Promise.all(Array.from({ length: 50 }, () => judge(runner, file)));
    // Who is busy for longer than a quick hook takes is helped out by another.
    const mostWorkers = 1 + (performance.now() - startedAt) / 20;
    expect(new Set(workers.map(({ worker }) => worker)).size).toBeLessThanOrEqual(mostWorkers);
  });
});

describe("the workers of a process", () => {
  test("are as many as the limit at most: who comes then waits until one is free", async () => {
    const shared = limit(2);
    const [one, two] = [startRunner({ limit: shared }), startRunner({ limit: shared })];
    const order: string[] = [];
    const hangs = hookFile(HANGS, "hangs.js");
    const hanging = [one, two].map((runner) =>
      judge(runner, hangs, { timeoutMs: 700 }).catch(() => order.push("hung")),
    );
    await sleep(100);
    await judge(one, hookFile("")).then(() => order.push("answered"));
    expect(order[0]).toBe("hung");
    await Promise.all(hanging);
  });

  test("an idle one makes room for another runner's, the least recently used first", async () => {
    const shared = limit(2);
    const [one, two, three] = [1, 2, 3].map(() => startRunner({ limit: shared })) as [
      ModuleRunner,
      ModuleRunner,
      ModuleRunner,
    ];
    const file = hookFile("");
    const first = await judge(one, file);
    const second = await judge(two, file);
    await judge(three, file);
    expect((await judge(two, file)).worker).toBe(second.worker);
    expect((await judge(one, file)).worker).not.toBe(first.worker);
  });

  test("of those that are idle only some are kept", async () => {
    const shared = limit(4, 1);
    const [one, two] = [startRunner({ limit: shared }), startRunner({ limit: shared })];
    const file = hookFile("");
    const first = await judge(one, file);
    const second = await judge(two, file);
    expect((await judge(two, file)).worker).toBe(second.worker);
    expect((await judge(one, file)).worker).not.toBe(first.worker);
  });

  test("end when nobody asks them", async () => {
    const runner = startRunner({ limit: limit(2, 2, 50) });
    const { worker } = await judge(runner, hookFile(""));
    await sleep(200);
    expect((await judge(runner, hookFile(""))).worker).not.toBe(worker);
  });
});

test("a module sees the environment it is given, and what is no option for a worker stops none", async () => {
  const runner = startRunner({ env: { WHOSE: "the caller's", NODE_OPTIONS: "--max-old-space-size=512" } });
  const file = hookFile(
    `return { block: process.env.WHOSE + " " + process.env.NODE_OPTIONS + " " + (process.env.HOME ?? "no home") };`,
  );
  expect((await judge(runner, file)).worker).toBe("the caller's --max-old-space-size=512 no home");
});
