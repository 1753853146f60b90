import { expect, it } from "vitest";
import { tools } from "./tools.ts";

it.each([
  ["shell", { command: "ls" }, { kind: "shell", command: "ls", paths: [] }],
  ["execute_bash", { command: "ls" }, { kind: "shell", command: "ls" }],
  ["executeBash", { command: "ls" }, { kind: "shell", command: "ls" }],
  ["execute_pwsh", { command: "dir" }, { kind: "shell", command: "dir" }],
  ["shell", { command: 7 }, { kind: "shell", command: "" }],
  ["write", { command: "create", path: "a", file_text: "x" }, { kind: "write", paths: ["a"], content: "x" }],
  ["fs_write", { command: "append", path: "a", new_str: "x" }, { kind: "edit", paths: ["a"], content: "x" }],
  ["fs_write", { path: "a", text: "x" }, { kind: "write", paths: ["a"], content: "x" }],
  ["fsWrite", { filePath: "a" }, { kind: "write", paths: ["a"] }],
  ["write", { file_path: "a" }, { kind: "write", paths: ["a"] }],
  ["str_replace", { path: "a", oldStr: "o", newStr: "n" }, { kind: "edit", paths: ["a"], content: "n" }],
  ["delete_file", { targetFile: "a" }, { kind: "edit", paths: ["a"] }],
  ["read", { operations: [{ path: "a" }, { mode: "Image", image_paths: ["b"] }] }, { kind: "read", paths: ["a", "b"] }],
  ["grep", { pattern: "x", path: "src" }, { kind: "search", paths: ["src"] }],
  ["web_fetch", { url: "https://x" }, { kind: "fetch" }],
  ["use_subagent", {}, { kind: "delegate" }],
  ["subagent_researcher", {}, { kind: "delegate" }],
  ["subagent_response", {}, { kind: "other" }],
  ["@postgres/query", { sql: "" }, { kind: "mcp", server: "postgres", method: "query" }],
  ["@fs/write/file", { path: "a" }, { kind: "mcp", server: "fs", method: "write/file", paths: ["a"] }],
])("KB-3, K-31: %s %j is %j", (name, input, expected) => {
  expect(tools.read(name, input)).toMatchObject({ name, input, ...expected });
  expect(tools.knows(name)).toBe(true);
});

it("KB-3: a tool without a row is other, not known, and its paths are still seen", () => {
  expect(tools.read("brand_new", { path: "/etc/passwd" })).toMatchObject({ kind: "other", paths: ["/etc/passwd"] });
  for (const name of ["brand_new", "", "constructor", "__proto__", "@half"]) expect(tools.knows(name)).toBe(false);
});
