import { readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";

/** Who may import whom, and which packages. Anything else is a design change: change the design first. */
const LAYERS: Record<string, { folders: readonly string[]; packages: readonly string[]; node: boolean }> = {
  core: { folders: [], packages: [], node: false },
  shell: { folders: ["core"], packages: ["unbash"], node: false },
  hooks: { folders: ["core", "shell"], packages: ["unbash"], node: false },
  process: { folders: [], packages: [], node: true },
  files: { folders: [], packages: [], node: true },
  custom: { folders: ["core", "process"], packages: ["jiti"], node: true },
  hosts: { folders: ["core"], packages: ["jsonc-parser", "smol-toml"], node: true },
  records: { folders: ["core", "files", "process"], packages: [], node: true },
  sources: { folders: ["core"], packages: ["jsonc-parser", "smol-toml", "yaml"], node: true },
  config: {
    folders: ["core", "files", "sources"],
    packages: ["zod", "yaml", "smol-toml", "jsonc-parser", "unbash"],
    node: true,
  },
  workflow: { folders: ["core", "files"], packages: ["smol-toml"], node: true },
  knowledge: { folders: ["core", "files", "process"], packages: ["libsql", "yaml", "zod"], node: true },
  approvals: { folders: ["core"], packages: [], node: true },
  stores: { folders: ["core", "files", "approvals", "runs"], packages: ["kysely", "libsql", "pg"], node: true },
  channels: { folders: ["core", "files", "approvals"], packages: [], node: true },
  runs: { folders: ["core", "files", "process", "sources"], packages: ["jiti", "zod"], node: true },
  proof: { folders: ["core", "files", "hosts"], packages: [], node: true },
  engine: {
    folders: [
      "core",
      "files",
      "shell",
      "hooks",
      "custom",
      "hosts",
      "records",
      "sources",
      "config",
      "workflow",
      "knowledge",
      "approvals",
      "stores",
    ],
    packages: ["re2js"],
    node: true,
  },
  embed: {
    folders: ["core", "hooks", "custom", "hosts", "records", "config", "approvals", "engine"],
    packages: [],
    node: true,
  },
  bindings: { folders: ["core", "embed", "hosts"], packages: ["@modelcontextprotocol/sdk"], node: true },
  agent: { folders: ["core", "files", "embed"], packages: [], node: true },
  entry: {
    folders: [
      "core",
      "files",
      "process",
      "shell",
      "hooks",
      "custom",
      "hosts",
      "records",
      "sources",
      "config",
      "workflow",
      "knowledge",
      "approvals",
      "stores",
      "channels",
      "runs",
      "proof",
      "engine",
      "embed",
      "bindings",
      "agent",
    ],
    packages: [
      "@clack/prompts",
      "@hono/node-server",
      "@modelcontextprotocol/sdk",
      "diff",
      "hono",
      "openid-client",
      "re2js",
      "yaml",
      "zod",
    ],
    node: true,
  },
};

/** The public surface, a file for each thing people import; the one place where names are re-exported. */
const ROOT_FILES = ["index.ts", "agent.ts"];

/** Tables, mostly: splitting them would only scatter what is read together. */
const LONG_FILES: ReadonlyMap<string, string> = new Map([
  ["shell/programs/cloud.ts", "one row per cloud tool and verb"],
  ["shell/code/evaluate.ts", "one recursive descent through a program's text"],
  ["hooks/destructive-command/packs/git.ts", "a pack is read whole: every rule with its cases"],
]);

const root = join(import.meta.dirname, "..");
const src = join(root, "src");

const files = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !/\.(test|fixture)\.ts$/.test(file) && !file.includes("fixtures/"))
  .map((file) => ({
    file,
    folder: file.split("/")[0] as string,
    text: withoutComments(readFileSync(join(src, file), "utf8")),
  }));

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}

interface Import {
  readonly file: string;
  readonly from: string;
  readonly folder: string;
}

const imports: Import[] = files.flatMap(({ file, folder, text }) =>
  [
    ...text.matchAll(
      /(?:^|\n)(?:import|export)\b[^;]*?\bfrom\s*"([^"]+)"|\bimport\("([^"]+)"\)|(?:^|\n)import\s+"([^"]+)"/g,
    ),
  ].map(([, a, b, c]) => ({ file, folder, from: (a ?? b ?? c) as string })),
);

describe("layers", () => {
  it("every folder in src has a row in the table", () => {
    const folders = new Set(files.map(({ folder }) => folder).filter((folder) => !ROOT_FILES.includes(folder)));
    expect([...folders].sort()).toEqual(
      Object.keys(LAYERS)
        .filter((layer) => folders.has(layer))
        .sort(),
    );
  });

  it("imports point down, as the table allows and no further", () => {
    const wrong = imports.filter(({ file, folder, from }) => {
      if (ROOT_FILES.includes(folder)) return false;
      const layer = LAYERS[folder];
      if (!layer) return true;
      if (from.startsWith("node:")) return !layer.node;
      if (builtinModules.includes(from)) return true;
      if (!from.startsWith(".")) return !layer.packages.some((name) => from === name || from.startsWith(`${name}/`));
      const target = relative(src, join(src, dirname(file), from)).split("/")[0] as string;
      return target !== folder && !layer.folders.includes(target);
    });
    expect(wrong.map(({ file, from }) => `${file} -> ${from}`)).toEqual([]);
  });

  it("nobody imports entry", () => {
    const wrong = imports.filter(({ folder, from }) => folder !== "entry" && from.includes("/entry/"));
    expect(wrong).toEqual([]);
  });

  it("the core is pure: no clock, no randomness, no environment, no process", () => {
    const impure = /\b(Date\.now|new Date\(\)|Math\.random|process\.|globalThis|performance\.|fetch\(|console\.)/;
    const wrong = files.filter(({ folder, text }) => folder === "core" && impure.test(text)).map(({ file }) => file);
    expect(wrong).toEqual([]);
  });
});

describe("traps", () => {
  it("directories are made by src/files/make-directory.ts: Node's own recursive mkdir never ends below /proc", () => {
    const wrong = files.filter(({ text }) => /\bmkdir(Sync)?\([^;]*\brecursive\b/.test(text)).map(({ file }) => file);
    expect(wrong).toEqual([]);
  });
});

describe("names", () => {
  it("files are kebab-case nouns, and none is a drawer for everything", () => {
    const wrong = files.filter(({ file }) => {
      const name = file.slice(file.lastIndexOf("/") + 1);
      return !/^[a-z0-9-]+\.ts$/.test(name) || /^(utils?|helpers?|common|misc|types|shared|lib)\.ts$/.test(name);
    });
    expect(wrong.map(({ file }) => file)).toEqual([]);
  });

  it("there is one barrel, src/index.ts", () => {
    expect(files.filter(({ file }) => /(^|\/)index\.ts$/.test(file)).map(({ file }) => file)).toEqual(["index.ts"]);
  });

  it("no file is longer than 400 lines without a reason", () => {
    const long = files.filter(({ text }) => text.split("\n").length > 400).map(({ file }) => file);
    expect(long.filter((file) => !LONG_FILES.has(file))).toEqual([]);
  });

  it("no reason for length outlives the length", () => {
    const long = new Set(files.filter(({ text }) => text.split("\n").length > 400).map(({ file }) => file));
    expect([...LONG_FILES.keys()].filter((file) => !long.has(file))).toEqual([]);
  });
});
