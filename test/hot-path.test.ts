import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
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
      "node:child_process",
      "node:http",
      "node:https",
      "node:net",
      "node:tls",
      "node:worker_threads",
      "node:module",
      "node:readline",
      "node:inspector",
    ];
    expect(bundle.imports.filter(({ path, kind }) => kind !== "dynamic-import" && heavy.includes(path))).toEqual([]);
  });

  it("stays small: rules and their cases make up most of it; much more than this is a decision, not an accident", () => {
    expect(bundle.bytes).toBeLessThan(656 * 1024);
  });

  it("is Latin-1 text: a single character beyond that doubles it in every process, and in the image", () => {
    for (const name of ["hook.cjs", "daemon.cjs"]) {
      const wide = readFileSync(join(root, "dist", name), "utf8").match(/.{0,40}[^\0-\xff].{0,20}/u);
      expect(wide?.[0], `${name}: write it as \\u….`).toBeUndefined();
    }
  });

  it("answers the same with the code cache, without it, and with one that is damaged", () => {
    const home = mkdtempSync(join(tmpdir(), "holdfast-cache-"));
    const payload = {
      session_id: "s",
      cwd: home,
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: { command: "rm -rf /" },
    };
    const answers = ["hook.cache", "none", "damaged"].map((name) => {
      const copy = join(home, name);
      cpSync(join(root, "dist"), join(copy, "dist"), { recursive: true });
      cpSync(join(root, "bin"), join(copy, "bin"), { recursive: true });
      if (name === "none") rmSync(join(copy, "dist/hook.cache"));
      if (name === "damaged") writeFileSync(join(copy, "dist/hook.cache"), "not machine code");
      cpSync(join(root, "package.json"), join(copy, "package.json"));
      symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
      const env = {
        PATH: process.env.PATH,
        HOME: home,
        HOLDFAST_STATE_DIR: join(copy, "state"),
        HOLDFAST_CONFIG_DIR: home,
      };
      return execFileSync(process.execPath, [join(copy, "bin/holdfast"), "hook", "--host", "claude-code"], {
        cwd: home,
        env,
        input: JSON.stringify(payload),
        encoding: "utf8",
      });
    });
    rmSync(home, { recursive: true, force: true });
    expect(answers[0]).toContain('"deny"');
    expect(new Set(answers).size).toBe(1);
  });
});
