import { describe, expect, it } from "vitest";
import { nearest } from "./nearest.ts";

const HOSTS = ["claude-code", "codex", "cursor", "copilot", "opencode", "gemini", "kiro", "qwen", "pi"];
const KEYS = ["timeout_sec", "on", "on_error", "mode", "pre_tool_use", "post_tool_use", "write", "read"];

describe("a name stands for the known one", () => {
  it.each([
    ["kirro", HOSTS, "kiro"],
    ["opncode", HOSTS, "opencode"],
    ["cladue-code", HOSTS, "claude-code"],
    ["ClaudeCode", HOSTS, "claude-code"],
    ["wriet", KEYS, "write"],
    ["ikro", HOSTS, "kiro"],
    ["PreTolUse", KEYS, "pre_tool_use"],
    ["MODE", KEYS, "mode"],
  ])("that is almost spelt so: %s", (name, known, meant) => {
    expect(nearest(name, known)).toBe(meant);
  });

  it.each([
    ["timeout", KEYS, "timeout_sec"],
    ["claude", HOSTS, "claude-code"],
    ["qwen-code", HOSTS, "qwen"],
    ["gemini-cli", HOSTS, "gemini"],
    ["copilot-cli", ["copilot", "copilot-c"], "copilot-c"],
  ])("that it begins or goes on from: %s", (name, known, meant) => {
    expect(nearest(name, known)).toBe(meant);
  });
});

it.each([
  ["aider", HOSTS],
  ["windsurf", HOSTS],
  ["qwencode", ["opencode"]],
  ["qwen-code", ["opencode"]],
  ["xx", HOSTS],
  ["on_failure", KEYS],
  ["pi-agent", HOSTS],
  ["reason", KEYS],
  ["post", ["post_a", "post_b"]],
  ["", HOSTS],
])("no guess is made at what is far from all of them: %s", (name, known) => {
  expect(nearest(name, known)).toBeUndefined();
});
