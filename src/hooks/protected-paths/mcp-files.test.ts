/** MCP servers write files too: the same rules hold for what their tools are given. */
import { expect, it } from "vitest";
import { sampleEvent } from "../../core/engine.fixture.ts";
import type { JsonObject } from "../../core/json.ts";
import { judge, toolCall } from "../hooks.fixture.ts";
import { protectedPaths } from "./protected-paths.ts";

const kindOf = (method: string, input: JsonObject, metadata?: JsonObject) => {
  const tool = toolCall("mcp", { name: `mcp__files__${method}`, server: "files", method, input } as never);
  return judge(protectedPaths, sampleEvent("pre_tool_use", { tool, ...(metadata ? { metadata } : {}) })).opinion.kind;
};

it.each([
  ["write_file", { path: "holdfast.yaml", content: "x" }],
  ["write_file", { path: "/project/.claude/settings.json", content: "{}" }],
  ["writeFile", { filePath: "src/../holdfast.yaml", content: "x" }],
  ["edit_file", { path: " holdfast.yaml", edits: [] }],
  ["write-files", { files: [{ path: "a.txt" }, { path: "holdfast.yaml" }] }],
  ["write_files", { paths: ["a.txt", "holdfast.yaml"] }],
  ["move_file", { source: "a.yaml", destination: "holdfast.yaml" }],
  ["rename", { from: "holdfast.yaml", to: "a.yaml" }],
  ["move_file", { source: ".claude", destination: "elsewhere" }],
  ["delete_directory", { path: "." }],
  ["create_text_file", { relative_path: "holdfast.yaml" }],
  ["save", { uri: "file:///project/holdfast.yaml" }],
  ["save", { uri: "file:///project/.claude%2Fsettings.json" }],
  ["save", { uri: "file:/project/%zz/../holdfast.yaml" }],
  ["process", { target: "holdfast.yaml" }],
  ["read_and_replace", { path: "holdfast.yaml" }],
  ["check_out", { path: "holdfast.yaml" }],
  ["read_WRITEfile", { path: "holdfast.yaml" }],
  ["get_summary", { path: "a.txt", output_path: "holdfast.yaml" }],
  ["write_file", { path: "ab://../holdfast.yaml" }],
  ["write_file", { path: "holdfast.yaml\n" }],
  ["write_file", { path: `/project/x/${"./".repeat(2_100)}../holdfast.yaml` }],
  ["save", { uri: "file:///project/holdfast.yaml?x=1" }],
  ["save", { document: "file:///project/holdfast.yaml#top" }],
  ["write", { file_name: "holdfast.yaml" }],
  ["create_file", { directory: ".claude", filename: "settings.json", content: "{}" }],
  ["create_file", { folder: "/project/.claude/", name: " settings.json" }],
  ["write_files", { root: ".claude", files: [{ name: "settings.json" }] }],
  ["write_files", { dir: ".claude", files: { "settings.json": "{}" } }],
  ["write_files", { base: ".holdfast", paths: ["hooks/x.ts"] }],
  ["copy_file", { source: "a/settings.json", destination: ".claude" }],
  ["write_files", { files: [{ dir: ".claude", name: "settings.json" }] }],
  ["write", { path_str: "holdfast.yaml" }],
  ["write", { filePathValue: "holdfast.yaml" }],
  ["write", { pathname: "holdfast.yaml" }],
  ["get_rid_of_file", { path: "holdfast.yaml" }],
  ["list_and_del", { path: "holdfast.yaml" }],
  ["write", { text_file: "holdfast.yaml" }],
  ["write", { dataPath: "holdfast.yaml" }],
  ["write", { path1: "holdfast.yaml" }],
  ["write", { files: { "holdfast.yaml": "x" } }],
  ["write", { files: [{ name: "holdfast.yaml" }] }],
  ["write", { path: { a: { b: { c: { d: { e: { f: { g: "holdfast.yaml" } } } } } } } }],
  ["destroy_directory", { path: "." }],
  ["extract_archive", { archive: "a.zip", destination: "." }],
  ["copy_directory", { source: "a", destination: ".claude" }],
  ["create_files", { dirs: ["src", ".claude"], name: "settings.json" }],
  ["create_file", { path: [".claude"], name: "settings.json" }],
  ["write_files", { folders: ["src", ".claude"], files: [{ name: "settings.json" }] }],
  ["write_files", { roots: "src", base: ["src", ".holdfast"], paths: ["hooks/x.ts"] }],
  ["copy_file", { source: ["a/settings.json"], destination: [".claude", "b"] }],
  ["write_files", { directories: [".claude"], files: { "settings.json": "{}" } }],
] as [string, JsonObject][])("%s %j is blocked", (method, input) => {
  expect(kindOf(method, input)).toBe("block");
});

