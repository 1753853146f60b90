import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { threadId } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { defineHook } from "../custom/define-hook.ts";
import { type CodeHook, needsRegex } from "./code-hooks.ts";
import { distDir, sceneForEachTest } from "./embedded.fixture.ts";
import { type LoadHooksOptions, loadHooks } from "./load-hooks.ts";

const scene = sceneForEachTest();

function write(path: string, text: string): string {
  const file = join(scene.dir, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const load = (path: string | URL, options: LoadHooksOptions = {}) =>
  loadHooks(path, { env: scene.environment(), distDir, ...options });

async function sessionWith(hooks: readonly CodeHook[]) {
  const tools = { deploy: { kind: "other" } } as const;
  return (await scene.create({ tools, hooks })).session();
}

const call = async (hooks: readonly CodeHook[], input: { [key: string]: string | string[] } = {}) =>
  (await sessionWith(hooks)).callTool({ name: "deploy", input, run: (final) => final });

const audit = () => scene.records("audit");

const NO_DEPLOYS = `import { defineHook } from "holdfast";
import { reason } from "./reason.ts";
type Where = "production" | "staging";
const guarded: Where = "production";
export default defineHook({
  name: "no-deploys",
  on: ["pre_tool_use"],
  when: { tool: "dep*" },
  judge: ({ tool }) => (tool.input.to === guarded ? { block: reason } : undefined),
});
`;

describe("a hook module that the agent loads itself", () => {
  it("is TypeScript without a build, imports other files, and blocks as a hook in code does", async () => {
    write("rules/reason.ts", `export const reason: string = "not on a Friday";\n`);
    const hooks = await load(write("rules/no-deploys.ts", NO_DEPLOYS));
    expect(hooks.map(({ name, file }) => [name, relative(scene.dir, file)])).toEqual([
      ["no-deploys", "rules/no-deploys.ts"],
    ]);
    expect(await call(hooks, { to: "production" })).toMatchObject({
      status: "blocked",
      reason: expect.stringMatching(/^not on a Friday\n/),
    });
    expect(await call(hooks, { to: "staging" })).toMatchObject({ status: "ran" });
    expect(audit()[0].hooks[0]).toMatchObject({ hook: "no-deploys", source: join(scene.dir, "rules/no-deploys.ts") });
  });

  it("runs in the agent's own thread, and starts no worker", async () => {
    const file = write(
      "here.ts",
      `import { defineHook } from "holdfast";
import { threadId } from "node:worker_threads";
export default defineHook({ name: "here", on: ["pre_tool_use"], judge: () => ({ block: \`thread \${threadId}\` }) });
`,
    );
    expect(await call(await load(file))).toMatchObject({
      status: "blocked",
      reason: expect.stringMatching(`^thread ${threadId}\n`),
    });
  });

  it("is also a list, a class, an instance, JavaScript or CommonJS: whatever a config could name", async () => {
    const list = write(
      "list.mts",
      `import { defineHook, PreToolUseHook } from "holdfast";
class Guard extends PreToolUseHook { name = "by-class"; execute() { return { allow: false, error: "class says no" }; } }
const other = defineHook({ name: "defined", on: ["post_tool_use"], judge() {} });
export default [Guard, new Guard(), other];
`,
    );
    const plain = write(
      "plain.cjs",
      `module.exports = require("holdfast").defineHook({ name: "plain", on: ["stop"], judge() {} });\n`,
    );
    const hooks = [...(await load(list)), ...(await load(plain))];
    expect(hooks.map(({ name }) => name)).toEqual(["by-class", "by-class", "defined", "plain"]);
    expect(await call(hooks)).toMatchObject({ status: "blocked", reason: expect.stringContaining("class says no") });
  });

  it("has options of its own: what one hook does to them, another and the agent do not see", async () => {
    const file = write(
      "two.ts",
      `import { defineHook } from "holdfast";
const loosen = defineHook({ name: "a", on: ["pre_tool_use"], judge(_, { options }) { options.deep.open = true; } });
const guard = defineHook({
  name: "b", on: ["pre_tool_use"], judge: (_, { options }) => (options.deep.open ? undefined : { block: "closed" }),
});
export default [loosen, guard];
`,
    );
    const given = { deep: { open: false } };
    const hooks = await load(file, { with: given });
    for (let time = 0; time < 2; time++) expect(await call(hooks)).toMatchObject({ status: "blocked" });
    expect(given).toEqual({ deep: { open: false } });
  });

  it("gets what a config would give it under with:, checked when it is loaded", async () => {
    const file = write(
      "limit.ts",
      `import { defineHook, fields } from "holdfast";
export default defineHook({
  name: "limit",
  on: ["pre_tool_use"],
  options: { branch: fields.text() },
  judge: (_event, { options }) => ({ block: \`only \${options.branch}\` }),
});
`,
    );
    const hooks = await load(file, { with: { branch: "main" } });
    expect(await call(hooks)).toMatchObject({ status: "blocked", reason: expect.stringMatching(/^only main\n/) });
    await expect(load(file, { with: { branch: 5 } })).rejects.toMatchObject({
      code: "HF200",
      message: expect.stringContaining("with.branch of hook limit: "),
      place: { file },
      fix: expect.stringContaining("loadHooks(file, { with: { … } })"),
    });
    await expect(load(file)).rejects.toMatchObject({ code: "HF200" });
  });

  it("has an event of its own: what it does to it changes neither the call nor what others see", async () => {
    const file = write(
      "meddles.ts",
      `import { defineHook } from "holdfast";
export default defineHook({
  name: "meddles",
  on: ["pre_tool_use", "post_tool_use"],
  priority: 1,
  judge(event: any) {
    event.tool.input.to.push("production");
    event.tool.name = "other";
    if (event.response) event.response.to = [];
  },
});
`,
    );
    const seen: unknown[] = [];
    const looks = defineHook({ name: "looks", on: ["pre_tool_use"], judge: ({ tool }) => void seen.push(tool.input) });
    const outcome = await call([...(await load(file)), looks], { to: ["staging"] });
    expect(outcome).toMatchObject({ status: "ran", output: { to: ["staging"] }, input: { to: ["staging"] } });
    expect(seen).toEqual([{ to: ["staging"] }]);
  });

  it("sees all that JSON would tell of a call, whatever its fields are called", async () => {
    const file = write(
      "looks.ts",
      `import { defineHook } from "holdfast";
export default defineHook({ name: "looks", on: ["pre_tool_use"], judge: (event) => ({ block: JSON.stringify(event.tool.input) }) });
`,
    );
    const input = JSON.parse(`{ "__proto__": { "to": "production" }, "list": [1, null, { "x": "y" }] }`);
    input.at = new Date(0);
    const outcome = await (await sessionWith(await load(file))).callTool({ name: "deploy", input, run: () => "" });
    expect(outcome).toMatchObject({ status: "blocked", reason: expect.stringContaining(JSON.stringify(input)) });
    expect(JSON.stringify(input)).toContain(`"__proto__":{"to":"production"}`);
  });

  it("that fails closes a guard's path, and a promise of its is not waited for longer than it says", async () => {
    const throws = write(
      "throws.ts",
      `import { defineHook } from "holdfast";
export default defineHook({ name: "throws", on: ["pre_tool_use"], judge() { throw new Error("out of order"); } });
`,
    );
    const hangs = write(
      "hangs.ts",
      `import { defineHook } from "holdfast";
export default defineHook({ name: "hangs", on: ["pre_tool_use"], timeoutMs: 5, judge: () => new Promise(() => {}) });
`,
    );
    expect(await call(await load(throws))).toMatchObject({
      status: "blocked",
      reason: expect.stringContaining("out of order"),
    });
    expect(await call(await load(hangs))).toMatchObject({
      status: "blocked",
      reason: expect.stringContaining("did not answer within 5 ms"),
    });
  });
});

describe("the file", () => {
  const stops = (name: string) =>
    `import { defineHook } from "holdfast";\nexport default defineHook({ name: "${name}", on: ["stop"], judge() {} });\n`;

  it("is looked for from the working directory, or where a URL says", async () => {
    const file = write("rules/a.ts", stops("a"));
    const options = { env: scene.environment(), distDir };
    expect((await loadHooks(relative(process.cwd(), file), options))[0]?.file).toBe(file);
    expect(
      (await loadHooks(new URL("./rules/a.ts", pathToFileURL(join(scene.dir, "agent.js"))), options))[0]?.file,
    ).toBe(file);
    expect((await loadHooks(pathToFileURL(file).href, options))[0]?.file).toBe(file);
  });

  it("is evaluated once, as with import, however often it is asked for", async () => {
    const file = write("once.ts", `globalThis.timesLoaded = (globalThis.timesLoaded ?? 0) + 1;\n${stops("once")}`);
    await Promise.all([load(file), load(file)]);
    await load(file);
    expect((globalThis as { timesLoaded?: number }).timesLoaded).toBe(1);
  });

  it("is compiled into the state directory, where the compiled files of config modules are", async () => {
    await load(write("kept.ts", stops("kept")));
    expect(existsSync(join(scene.dir, "state/module-cache"))).toBe(true);
  });

  it.each([
    [
      "nothing.ts",
      undefined,
      /there is no hook module \S+nothing\.ts$/,
      /relative one starts from the working directory/,
    ],
    ["syntax.ts", "export default defineHook({\n", /syntax\.ts cannot be loaded: \S+syntax\.ts:2:/, /mend/],
    ["throws.ts", "throw new Error('no database');\n", /throws\.ts cannot be loaded: Error: no database/, /mend/],
    ["import.ts", `import "./missing.ts";\n`, /import\.ts cannot be loaded: .*imports "\.\/missing\.ts"/, /mend/],
    [
      "named.ts",
      "export const hook = 5;\n",
      /named\.ts exports only hook, and no default; a hook module needs/,
      /mend/,
    ],
    ["unwrapped.ts", "export default { name: 'x', on: ['stop'], judge() {} };\n", /not wrapped in defineHook/, /mend/],
    ["empty.ts", "export default [];\n", /empty\.ts exports an empty list/, /mend/],
    [
      "event.ts",
      stops("event").replace("stop", "stopp"),
      /event\.ts cannot be loaded: hook event: on names an unknown event "stopp"; did you mean stop\?/,
      /mend/,
    ],
  ])("%s that cannot be meant is refused by name, with what to do", async (name, text, message, fix) => {
    const file = text === undefined ? join(scene.dir, name) : write(name, text);
    await expect(load(file)).rejects.toMatchObject({
      name: "HoldfastError",
      code: "HF208",
      message: expect.stringMatching(message),
      place: { file },
      fix: expect.stringMatching(fix),
    });
  });

  it("is a file: no other address is fetched", async () => {
    await expect(load(new URL("https://example.com/hook.ts"))).rejects.toMatchObject({
      code: "HF208",
      message: expect.stringContaining("https://example.com/hook.ts names no file"),
    });
  });
});

describe("createHoldfast({ hooks })", () => {
  it("says what to write where a loaded list was not awaited or not spread", async () => {
    const hook = defineHook({ name: "x", on: ["stop"], judge() {} });
    const wrong = (hooks: unknown) => () => needsRegex(hooks as CodeHook[]);
    expect(wrong(Promise.resolve([hook]))).toThrow(/hooks is an instance of Promise; .*\.\.\.\(await loadHooks\(/);
    expect(wrong([hook, Promise.resolve([hook])])).toThrow(/hooks\[1\] is an instance of Promise; .*await loadHooks\(/);
    expect(wrong([[hook]])).toThrow(/hooks\[0\] is a list; .*\.\.\.\(await loadHooks\(/);
    expect(wrong([hook, 5])).toThrow(/createHoldfast\(\{ hooks \}\) \[1\] exports a number/);
  });
});
