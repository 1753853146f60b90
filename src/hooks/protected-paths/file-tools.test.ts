/** Whatever a host calls its tools and their fields: the files they write are seen. */
import { expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import type { ToolCall } from "../../core/tool.ts";
import { tools as claudeCode } from "../../hosts/claude-code/tools.ts";
import { tools as codex } from "../../hosts/codex/tools.ts";
import { tools as copilot } from "../../hosts/copilot/tools.ts";
import { tools as cursor } from "../../hosts/cursor/tools.ts";
import { tools as gemini } from "../../hosts/gemini/tools.ts";
import { tools as kiro } from "../../hosts/kiro/tools.ts";
import { tools as opencode } from "../../hosts/opencode/tools.ts";
import { tools as qwen } from "../../hosts/qwen/tools.ts";
import { before, judge } from "../hooks.fixture.ts";
import { protectedPaths } from "./protected-paths.ts";

const HOSTS = { claudeCode, codex, copilot, cursor, gemini, kiro, opencode, qwen };
const read = (host: keyof typeof HOSTS, name: string, input: JsonObject): ToolCall =>
  HOSTS[host].read(name, input) as ToolCall;
const kindOf = (tool: ToolCall) => judge(protectedPaths, before(tool)).opinion.kind;

const update = (path: string) => `*** Begin Patch\n*** Update File: ${path}\n@@\n-a\n+b\n*** End Patch`;
const moved = "*** Begin Patch\n*** Update File: x.json\n*** Move to: .claude/settings.json\n@@\n-a\n+b\n*** End Patch";

it.each([
  ["claudeCode", "Write", { file_path: "/project/holdfast.yaml ", content: "x" }],
  ["claudeCode", "Edit", { file_path: "\tholdfast.yaml", old_string: "a", new_string: "b" }],
  ["claudeCode", "MultiEdit", { file_path: "holdfast.yaml", edits: [] }],
  ["claudeCode", "MultiEdit", { file_path: "a", edits: [{ file_path: "holdfast.yaml", new_string: "x" }] }],
  ["claudeCode", "NotebookEdit", { notebook_path: ".claude/settings.json", new_source: "x" }],
  ["claudeCode", "NotebookEdit", { file_path: ".claude/settings.json", new_source: "x" }],
  ["codex", "apply_patch", { command: update("holdfast.yaml") }],
  ["codex", "apply_patch", { command: update("src/../.claude/./settings.json") }],
  ["codex", "apply_patch", { command: update("/project/.claude/settings.json") }],
  ["codex", "apply_patch", { command: update("holdfast.yaml").replaceAll("\n", "\r\n") }],
  ["codex", "apply_patch", { command: moved }],
  ["codex", "apply_patch", { command: "  *** Begin Patch\n  *** Delete File: holdfast.yaml\n*** End Patch" }],
  ["codex", "apply_patch", { command: "*** Add File: a\n+x\n  *** Delete File: holdfast.yaml" }],
  ["codex", "apply_patch", { command: "*** Update File: a.md\n@@\n *** Delete File: holdfast.yaml\n+x" }],
  ["copilot", "create", { path: "holdfast.yaml", file_text: "x" }],
  ["copilot", "Write", { file_path: "holdfast.yaml", content: "x" }],
  ["copilot", "apply_patch", { input: update("holdfast.yaml") }],
  ["copilot", "lsp", { operation: "rename", file: "holdfast.yaml", newName: "x" }],
  ["cursor", "Write", { file_path: "holdfast.yaml", content: "x" }],
  ["cursor", "MultiEdit", { file_path: "a", edits: [{ path: "holdfast.yaml", new_string: "x" }] }],
  ["cursor", "ApplyPatch", { patch: update("holdfast.yaml") }],
  ["gemini", "write_file", { file_path: "holdfast.yaml", content: "x" }],
  ["gemini", "write_file", { absolute_path: "/project/holdfast.yaml", content: "x" }],
  ["gemini", "replace", { file_path: ".claude/settings.json", old_string: "a", new_string: "b" }],
  ["kiro", "fs_write", { command: "append", path: "holdfast.yaml", new_str: "x" }],
  ["kiro", "apply_patch", { patch: update("holdfast.yaml") }],
  ["kiro", "apply_patch", { input: moved }],
  ["kiro", "code", { operation: "pattern_rewrite", file_path: "holdfast.yaml" }],
  ["kiro", "smart_relocate", { sourcePath: "a", destinationPath: ".kiro/hooks/x.json" }],
  ["opencode", "edit", { filePath: "holdfast.yaml", oldString: "a", newString: "b" }],
  ["opencode", "multiedit", { filePath: "holdfast.yaml", edits: [] }],
  ["opencode", "patch", { patchText: update("holdfast.yaml") }],
  ["opencode", "apply_patch", { patchText: "*** Add File:holdfast.yaml\n+x" }],
  ["qwen", "notebook_edit", { notebook_path: ".claude/settings.json", new_source: "x" }],
  ["qwen", "edit", { file_path: "./holdfast.yaml", old_string: "a", new_string: "b" }],
] as const)("%s: %s %j is blocked", (host, name, input) => {
  expect(kindOf(read(host, name, input as unknown as JsonObject))).toBe("block");
});

it.each([
  ["claudeCode", "Edit", { file_path: "a.md", old_string: "a", new_string: update("holdfast.yaml") }],
  ["claudeCode", "Write", { file_path: "notes.md", content: "+++ b/holdfast.yaml" }],
  ["codex", "apply_patch", { command: "*** Add File: a.md\n+*** Delete File: holdfast.yaml" }],
  ["codex", "apply_patch", { command: "*** Update File: a.md\n@@\n see *** Delete File: holdfast.yaml\n+x" }],
  ["copilot", "lsp", { operation: "hover", file: "holdfast.yaml" }],
  ["kiro", "code", { operation: "search_symbols", file_path: "holdfast.yaml" }],
  ["opencode", "write", { filePath: "docs/a.md", content: update("holdfast.yaml") }],
] as const)("%s: %s %j is left alone", (host, name, input) => {
  expect(kindOf(read(host, name, input as unknown as JsonObject))).toBe("none");
});
