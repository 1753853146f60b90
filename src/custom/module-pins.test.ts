import { createHash } from "node:crypto";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type BuiltPackage,
  buildPackage,
  judgeContext,
  type Project,
  preToolUse,
  temporaryProject,
} from "./module.fixture.ts";
import { createModuleRunner, type ModuleRunner } from "./module-host.ts";
import type { Pins } from "./module-pins.ts";

let built: BuiltPackage;
let runner: ModuleRunner;
let project: Project;

beforeAll(async () => {
  built = await buildPackage();
  runner = createModuleRunner(built);
});
afterAll(async () => {
  await runner.close();
  built.remove();
});
beforeEach(() => {
  project = temporaryProject();
});
afterEach(() => project.remove());

const pinsOf = (...files: string[]): Pins =>
  Object.fromEntries(files.map((file) => [file, createHash("sha256").update(readFileSync(file)).digest("hex")]));

const hookFile = (top: string, body: string, path = "hook.ts") =>
  project.write(
    path,
    `import { defineHook } from "holdfast";\nimport fs from "node:fs";\n${top}\nexport default defineHook({ name: "probe", on: ["pre_tool_use"], async judge() { ${body} } });\n`,
  );

const judge = async (file: string, pins: Pins | null): Promise<string> =>
  runner.judge(file, 0, preToolUse("ls"), judgeContext(), 60_000, pins).then(
    ({ opinion }) => (opinion.kind === "block" ? `answered ${opinion.reason}` : opinion.kind),
    ({ code, message }: { code: string; message: string }) => `${code}: ${message}`,
  );

const untrusted = (path: string) => `untrusted: ${join(project.dir, path)} is not among the files that were trusted`;

