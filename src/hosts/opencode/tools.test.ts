import { expect, it } from "vitest";
import { spelledTool, tools } from "./tools.ts";

const PATCH = "*** Begin Patch\n*** Add File: a.txt\n+hi\n*** Update File: b.txt\n@@\n-x\n+y\n*** End Patch";

it.each([
  ["bash", { command: "ls" }, { kind: "shell", command: "ls", paths: [] }],
  ["write", { filePath: "a", content: "x" }, { kind: "write", paths: ["a"], content: "x" }],
  ["edit", { filePath: "a", oldString: "o", newString: "n" }, { kind: "edit", paths: ["a"], content: "n" }],
  ["apply_patch", { patchText: PATCH }, { kind: "edit", paths: ["a.txt", "b.txt"] }],
  ["read", { filePath: "a" }, { kind: "read", paths: ["a"] }],
  ["glob", { pattern: "*", path: "src" }, { kind: "search", paths: ["src"] }],
  ["webfetch", { url: "https://x" }, { kind: "fetch" }],
  ["task", { description: "d", prompt: "p", subagent_type: "general" }, { kind: "delegate" }],
  ["mcp__notes__leave", { path: "a" }, { kind: "mcp", server: "notes", method: "leave", paths: ["a"] }],
])("%s %j is %j", (name, input, expected) => {
  expect(tools.read(name, input)).toMatchObject({ name, input, ...expected });
  expect(tools.knows(name)).toBe(true);
});

it("a tool without a row is not known", () => {
  for (const name of ["brand_new", "", "constructor", "__proto__"]) expect(tools.knows(name)).toBe(false);
});

it.each([
  ["notes_leave", ["notes"], "mcp__notes__leave"],
  ["my_db_query", ["my", "my_db"], "mcp__my_db__query"],
  ["my_db_query", ["my.db"], "mcp__my.db__query"],
  ["notes_", ["notes"], "notes_"],
  ["apply_patch", ["apply"], "apply_patch"],
  ["other_tool", ["notes"], "other_tool"],
])("%s beside the servers %j is %s", (name, servers, expected) => {
  expect(spelledTool(name, servers)).toBe(expected);
});
