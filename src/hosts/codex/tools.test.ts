import { expect, it } from "vitest";
import { delegating, tools } from "./tools.ts";

it.each([
  ["Bash", { command: "ls" }, { kind: "shell", command: "ls" }],
  ["apply_patch", { command: "*** Add File: /a\n+x" }, { kind: "edit", paths: ["/a"], content: "x" }],
  ["apply_patch", { command: "no patch" }, { kind: "edit", paths: [] }],
  ["view_image", { path: "/a.png" }, { kind: "read", paths: ["/a.png"] }],
  ["spawn_agent", { message: "x" }, { kind: "delegate" }],
  ["multi_agent_v1send_input", { target: "t", message: "x" }, { kind: "delegate" }],
  ["multi_agent_v1wait_agent", { targets: ["x"] }, { kind: "other" }],
  ["collaborationspawn_agent", { message: "x", task_name: "t" }, { kind: "delegate" }],
  ["collaborationsend_message", { target: "t", message: "x" }, { kind: "delegate" }],
  ["create_goal", { objective: "x" }, { kind: "other" }],
  ["tool_search", { query: "x" }, { kind: "other" }],
  ["request_user_input", { questions: [] }, { kind: "other" }],
  ["mcp__notes__leave", { path: "/a" }, { kind: "mcp", server: "notes", method: "leave", paths: ["/a"] }],
])("KB-3: %s %j is %j", (name, input, expected) => {
  expect(tools.read(name, input, "id-1")).toMatchObject({ name, input, id: "id-1", ...expected });
  expect(tools.knows(name)).toBe(true);
});

it("KB-3: a tool without a row is other and not known", () => {
  for (const name of ["BrandNew", "", "bash", "constructor", "__proto__", "mcp__x"]) {
    expect(tools.read(name, { file_path: "/a" })).toMatchObject({ kind: "other", paths: ["/a"] });
    expect(tools.knows(name)).toBe(false);
  }
});

it("a rewritten input that Codex would fail on is a problem", () => {
  expect(tools.problem?.("Bash", { command: ["ls"] })).toBe(`"command" must be a text`);
  expect(tools.problem?.("apply_patch", {})).toBe(`"command" must be a text`);
  expect(tools.problem?.("spawn_agent", { message: 1 })).toBe(`"message" must be a text`);
  expect(tools.problem?.("mcp__lab__ask", {})).toBeUndefined();
});

it("every tool that delegates is of kind delegate", () => {
  for (const name of delegating.names) expect(tools.read(name, {}).kind).toBe("delegate");
});
