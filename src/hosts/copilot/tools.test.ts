import { expect, it } from "vitest";
import { delegating, tools } from "./tools.ts";

const PATCH = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** Add File: b\n+z\n*** End Patch\n";

it.each([
  ["bash", { command: "ls", description: "d" }, { kind: "shell", command: "ls" }],
  ["Bash", { command: "ls" }, { kind: "shell", command: "ls" }],
  ["powershell", { command: "dir" }, { kind: "shell", command: "dir" }],
  ["write_bash", { shellId: "0", input: "rm -rf /", delay: 1 }, { kind: "shell", command: "rm -rf /" }],
  ["read_bash", { shellId: "0" }, { kind: "other" }],
  ["create", { path: "/a", file_text: "x" }, { kind: "write", paths: ["/a"], content: "x" }],
  ["Write", { path: "/a", file_text: "x" }, { kind: "write", paths: ["/a"], content: "x" }],
  ["edit", { path: "/a", old_str: "o", new_str: "n" }, { kind: "edit", paths: ["/a"], content: "n" }],
  ["edit", { file_path: "/a", diff: "+n" }, { kind: "edit", paths: ["/a"], content: "+n" }],
  ["Edit", { path: "/a", old_str: "o", new_str: "n" }, { kind: "edit", paths: ["/a"], content: "n" }],
  ["Edit", { input: PATCH }, { kind: "edit", paths: ["a", "b"], content: "y\nz" }],
  ["apply_patch", { input: PATCH }, { kind: "edit", paths: ["a", "b"], content: "y\nz" }],
  ["str_replace_editor", { command: "create", path: "/a", file_text: "x" }, { kind: "edit", content: "x" }],
  ["str_replace_editor", { command: "view", path: "/a" }, { kind: "read", paths: ["/a"] }],
  ["view", { path: "/a" }, { kind: "read", paths: ["/a"] }],
  ["Read", { path: "/a" }, { kind: "read", paths: ["/a"] }],
  ["grep", { pattern: "x", paths: ["/a", "/b"] }, { kind: "search", paths: ["/a", "/b"] }],
  ["rg", { pattern: "x", paths: "/a" }, { kind: "search", paths: ["/a"] }],
  ["glob", { pattern: "*" }, { kind: "search", paths: [] }],
  ["web_fetch", { url: "https://x" }, { kind: "fetch" }],
  ["WebSearch", { query: "x" }, { kind: "fetch" }],
  ["task", { prompt: "x" }, { kind: "delegate" }],
  ["sql", { query: "select 1" }, { kind: "other" }],
  ["notes-leave", { path: "/a" }, { kind: "mcp", server: "notes", method: "leave", paths: ["/a"] }],
  ["notes/leave", { path: "/a" }, { kind: "mcp", server: "notes", method: "leave", paths: ["/a"] }],
  ["github-mcp-server-get_commit", {}, { kind: "mcp", server: "github-mcp-server", method: "get_commit" }],
  ["my-server/do-it", {}, { kind: "mcp", server: "my-server", method: "do-it" }],
])("KB-3: %s %j is %j", (name, input, expected) => {
  expect(tools.read(name, input)).toMatchObject({ name, input, ...expected });
  expect(tools.knows(name)).toBe(true);
});

it("KB-3: a tool without a row is other and not known, also one that is named like a method of objects", () => {
  for (const name of ["brand_new", "", "BASH", "constructor", "__proto__", "toString", "-", "x-", "/x"]) {
    expect(tools.read(name, { path: "/a" })).toMatchObject({ kind: "other", paths: ["/a"] });
    expect(tools.knows(name)).toBe(false);
  }
});

it("a rewritten input that Copilot could not run is a problem", () => {
  expect(tools.problem?.("bash", { command: ["ls"] })).toBe(`"command" must be a text`);
  expect(tools.problem?.("create", { path: "/a" })).toBe(`"file_text" must be a text`);
  expect(tools.problem?.("apply_patch", { path: "/a" })).toBe(`"input" must be a text`);
  expect(tools.problem?.("bash", { command: "ls" })).toBeUndefined();
  expect(tools.problem?.("notes-leave", {})).toBeUndefined();
});

it("every tool that delegates is of kind delegate", () => {
  for (const name of delegating.names) expect(tools.read(name, {}).kind).toBe("delegate");
});
