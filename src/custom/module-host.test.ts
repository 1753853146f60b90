import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { HookFailure } from "../core/failure.ts";
import type { JudgeContext } from "../core/hook.ts";
import type { Verdict } from "../core/verdict.ts";
import {
  type BuiltPackage,
  buildPackage,
  judgeContext,
  type Project,
  preToolUse,
  temporaryProject,
} from "./module.fixture.ts";
import { createModuleRunner, type ModuleRunner, type ModuleRunnerOptions } from "./module-host.ts";

let built: BuiltPackage;
let project: Project;
let runner: ModuleRunner;
let lateFailures: HookFailure[];

beforeAll(async () => {
  built = await buildPackage();
  runner = startRunner();
});
afterAll(async () => {
  await runner.close();
  built.remove();
});
beforeEach(() => {
  project = temporaryProject();
  lateFailures = [];
});
afterEach(() => project.remove());

const startRunner = (more: Partial<ModuleRunnerOptions> = {}) =>
  createModuleRunner({ ...built, onLateFailure: (failure) => lateFailures.push(failure), ...more });

/** A hook file whose judge has this body. */
const hookFile = (body: string, path = "hook.js", top = "") =>
  project.write(
    path,
    `import { defineHook } from "holdfast";\n${top}\nexport default defineHook({ name: "probe", on: ["pre_tool_use"], async judge(event, context) { ${body} } });\n`,
  );

const judge = (
  file: string,
  timeoutMs = 60_000,
  context: JudgeContext = judgeContext(),
  command = "ls",
): Promise<Verdict> => runner.judge(file, 0, preToolUse(command), context, timeoutMs);

