import { expect, it } from "vitest";
import { delegating, tools } from "./tools.ts";

it.each([
  ["Bash", { command: "ls" }, { kind: "shell", command: "ls" }],
  ["PowerShell", { command: "dir" }, { kind: "shell", command: "dir" }],
  ["Monitor", { command: "tail -f x", description: "d" }, { kind: "shell", command: "tail -f x" }],
  ["Monitor", { ws: { url: "wss://x" }, description: "d" }, { kind: "fetch" }],
  ["BashOutput", { bash_id: "1" }, { kind: "other" }],
  ["KillShell", { shell_id: "1" }, { kind: "other" }],
  ["Write", { file_path: "/a", content: "x" }, { kind: "write", paths: ["/a"], content: "x" }],
  ["Edit", { file_path: "/a", old_string: "o", new_string: "n" }, { kind: "edit", paths: ["/a"], content: "n" }],
  [
    "MultiEdit",
    { file_path: "/a", edits: [{ new_string: "n" }, { new_string: "m" }, 7] },
    { kind: "edit", paths: ["/a"], content: "n\nm" },
  ],
  ["NotebookEdit", { notebook_path: "/n", new_source: "x" }, { kind: "edit", paths: ["/n"], content: "x" }],
  ["Read", { file_path: "/a" }, { kind: "read", paths: ["/a"] }],
  ["Glob", { pattern: "*", path: "/a" }, { kind: "search", paths: ["/a"] }],
  ["Grep", { pattern: "x" }, { kind: "search", paths: [] }],
  ["LS", { path: "/a" }, { kind: "search", paths: ["/a"] }],
  ["WebFetch", { url: "https://x" }, { kind: "fetch", paths: [] }],
  ["WebSearch", { query: "x" }, { kind: "fetch" }],
  ["Agent", { prompt: "x" }, { kind: "delegate" }],
  ["Task", { prompt: "x" }, { kind: "delegate" }],
  ["TodoWrite", { todos: [] }, { kind: "other" }],
  ["TaskCreate", { subject: "x" }, { kind: "other" }],
  ["mcp__lab__ask", { q: "hi" }, { kind: "mcp", server: "lab", method: "ask", paths: [] }],
  ["mcp__my_server__do__it", {}, { kind: "mcp", server: "my_server", method: "do__it" }],
  ["mcp__fs__move", { source: "/a", destination: "/b" }, { kind: "mcp", paths: ["/a", "/b"] }],
])("KB-3: %s %j is %j", (name, input, expected) => {
  expect(tools.read(name, input, "id-1")).toMatchObject({ name, input, id: "id-1", ...expected });
  expect(tools.knows(name)).toBe(true);
});

it("KB-3: a tool without a row is other and not known, also one that is named like a method of objects", () => {
  for (const name of ["BrandNew", "", "bash", "constructor", "__proto__", "toString", "mcp__", "mcp__x"]) {
    expect(tools.read(name, { file_path: "/a" })).toMatchObject({ kind: "other", paths: ["/a"] });
    expect(tools.knows(name)).toBe(false);
  }
});

it("a rewritten input that Claude Code's schema would refuse is a problem", () => {
  expect(tools.problem?.("Write", { file_path: "/a" })).toBe(`"content" must be a text`);
  expect(tools.problem?.("Bash", { command: ["ls"] })).toBe(`"command" must be a text`);
  expect(tools.problem?.("Write", { file_path: "/a", content: "" })).toBeUndefined();
  expect(tools.problem?.("mcp__lab__ask", {})).toBeUndefined();
  expect(tools.problem?.("BrandNew", {})).toBeUndefined();
});

it("every tool that delegates is of kind delegate", () => {
  for (const name of delegating.names) expect(tools.read(name, {}).kind).toBe("delegate");
});
