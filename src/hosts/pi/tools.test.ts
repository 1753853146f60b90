import { expect, it } from "vitest";
import { tools } from "./tools.ts";

it.each([
  ["bash", { command: "ls" }, { kind: "shell", command: "ls" }],
  ["powershell", { command: "dir" }, { kind: "shell", command: "dir" }],
  ["read", { path: "a", offset: 1 }, { kind: "read", paths: ["a"] }],
  ["write", { path: "/a", content: "x" }, { kind: "write", paths: ["/a"], content: "x" }],
  [
    "edit",
    {
      path: "/a",
      edits: [
        { oldText: "o", newText: "n" },
        { oldText: "p", newText: "m" },
      ],
    },
    { kind: "edit", paths: ["/a"], content: "n\nm" },
  ],
  ["grep", { pattern: "x", path: "src" }, { kind: "search", paths: ["src"] }],
  ["find", { pattern: "*.ts" }, { kind: "search", paths: [] }],
  ["ls", {}, { kind: "search", paths: [] }],
])("KB-3: %s %j is %j", (name, input, expected) => {
  expect(tools.read(name, input, "id-1")).toMatchObject({ name, input, id: "id-1", ...expected });
  expect(tools.knows(name)).toBe(true);
});

it("KB-3: a tool of an extension is other and not known, also one that is named like a method of objects", () => {
  for (const name of ["subagent", "mcp", "", "Bash", "constructor", "__proto__", "toString"]) {
    expect(tools.read(name, { path: "@/a" })).toMatchObject({ kind: "other", paths: ["@/a"] });
    expect(tools.knows(name)).toBe(false);
  }
});

it.each([
  ["@.env", ".env"],
  ["@@.env", "@.env"],
  ["a\u00A0b\u202Fc", "a b c"],
  ["file:///etc/pass%77d", "/etc/passwd"],
  ["@file:///etc/passwd", "/etc/passwd"],
  ["file://%", "file://%"],
  ["~/.ssh/id_rsa", "~/.ssh/id_rsa"],
])("a path written %s is the path that pi opens: %s", (written, opened) => {
  for (const name of ["read", "write", "edit", "grep", "ls"]) {
    expect(tools.read(name, { path: written }).paths).toEqual([opened]);
  }
  expect(tools.read("read", { path: written }).input).toEqual({ path: written });
});

it("a rewritten input that pi would run without looking at it again is a problem", () => {
  expect(tools.problem?.("bash", { command: 42 })).toBe(`"command" must be a text`);
  expect(tools.problem?.("write", { path: "/a" })).toBe(`"content" must be a text`);
  const edits = `"edits" must be a list of { oldText, newText }`;
  for (const wrong of [undefined, "x", [], [{ oldText: "a" }], [{ oldText: "a", newText: 1 }]]) {
    expect(tools.problem?.("edit", { path: "/a", ...(wrong === undefined ? {} : { edits: wrong }) })).toBe(edits);
  }
  expect(tools.problem?.("edit", { path: "/a", edits: [{ oldText: "a", newText: "" }] })).toBeUndefined();
  expect(tools.problem?.("anything", {})).toBeUndefined();
});