const failureOf = async (judged: Promise<unknown>): Promise<HookFailure> => {
  const error = await judged.then(
    (value) => new Error(`it answered ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (error instanceof HookFailure) return error;
  throw error;
};

const works = async (file = hookFile(`return { block: "fine" };`, "fine.js")) =>
  expect((await judge(file)).opinion).toEqual({ kind: "block", reason: "fine" });

describe("a module hook needs no build and no installation", () => {
  test("a .ts file with types, a relative import, options and the time of the event", async () => {
    project.write(
      "hooks/calendar.ts",
      `export enum Day { Friday = 5 }
       export const isFriday = (now: Date, zone: string): boolean => zone !== "" && now.getUTCDay() === Day.Friday;`,
    );
    const file = project.write(
      "hooks/no-friday-deploys.ts",
      `import { defineHook, fields } from "holdfast";
       import { isFriday } from "./calendar.ts";
       import type { Json } from "holdfast";

       const reason: Json = "No deploys on Friday.";
       export default defineHook({
         name: "no-friday-deploys",
         on: ["pre_tool_use"],
         when: { kind: "shell", command: "deploy*" },
         onError: "block",
         timeoutMs: 1500,
         priority: 7,
         options: { zone: fields.text("the zone Friday is in") },
         judge(event, { now, options }) {
           if (!event.tool.command.startsWith("deploy") || !isFriday(now, options.zone)) return;
           return { block: reason as string, rule: "friday" };
         },
       });`,
    );
    expect(existsSync(join(project.dir, "node_modules"))).toBe(false);
    expect(await runner.describe(file)).toEqual([
      {
        name: "no-friday-deploys",
        on: ["pre_tool_use"],
        when: { kinds: ["shell"], command: "deploy*" },
        onError: "block",
        timeoutMs: 1500,
        priority: 7,
        options: { zone: { spec: { type: "string" }, doc: "the zone Friday is in", optional: false } },
      },
    ]);
    const friday = judgeContext({ options: { zone: "Europe/Berlin" } });
    expect(await judge(file, 60_000, friday, "deploy prod")).toEqual({
      opinion: { kind: "block", reason: "No deploys on Friday.", rule: "friday" },
    });
    const thursday = { ...friday, now: new Date("2026-11-12T16:00:00Z") };
    expect(await judge(file, 60_000, thursday, "deploy prod")).toEqual({ opinion: { kind: "none" } });
    expect(await failureOf(judge(file, 60_000, judgeContext(), "deploy prod"))).toMatchObject({ code: "not-loaded" });
  });

  test.each(["ts", "mts", "js", "mjs"])("a .%s file", async (extension) => {
    await works(hookFile(`return { block: "fine" };`, `hook.${extension}`));
  });

  test("a CommonJS file, with a CommonJS and a JSON file beside it", async () => {
    project.write("reasons.json", `{ "fine": "fine" }`);
    project.write("words.cjs", `module.exports = { reason: require("./reasons.json").fine };`);
    await works(
      project.write(
        "hook.js",
        `const { defineHook } = require("holdfast");
         const { reason } = require("./words.cjs");
         module.exports = defineHook({ name: "a", on: ["pre_tool_use"], judge: () => ({ block: reason }) });`,
      ),
    );
  });

  test("top-level await, a computed import, a directory and a file without its extension", async () => {
    project.write("reasons/index.ts", `export default "fi";`);
    project.write("end.mjs", `export const end = await Promise.resolve("ne");`);
    project.write("data.json", `{ "mark": "" }`);
    const top = `import reason from "./reasons";
      import data from "./data.json" with { type: "json" };
      import { readFileSync } from "node:fs";
      const { end } = await import("./" + ["e", "nd"].join("") + ".mjs");
      const here = readFileSync(import.meta.filename, "utf8").length > 0 ? "" : "?";`;
    await works(hookFile(`return { block: reason + end + data.mark + here };`, "hook.ts", top));
  });

  test("modules that import each other", async () => {
    project.write("a.ts", `import { b } from "./b.ts"; export const a = () => "fi" + b(); export const half = "ne";`);
    project.write("b.ts", `import { half } from "./a.ts"; export const b = () => half;`);
    const top = `import { a } from "./a.ts"; import { b } from "./b.ts";`;
    await works(hookFile(`return { block: a() };`, "hook.ts", top));
  });

  test("a package of the project's own", async () => {
    project.write(
      "node_modules/reasons/package.json",
      `{ "name": "reasons", "type": "module", "exports": "./main.js" }`,
    );
    project.write("node_modules/reasons/main.js", `export const reason = "fine";`);
    await works(hookFile(`return { block: reason };`, "hook.ts", `import { reason } from "reasons";`));
  });

  test("a class, an instance and a defined hook in one list", async () => {
    const file = project.write(
      "hooks.ts",
      `import { defineHook, PreToolUseHook, type HookContext } from "holdfast";
       class Guard extends PreToolUseHook {
         readonly name = "guard";
         constructor(private readonly word = "class") { super(); }
         async execute(ctx: HookContext<"pre_tool_use">) {
           return { allow: false, error: this.word + " " + ctx.toolName, sideEffects: ["looked"] };
         }
       }
       export default [Guard, new Guard("instance"), defineHook({ name: "d", on: ["stop"], judge() {} })];`,
    );
    const described = await runner.describe(file);
    expect(described.map(({ name, on, priority }) => ({ name, on, priority }))).toEqual([
      { name: "guard", on: ["pre_tool_use"], priority: 50 },
      { name: "guard", on: ["pre_tool_use"], priority: 50 },
      { name: "d", on: ["stop"], priority: undefined },
    ]);
    const verdict = await runner.judge(file, 1, preToolUse("ls"), judgeContext(), 60_000);
    expect(verdict).toEqual({
      opinion: { kind: "block", reason: "instance Bash" },
      effects: [{ type: "note", data: "looked" }],
    });
  });

  test("nothing is written into the project; a cache directory is used where one is given", async () => {
    const file = hookFile(`return { block: "fine" };`, "hook.ts");
    await works(file);
    expect(readdirSync(project.dir)).toEqual(["hook.ts"]);
    const cache = temporaryProject();
    for (const _ of [1, 2]) {
      const caching = startRunner({ cacheDir: cache.dir });
      await caching.describe(file);
      await caching.close();
    }
    expect(readdirSync(cache.dir)).toHaveLength(1);
    expect(readdirSync(project.dir)).toEqual(["hook.ts"]);
    cache.remove();
  });

  test("judged twice, it gives the same answer, and is loaded once", async () => {
    const file = hookFile(
      `return { block: "load " + globalThis.loads, context: ["x"] };`,
      "hook.ts",
      "globalThis.loads = (globalThis.loads ?? 0) + 1;",
    );
    const first = await judge(file);
    expect(first.opinion).toEqual({ kind: "block", reason: "load 1" });
    expect(await judge(file)).toEqual(first);
  });

  test("files loaded by one worker share it", async () => {
    const one = hookFile(`globalThis.seen = "by one"; return;`, "one.js");
    const two = hookFile(`return { block: globalThis.seen };`, "two.js");
    await judge(one);
    expect((await judge(two)).opinion).toEqual({ kind: "block", reason: "by one" });
  });
});

describe("a module that cannot be loaded says why", () => {
  test.each([
    ["a missing file", "", "missing", "there is no file"],
    ["a syntax error", `export default {`, "not-loaded", /hook\.ts:1:\d+: Unexpected token/],
    ["a missing import", `import "./nope.ts";`, "not-loaded", `imports "./nope.ts", which cannot be found`],
    ["an import from the net", `import "https://x.test/a.js";`, "not-loaded", "only files, packages and node:"],
    [
      "an error while loading",
      `const x = undefined;\nx.y;\nexport default 1;`,
      "not-loaded",
      /TypeError.*\n.*hook\.ts:2/,
    ],
    [
      "a file it reads while loading",
      `import { readFileSync } from "node:fs";\nreadFileSync("/no/such/file");`,
      "not-loaded",
      "no such file or directory, open '/no/such/file'",
    ],
    ["no default export", `export const hook = 1;`, "not-loaded", "exports only hook, and no default"],
    [
      "a wrong declaration",
      `import { defineHook } from "holdfast"; export default defineHook({ name: "x", on: ["stopp"], judge() {} } as never);`,
      "not-loaded",
      "did you mean stop?",
    ],
  ])("%s", async (_name, text, code, message) => {
    const file = text === "" ? join(project.dir, "hook.ts") : project.write("hook.ts", text);
    const failure = await failureOf(runner.describe(file));
    expect(failure.code).toBe(code);
    expect(failure.message).toMatch(message);
    expect(await failureOf(judge(file))).toMatchObject({ code, message: failure.message });
  });
});

describe("a module that misbehaves is a failure of its hook and nothing more", () => {
  test("an endless loop ends with its time, and the next call works", async () => {
    const failure = await failureOf(judge(hookFile(`console.log("in the loop"); for (;;);`), 2_000));
    expect(failure).toMatchObject({
      code: "timeout",
      message: "did not answer within 2000 ms\n  it printed: in the loop",
    });
    await works();
  });

  test("an endless loop while loading", async () => {
    const impatient = startRunner({ loadTimeoutMs: 1000 });
    const described = failureOf(impatient.describe(hookFile("return;", "hook.ts", "for (;;);")));
    expect(await described).toMatchObject({ code: "timeout", message: "was not loaded within 1000 ms" });
    await impatient.close();
  });

  test("a promise that never settles", async () => {
    expect(await failureOf(judge(hookFile("await new Promise(() => {});"), 300))).toMatchObject({ code: "timeout" });
    await works();
  });

  test("an abort ends it, while it runs and while it waits its turn", async () => {
    const file = hookFile("for (;;);");
    const controller = new AbortController();
    const runs = failureOf(judge(file, 10_000, judgeContext({ signal: controller.signal })));
    const waits = failureOf(judge(file, 10_000, judgeContext({ signal: controller.signal })));
    const patient = works();
    setTimeout(() => controller.abort(), 200);
    expect(await runs).toMatchObject({ code: "timeout", message: "nobody waits for its answer any more" });
    expect(await waits).toMatchObject({ code: "timeout", message: "nobody waits for its answer any more" });
    await patient;
    const over = judgeContext({ signal: AbortSignal.abort() });
    expect(await failureOf(judge(file, 10_000, over))).toMatchObject({ code: "timeout" });
  });

  test.each([0, 3])("process.exit(%i) ends the worker, not us", async (code) => {
    const failure = await failureOf(judge(hookFile(`console.log("bye"); process.exit(${code});`)));
    expect(failure).toMatchObject({ code: "crash", message: `ended the process (exit ${code})\n  it printed: bye` });
    await works();
  });

  test("a throw names the place in the author's file", async () => {
    const failure = await failureOf(judge(hookFile(`\n\nthrow new TypeError("broken");`)));
    expect(failure.code).toBe("crash");
    expect(failure.message).toMatch(/^TypeError: broken\n {2}at .*hook\.js:5/);
    expect(failure.message).not.toContain("worker.mjs");
    await works();
  });

  test("a throw of something that is no error", async () => {
    expect(await failureOf(judge(hookFile(`throw "tea";`)))).toMatchObject({ code: "crash", message: "threw tea" });
  });

  test.each([
    ["a rejection that nobody handles", `Promise.reject(new Error("late"))`],
    ["an exception in a timer", `setTimeout(() => { throw new Error("late"); }, 10)`],
  ])("%s, before the answer", async (_name, code) => {
    const failure = await failureOf(judge(hookFile(`${code}; await new Promise((done) => setTimeout(done, 2000));`)));
    expect(failure.code).toBe("crash");
    expect(failure.message).toMatch(/^Error: late\n {2}at .*hook\.js:3/);
    await works();
  });

  // Node does not count this among what is running: it is left out of the worker's sight.
  const unseen = (code: string) =>
    `require("node:crypto").pbkdf2("x", "y", 100_000, 64, "sha512", () => { ${code} }); return { block: "fine" };`;

  test("a failure after the answer is reported, and the next call works", async () => {
    const file = hookFile(unseen(`throw new Error("too late");`));
    for (const times of [1, 2]) {
      await works(file);
      await expect.poll(() => lateFailures).toHaveLength(times);
    }
    expect(lateFailures[0]).toMatchObject({ code: "crash", message: expect.stringMatching(/^Error: too late/) });
  });

  test("what one hook left behind is not held against the next", async () => {
    const leaky = hookFile(unseen(`throw new Error("left behind");`), "leaky.js");
    const exiting = hookFile(unseen("process.exit(0);"), "exiting.js");
    const slow = hookFile(`await new Promise((done) => setTimeout(done, 1500)); return { block: "fine" };`, "slow.js");
    for (const culprit of [leaky, exiting]) {
      await works(culprit);
      await works(slow);
    }
    await expect
      .poll(() => lateFailures.map(({ message }) => message))
      .toEqual([expect.stringMatching(/^Error: left behind/), "ended the process (exit 0)"]);
  });

  test("leaked timers and open handles do not keep anything waiting", async () => {
    const file = hookFile(
      `setInterval(() => {}, 10); require("node:net").createServer().listen(0); return { block: "fine" };`,
    );
    await works(file);
    await works(file);
  });

  test.each([
    ["a function", "return () => {};", "returned a function"],
    ["a number", "return 5;", "returned a number"],
    ["null", "return null;", "returned null"],
    ["an unknown key", "return { blok: 'x' };", "did you mean block?"],
    ["another event's answer", "return { continue: 'x' };", "answered continue to pre_tool_use"],
    ["a function inside", "return { rewrite: { command() {} } };", "answered rewrite.command with a function"],
  ])("an answer that is %s", async (_name, body, message) => {
    const failure = await failureOf(judge(hookFile(body)));
    expect(failure.code).toBe("invalid-answer");
    expect(failure.message).toContain(message);
  });

  test("an answer that is undefined is no opinion", async () => {
    expect(await judge(hookFile("return undefined;"))).toEqual({ opinion: { kind: "none" } });
  });

  test("messages of its own to the parent are not answers", async () => {
    const top = `import { parentPort } from "node:worker_threads";`;
    const body = `for (const m of [null, 5, "x", {}, { id: 1 }, { id: 1, type: "zzz" }]) parentPort.postMessage(m); return { block: "fine" };`;
    await works(hookFile(body, "hook.js", top));
  });

  test("an index that the module does not have", async () => {
    const file = hookFile("return;");
    const failure = await failureOf(runner.judge(file, 3, preToolUse("ls"), judgeContext(), 60_000));
    expect(failure).toMatchObject({ code: "not-loaded", message: `${file} has 1 hook(s), none at 3` });
  });

  test("many calls at once are answered one by one, each with its own answer", async () => {
    const file = hookFile(`await null; return { block: event.tool.command };`);
    const commands = Array.from({ length: 30 }, (_, index) => `command ${index}`);
    const verdicts = await Promise.all(commands.map((command) => judge(file, 60_000, judgeContext(), command)));
    expect(verdicts.map(({ opinion }) => opinion)).toEqual(commands.map((reason) => ({ kind: "block", reason })));
  });

  test("a closed runner refuses", async () => {
    const file = hookFile("return;", "hook.js", "await new Promise(() => {});");
    const closing = startRunner();
    const pending = failureOf(closing.describe(file));
    await closing.close();
    expect(await pending).toMatchObject({ code: "crash", message: "the module runner was closed" });
    expect(await failureOf(closing.describe(file))).toMatchObject({ message: "the module runner was closed" });
  });
});

describe("what a module prints", () => {
  test("becomes a notice with the answer", async () => {
    const body = `console.log("one"); console.error("two"); process.stdout.write("three\\n"); return { block: "fine" };`;
    expect(await judge(hookFile(body))).toEqual({
      opinion: { kind: "block", reason: "fine" },
      effects: [
        {
          type: "notice",
          notice: {
            event_name: "pre_tool_use",
            message: "hook probe printed: one\ntwo\nthree",
            is_error: false,
            code: "printed",
            hook: "probe",
          },
        },
      ],
    });
  });

  test("while loading is not part of any answer, so that the first is like the second", async () => {
    const file = hookFile(`return { block: "fine" };`, "hook.ts", `console.log("loading");`);
    expect(await judge(file)).toEqual({ opinion: { kind: "block", reason: "fine" } });
    const broken = project.write("broken.ts", `console.log("so far"); throw new Error("no");`);
    expect((await failureOf(judge(broken))).message).toContain("it printed: so far");
  });

  test("without end is cut", async () => {
    const verdict = await judge(hookFile(`for (let i = 0; i < 1e5; i++) console.log("x".repeat(100)); return;`));
    const [effect] = verdict.effects ?? [];
    expect(effect?.type === "notice" && effect.notice.message.length).toBeLessThan(500);
  });

  const inOwnProcess = (file: string, timeoutMs = 60_000) => {
    const script = `
      import { createModuleRunner } from ${JSON.stringify(built.hostFile)};
      const runner = createModuleRunner(${JSON.stringify(built)});
      const context = { now: new Date(0), options: {}, signal: new AbortController().signal };
      const judged = runner.judge(${JSON.stringify(file)}, 0, ${JSON.stringify(preToolUse("ls"))}, context, ${timeoutMs});
      const answer = await judged.then(({ opinion }) => opinion, ({ code, message }) => ({ code, message }));
      process.stdout.write(JSON.stringify(answer));`;
    const { stdout, stderr, status } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      encoding: "utf8",
      timeout: 90_000,
    });
    return { stdout, stderr, status };
  };

  test("never reaches our own stdout, whichever way it goes; and an idle worker does not keep the process", () => {
    const top = `
      import fs, { writeSync, writeFileSync } from "node:fs";
      import { execSync, spawn, spawnSync, fork } from "node:child_process";
      import { createRequire } from "node:module";
      console.log("stray 0");`;
    const body = `
      console.log("stray 1"); console.error("stray 2"); process.stdout.write("stray 3");
      writeSync(1, "stray 4"); fs.writeSync(1, Buffer.from("stray 5")); writeFileSync(1, "stray 6");
      writeFileSync("/dev/stdout", "stray 7");
      await new Promise((done) => fs.write(1, "stray 8", done));
      await new Promise((done) => fs.createWriteStream(null, { fd: 1, autoClose: false }).write("stray 9", done));
      createRequire(import.meta.url)("fs").writeSync(1, "stray 10");
      execSync("echo stray 11", { stdio: "inherit" }); execSync("echo stray 12 >&2");
      spawnSync("echo", ["stray 13"], { stdio: ["ignore", 1, 1] });
      const child = spawn("echo", ["stray 14"], { stdio: "inherit" });
      await new Promise((done) => child.on("exit", done));
      const forked = fork(${JSON.stringify("/dev/null")}); await new Promise((done) => forked.on("exit", done));
      const piped = execSync("echo through").toString().trim();
      setInterval(() => console.log("stray 15"), 1);
      return { block: piped };`;
    const { stdout, stderr, status } = inOwnProcess(hookFile(body, "hook.js", top));
    expect({ stdout, stderr, status }).toEqual({
      stdout: JSON.stringify({ kind: "block", reason: "through" }),
      stderr: "",
      status: 0,
    });
  });

  test("process.exit in a module does not end our process", () => {
    const { stdout, status } = inOwnProcess(hookFile("process.exit(7);"));
    expect({ stdout: JSON.parse(stdout), status }).toEqual({
      stdout: { code: "crash", message: "ended the process (exit 7)" },
      status: 0,
    });
  });

  test("what our own thread takes meanwhile is not held against a hook", async () => {
    const asked = judge(hookFile("await new Promise((done) => setTimeout(done, 400));"));
    const mine = Array.from({ length: 8 }, () => Buffer.alloc(5e7, 1));
    expect(await asked).toEqual({ opinion: { kind: "none" } });
    expect(mine).toHaveLength(8);
  });

  test.each([
    ["a map", "const all = new Map(); for (let i = 0; ; i++) all.set(i, { i });"],
    ["lists", "let all = [1]; for (;;) all = [...all, ...all];"],
    ["buffers", "const all = []; for (;;) all.push(Buffer.alloc(5e7, 1));"],
  ])("a module that takes all memory in %s fails, our process lives", (_name, body) => {
    const { stdout, status } = inOwnProcess(hookFile(body), 60_000);
    expect({ stdout: stdout && JSON.parse(stdout), status }).toEqual({
      stdout: { code: "crash", message: "used more than 256 MB of memory" },
      status: 0,
    });
  });
});
