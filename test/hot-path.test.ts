import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..");
const { inputs, outputs } = JSON.parse(readFileSync(join(root, "dist/hook.meta.json"), "utf8"));
const [bundle] = Object.values(outputs) as [{ bytes: number; imports: { path: string; kind: string }[] }];

describe("the hot path", () => {
  it("is one file that statically imports nothing but node built-ins", () => {
    const loaded = bundle.imports.filter(({ kind }) => kind !== "dynamic-import").map(({ path }) => path);
    expect(loaded.filter((path) => !builtinModules.includes(path.replace(/^node:/, "")))).toEqual([]);
  });

  it("bundles our own code and unbash, no schema library, no config parser, no database", () => {
    const foreign = Object.keys(inputs).filter((path) => !path.startsWith("src/"));
    expect(new Set(foreign.map((path) => path.replace(/.*node_modules\//, "").split("/")[0]))).toEqual(
      new Set(["unbash"]),
    );
  });

  it("loads nothing heavier than these node modules before it has decided", () => {
    const heavy = [
      "node:http",
      "node:https",
      "node:net",
      "node:tls",
      "node:worker_threads",
      "node:readline",
      "node:inspector",
    ];
    expect(bundle.imports.filter(({ path, kind }) => kind !== "dynamic-import" && heavy.includes(path))).toEqual([]);
  });

  it("stays small: rules and their cases make up most of it; much more than this is a decision, not an accident", () => {
    expect(bundle.bytes).toBeLessThan(640 * 1024);
  });

  it("loads with nothing else from the package beside it", () => {
    const script = `const { main } = require(${JSON.stringify(join(root, "dist/hook.cjs"))}); if (typeof main !== "function") process.exit(1);`;
    expect(() => execFileSync(process.execPath, ["-e", script])).not.toThrow();
  });
});