it("what the tool's annotations say counts for more than its name", () => {
  expect(kindOf("process", { path: "holdfast.yaml" }, { readOnlyHint: true })).toBe("none");
  expect(kindOf("read_file", { path: "holdfast.yaml" }, { readOnlyHint: false })).toBe("block");
});

it("a secret may not be read through a server either", () => {
  const read = toolCall("read", { paths: [".env"] });
  const byTool = judge(protectedPaths, sampleEvent("pre_tool_use", { tool: read })).opinion.kind;
  expect(kindOf("read_file", { path: ".env" })).toBe(byTool);
  expect(byTool).not.toBe("none");
});

it.each([
  ["read_text_file", { path: "holdfast.yaml" }],
  ["filesystem_read_file", { path: "holdfast.yaml" }],
  ["readMultipleFiles", { paths: ["holdfast.yaml", ".claude/settings.json"] }],
  ["directory_tree", { path: "." }],
  ["git_commit", { repo_path: "/project", message: "holdfast.yaml" }],
  ["write_file", { path: "src/a.ts", content: "holdfast.yaml" }],
  ["write_files", { files: [{ path: ".gitignore", content: ".env" }] }],
  ["edit_file", { path: ".gitignore", edits: [{ oldText: "dist", newText: ".env", new_string_2: ".env" }] }],
  ["create_issue", { title: "holdfast.yaml", body: "change it" }],
  ["fetch", { uri: "https://example.org/holdfast.yaml" }],
  ["query", { sql: "select 1", source: "warehouse" }],
  ["delete_file", { workspace: "/project", path: "dist/a.js" }],
  ["create_file", { directory: "src", filename: "settings.json" }],
  ["copy_file", { source: "a/settings.json", destination: "b" }],
  ["edit_file", { repo: "/project/.claude", path: "docs/settings.json" }],
  ["create_file", { dirs: ["src", "docs"], name: "settings.json" }],
  ["git_add", { repo_path: "/project", files: [".claude", "docs/settings.json"] }],
  ["git_add", { repo_path: "/project", files: Array.from({ length: 100 }, (_, index) => `src/${index}.ts`) }],
  ["delete_files", { paths: Array.from({ length: 100 }, (_, index) => `dist/${index}.js`) }],
] as [string, JsonObject][])("%s %j passes", (method, input) => {
  expect(kindOf(method, input)).toBe("none");
});

it("what says that a tool writes is believed, wherever it stands", () => {
  const said = { readOnlyHint: true, annotations: { readOnlyHint: false } };
  expect(kindOf("read_file", { path: "holdfast.yaml" }, said)).toBe("block");
  expect(
    kindOf("read_file", { path: "holdfast.yaml" }, { readOnlyHint: true, annotations: { destructiveHint: true } }),
  ).toBe("block");
});

const many = (count: number, key: (index: number) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [key(index), `p${index}`]));

it("a call that names more places than can be put together is asked about, unless it only reads", () => {
  expect(
    kindOf(
      "write",
      many(100, (index) => `path_${index}`),
    ),
  ).toBe("ask");
  expect(kindOf("write", { ...many(100, (index) => `path_${index}`), path: "holdfast.yaml" })).toBe("block");
  expect(
    kindOf(
      "read",
      many(100, (index) => `path_${index}`),
    ),
  ).toBe("none");
});

it("more directories in a list than can be put together with a name are asked about", () => {
  const dirs = Array.from({ length: 100 }, (_, index) => `d${index}`);
  expect(kindOf("create_file", { dirs, name: "settings.json" })).toBe("ask");
  expect(kindOf("create_file", { paths: dirs, filename: "settings.json" })).toBe("ask");
  expect(kindOf("read_file", { dirs, name: "settings.json" })).toBe("none");
});

it("many files by their names are no places", () => {
  const files = many(100, (index) => `src/file${index}.ts`);
  expect(kindOf("write_files", { files })).toBe("none");
  expect(kindOf("write_files", { dir: ".claude", files: { ...files, "settings.json": "{}" } })).toBe("block");
});
