import { expect, it } from "vitest";
import { tools } from "./tools.ts";

it.each([
  ["Shell", { command: "ls", cwd: "" }, { kind: "shell", command: "ls", paths: [] }],
  ["Bash", { command: "ls" }, { kind: "shell", command: "ls" }],
  ["Write", { file_path: "a", content: "x" }, { kind: "write", paths: ["a"], content: "x" }],
  ["Write", { path: "a", contents: "x" }, { kind: "write", paths: ["a"], content: "x" }],
  ["Write", { file_path: "a", old_string: "x", new_string: "y" }, { kind: "edit", paths: ["a"], content: "y" }],
  ["Write", { file_path: "a", edits: [{ new_string: "y" }] }, { kind: "edit", paths: ["a"], content: "y" }],
  ["StrReplace", { path: "a", old_string: "x", new_string: "y" }, { kind: "edit", paths: ["a"], content: "y" }],
  ["EditNotebook", { target_notebook: "a" }, { kind: "edit", paths: ["a"] }],
  ["Delete", { file_path: "a" }, { kind: "edit", paths: ["a"] }],
  ["Read", { file_path: "a" }, { kind: "read", paths: ["a"] }],
  ["ReadLints", { paths: ["a", "b"] }, { kind: "read", paths: ["a", "b"] }],
  ["Grep", { pattern: "x", file_path: "src" }, { kind: "search", paths: ["src"] }],
  ["Glob", { target_directory: "src" }, { kind: "search", paths: ["src"] }],
  ["WebFetch", { url: "https://x" }, { kind: "fetch" }],
  ["Task", { prompt: "p" }, { kind: "delegate" }],
  ["TodoWrite", {}, { kind: "other" }],
  ["MCP:query", { path: "a" }, { kind: "mcp", server: "", method: "query", paths: ["a"] }],
  ["MCP:crm/update", {}, { kind: "mcp", server: "crm", method: "update" }],
  ["mcp__crm__update", {}, { kind: "mcp", server: "crm", method: "update" }],
])("KB-3: %s %j is %j", (name, input, expected) => {
  expect(tools.read(name, input)).toMatchObject({ name, input, ...expected });
  expect(tools.knows(name)).toBe(true);
});

it("KB-3: a patch names its files", () => {
  const patch = "*** Begin Patch\n*** Update File: a.ts\n@@\n-x\n+y\n*** Delete File: b.ts\n*** End Patch";
  expect(tools.read("ApplyPatch", { patch })).toMatchObject({ kind: "edit", paths: ["a.ts", "b.ts"] });
});

it("KB-3: a tool without a row is other, not known, and its paths are still seen", () => {
  expect(tools.read("BrandNew", { path: "/etc/passwd" })).toMatchObject({ kind: "other", paths: ["/etc/passwd"] });
  for (const name of ["BrandNew", "", "constructor", "__proto__", "MCP:"]) expect(tools.knows(name)).toBe(false);
});

it("a shell call cannot be rewritten to one without a command", () => {
  expect(tools.problem?.("Shell", { command: 7 })).toMatch(/command/);
});