describe("with pins only what a person trusted is loaded", () => {
  test("the file itself, while it is the content that was trusted", async () => {
    const file = hookFile("", `return { block: "one" };`);
    const pins = pinsOf(file);
    expect(await judge(file, {})).toContain(untrusted("hook.ts"));
    expect(await judge(file, pins)).toBe("answered one");
    hookFile("", `return { block: "two" };`);
    expect(await judge(file, pins)).toBe("answered one");
    const fresh = createModuleRunner({ ...built, allowedFiles: new Map(Object.entries(pins)) });
    await expect(fresh.describe(file)).rejects.toMatchObject({
      code: "untrusted",
      message: `${file} has changed since it was trusted; a person can look at it and run: holdfast trust`,
    });
    await fresh.close();
    expect(await judge(file, pinsOf(file))).toBe("answered two");
  });

  test("what it imports, however many files away", async () => {
    const c = project.write("c.js", `module.exports = { word: "deep" };`);
    const b = project.write("b.mjs", `export { word } from "./c.js";`);
    const a = project.write("a.ts", `import { word } from "./b.mjs"; export const said: string = word;`);
    const file = hookFile(`import { said } from "./a.ts";`, "return { block: said };");
    expect(await judge(file, pinsOf(file, a, b))).toContain(untrusted("c.js"));
    expect(await judge(file, pinsOf(file, a))).toContain(untrusted("b.mjs"));
    expect(await judge(file, pinsOf(file, a, b, c))).toBe("answered deep");
  });

  const ways: readonly (readonly [name: string, path: string, top: string, expression: string])[] = [
    ["import … from", "lib.ts", `import { word } from "./lib.ts";`, "word"],
    ["import … from a .mjs file", "lib.mjs", `import { word } from "./lib.mjs";`, "word"],
    ["export … from", "lib.js", `export { word } from "./lib.js"; import * as all from "./lib.js";`, "all.word"],
    ["a computed import while loading", "lib.ts", `const { word } = await import("./" + "lib" + ".ts");`, "word"],
    ["a computed import while judging", "lib.mjs", "", `(await import(["./lib", "mjs"].join("."))).word`],
    ["an import by URL", "lib.mjs", "", `(await import(new URL("./lib.mjs", import.meta.url).href)).word`],
    ["an import by absolute path", "lib.ts", "", "(await import(import.meta.dirname + '/lib.ts')).word"],
    ["require of CommonJS", "lib.cjs", `const { word } = require("./lib.cjs");`, "word"],
    [
      "a require made by hand",
      "lib.cjs",
      `import { createRequire } from "node:module";`,
      `createRequire(import.meta.url)("./lib.cjs").word`,
    ],
    ["import of JSON", "lib.json", `import data from "./lib.json";`, "data.word"],
    ["require of JSON", "lib.json", `const data = require("./lib.json");`, "data.word"],
    [
      "JSON by a require made by hand",
      "lib.json",
      `import m from "node:module";`,
      `m.createRequire(import.meta.url)("./lib.json").word`,
    ],
    ["a package", "node_modules/lib/index.mjs", `import { word } from "lib";`, "word"],
    ["a package that jiti would load natively", "node_modules/jiti/index.mjs", `import { word } from "jiti";`, "word"],
    ["a file without its extension", "lib.ts", `import { word } from "./lib";`, "word"],
    ["a .js name for a .ts file", "lib.ts", `import { word } from "./lib.js";`, "word"],
  ];

  test.each(ways)("by %s", async (_name, path, top, expression) => {
    const text = path.endsWith("json")
      ? `{ "word": "loaded" }`
      : path.endsWith("cjs")
        ? `globalThis.ran = true; exports.word = "loaded";`
        : `globalThis.ran = true; export const word = "loaded";`;
    const library = project.write(path, text);
    if (path.startsWith("node_modules")) {
      const name = path.split("/")[1];
      project.write(`node_modules/${name}/package.json`, JSON.stringify({ name, exports: "./index.mjs" }));
    }
    const file = hookFile(
      `globalThis.ran = false;\n${top}`,
      `try { return { block: ${expression} }; } catch (e) { if (globalThis.ran) return { block: "it ran" }; throw e; }`,
    );
    expect(await judge(file, pinsOf(file))).toContain(untrusted(path));
    expect(await judge(file, pinsOf(file, library))).toBe("answered loaded");
    expect(await judge(file, null)).toBe("answered loaded");
  });

  test.each([
    ["a data: URL", `await import("data:text/javascript,export const word = 'x'")`],
    ["an import in code made of text", `await new Function("return import('./lib.mjs')")()`],
    ["an import in evaluated text", `await (0, eval)("import('./lib.mjs')")`],
  ])("%s is refused", async (_name, code) => {
    project.write("lib.mjs", `export const word = "loaded";`);
    const file = hookFile("", `const { word } = ${code}; return { block: "loaded " + word };`);
    expect(await judge(file, pinsOf(file))).not.toContain("answered");
  });

  test("built-ins, with and without node:, and holdfast need no pin", async () => {
    const file = hookFile(
      `import path, { join } from "path"; import { readFile } from "node:fs/promises"; import * as holdfast from "holdfast";
       const os = require("os"); const { decide } = require("holdfast");`,
      `return { block: [join("a", "b"), typeof path.join, typeof readFile, typeof os.tmpdir, typeof decide, typeof holdfast.HookRegistry].join(" ") };`,
    );
    expect(await judge(file, pinsOf(file))).toBe("answered a/b function function function function function");
  });

  test("what was loaded unchecked does not stand in for what must be checked", async () => {
    project.write("lib.ts", `export const word = "unchecked";`);
    const file = hookFile(`import { word } from "./lib.ts";`, "return { block: word };");
    expect(await judge(file, null)).toBe("answered unchecked");
    expect(await judge(file, pinsOf(file))).toContain(untrusted("lib.ts"));
  });

  test("a project reached through a link is the project", async () => {
    const library = project.write("real/lib.ts", `export const word = "linked";`);
    const file = hookFile(`import { word } from "./lib.ts";`, "return { block: word };", "real/hook.ts");
    symlinkSync(join(project.dir, "real"), join(project.dir, "link"));
    const linked = (path: string) => path.replace("/real/", "/link/");
    expect(await judge(linked(file), pinsOf(linked(file), linked(library)))).toBe("answered linked");
    expect(await judge(linked(file), pinsOf(file, library))).toBe("answered linked");
  });

  test("a caught refusal does not open the door", async () => {
    project.write("lib.ts", `globalThis.ran = "yes"; export const word = "x";`);
    const file = hookFile(
      "globalThis.ran = 'no';",
      `for (const _ of [1, 2]) await import("./lib.ts").catch(() => {}); return { block: globalThis.ran };`,
    );
    expect(await judge(file, pinsOf(file))).toBe("answered no");
  });
});
