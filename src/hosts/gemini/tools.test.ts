import { expect, it } from "vitest";
import { delegating, tools } from "./tools.ts";

it.each([
  ["run_shell_command", { command: "ls", dir_path: "sub" }, { kind: "shell", command: "ls" }],
  ["write_file", { file_path: "/a", content: "x" }, { kind: "write", paths: ["/a"], content: "x" }],
  [
    "replace",
    { file_path: "/a", instruction: "i", old_string: "o", new_string: "n" },
    { kind: "edit", paths: ["/a"], content: "n" },
  ],
  ["read_file", { file_path: "/a" }, { kind: "read", paths: ["/a"] }],
  ["read_many_files", { include: ["/a", "b/*"] }, { kind: "read", paths: ["/a", "b/*"] }],
  ["list_directory", { dir_path: "/a" }, { kind: "search", paths: ["/a"] }],
  ["glob", { pattern: "*", dir_path: "/a" }, { kind: "search", paths: ["/a"] }],
  ["grep_search", { pattern: "x" }, { kind: "search", paths: [] }],
  ["search_file_content", { pattern: "x", dir_path: "/a" }, { kind: "search", paths: ["/a"] }],
  ["web_fetch", { prompt: "https://x" }, { kind: "fetch" }],
  ["google_web_search", { query: "x" }, { kind: "fetch" }],
  ["invoke_agent", { agent_name: "generalist", prompt: "x" }, { kind: "delegate" }],
  ["complete_task", { result: { response: "x" } }, { kind: "other" }],
  ["get_internal_docs", { path: "hooks/reference.md" }, { kind: "other", paths: [] }],
  ["read_background_output", { pid: 1 }, { kind: "other" }],
  ["write_todos", { todos: [] }, { kind: "other" }],
  ["discovered_tool_deploy", { path: "/a" }, { kind: "other", paths: ["/a"] }],
  ["mcp_notes_leave", { path: "/a" }, { kind: "mcp", server: "notes", method: "leave", paths: ["/a"] }],
  ["mcp_notes_leave_it", {}, { kind: "mcp", server: "notes", method: "leave_it" }],
])("KB-3: %s %j is %j", (name, input, expected) => {
  expect(tools.read(name, input, "id-1")).toMatchObject({ name, input, id: "id-1", ...expected });
  expect(tools.knows(name)).toBe(true);
});

it("KB-3: a tool without a row is other and not known, also one that is named like a method of objects", () => {
  for (const name of ["brand_new", "", "Bash", "constructor", "__proto__", "mcp_", "mcp_x", "mcp__x_y"]) {
    expect(tools.read(name, { file_path: "/a" })).toMatchObject({ kind: "other", paths: ["/a"] });
    expect(tools.knows(name)).toBe(false);
  }
});

it("a rewritten input that Gemini CLI's schema would refuse is a problem", () => {
  expect(tools.problem?.("write_file", { file_path: "/a" })).toBe(`"content" must be a text`);
  expect(tools.problem?.("run_shell_command", { command: ["ls"] })).toBe(`"command" must be a text`);
  expect(tools.problem?.("write_file", { file_path: "/a", content: "" })).toBeUndefined();
  expect(tools.problem?.("mcp_notes_leave", {})).toBeUndefined();
});

it("every tool that delegates is of kind delegate", () => {
  for (const name of delegating.names) expect(tools.read(name, {}).kind).toBe("delegate");
});
