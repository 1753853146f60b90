import { expect, it } from "vitest";
import { delegating, tools } from "./tools.ts";

it.each([
  ["run_shell_command", { command: "ls" }, { kind: "shell", command: "ls" }],
  ["monitor", { command: "tail -f x" }, { kind: "shell", command: "tail -f x" }],
  ["write_file", { file_path: "/a", content: "x" }, { kind: "write", paths: ["/a"], content: "x" }],
  ["edit", { file_path: "/a", old_string: "o", new_string: "n" }, { kind: "edit", paths: ["/a"], content: "n" }],
  ["replace", { file_path: "/a", new_string: "n" }, { kind: "edit", paths: ["/a"] }],
  ["notebook_edit", { notebook_path: "/n", new_source: "x" }, { kind: "edit", paths: ["/n"], content: "x" }],
  ["read_file", { file_path: "/a" }, { kind: "read", paths: ["/a"] }],
  ["display_image", { file_path: "/a" }, { kind: "read", paths: ["/a"] }],
  ["lsp", { operation: "hover", filePath: "/a" }, { kind: "read", paths: ["/a"] }],
  ["glob", { pattern: "*", path: "/a" }, { kind: "search", paths: ["/a"] }],
  ["grep_search", { pattern: "x" }, { kind: "search", paths: [] }],
  ["list_directory", { path: "/a" }, { kind: "search", paths: ["/a"] }],
  ["web_fetch", { url: "https://x", prompt: "p" }, { kind: "fetch" }],
  ["agent", { prompt: "x" }, { kind: "delegate" }],
  ["workflow", { scriptPath: "/w.js" }, { kind: "delegate", paths: ["/w.js"] }],
  ["artifact", { file_path: "/a" }, { kind: "other", paths: ["/a"] }],
  ["record_artifact", { title: "t", workspacePath: "a" }, { kind: "other", paths: ["a"] }],
  ["exec", { source: "1" }, { kind: "other" }],
  ["mcp__notes__leave", { path: "/a" }, { kind: "mcp", server: "notes", method: "leave", paths: ["/a"] }],
])("KB-3: %s %j is %j", (name, input, expected) => {
  expect(tools.read(name, input, "id-1")).toMatchObject({ name, input, id: "id-1", ...expected });
  expect(tools.knows(name)).toBe(true);
});

it("KB-3: a tool without a row is other and not known, also one that is named like a method of objects", () => {
  for (const name of ["brand_new", "", "Bash", "constructor", "__proto__", "mcp__x"]) {
    expect(tools.read(name, { file_path: "/a" })).toMatchObject({ kind: "other", paths: ["/a"] });
    expect(tools.knows(name)).toBe(false);
  }
});

it("a rewritten input that Qwen Code's schema would refuse is a problem", () => {
  expect(tools.problem?.("write_file", { file_path: "/a" })).toBe(`"content" must be a text`);
  expect(tools.problem?.("run_shell_command", { command: ["ls"] })).toBe(`"command" must be a text`);
  expect(tools.problem?.("mcp__notes__leave", {})).toBeUndefined();
});

it("every tool that delegates is of kind delegate", () => {
  for (const name of delegating.names) expect(tools.read(name, {}).kind).toBe("delegate");
});
