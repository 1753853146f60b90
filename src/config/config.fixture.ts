/** A scratch machine for tests of config: a project, a user directory, a managed directory, a state directory. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { RE2JS } from "re2js";
import { list, text } from "../core/fields.ts";
import type { Tunable } from "../core/tunable.ts";
import { type Compiled, type CompileInput, compilePlan } from "./compile.ts";
import type { GuardSetting } from "./guards.ts";
import { placesOf } from "./places.ts";
import type { PlanHook } from "./plan.ts";

export const CATALOGUE: readonly Tunable[] = [
  {
    name: "paths",
    doc: "a guard",
    guards: true,
    options: { write: list(text(), "globs"), level: text("a level") },
    defaults: { write: [], level: "high" },
  },
  {
    name: "workflow",
    doc: "another guard",
    guards: true,
    options: { test_patterns: list(text(), "patterns"), rules: list(text(), "rules") },
    defaults: { test_patterns: ["test"], rules: [] },
    replaceable: ["test_patterns"],
  },
];

export interface ScratchMachine {
  readonly dir: string;
  readonly project: string;
  readonly env: Record<string, string>;
  write(path: string, content: string): string;
  compile(changes?: Partial<CompileInput>): Promise<Compiled>;
  remove(): void;
}

export function scratchMachine(): ScratchMachine {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-config-"));
  const project = join(dir, "work", "project");
  mkdirSync(project, { recursive: true });
  mkdirSync(join(dir, "managed"));
  const env: Record<string, string> = {
    HOME: join(dir, "home"),
    PATH: process.env.PATH ?? "",
    HOLDFAST_CONFIG_DIR: join(dir, "user"),
    HOLDFAST_STATE_DIR: join(dir, "state"),
    HOLDFAST_MANAGED_DIR: join(dir, "managed"),
  };
  return {
    dir,
    project,
    env,
    write(path, content) {
      const file = join(dir, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      return file;
    },
    compile: (changes = {}) =>
      compilePlan({
        cwd: project,
        env,
        places: placesOf(env),
        catalogue: CATALOGUE,
        version: "test",
        builtins: (settings) => settings.filter(({ enabled }) => enabled).map(builtin),
        builtin,
        regex: () => ({
          compile: (source) => {
            const compiled = RE2JS.compile(source);
            return { test: (value) => compiled.matcher(value).find() };
          },
        }),
        describeModule: async () => [{ name: "described", on: ["pre_tool_use"] }],
        ...changes,
      }),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

const builtin = ({ entry, mode, options }: GuardSetting): PlanHook => ({
  name: entry.name,
  source: "builtin",
  layer: "builtin",
  priority: 0,
  on: ["pre_tool_use"],
  onError: "block",
  ...(mode === "observe" ? { mode } : {}),
  timeoutMs: 1000,
  run: { type: "builtin", name: entry.name, options },
  trust: "not-needed",
});
