import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripComments } from "jsonc-parser";
import { afterAll, describe, expect, it } from "vitest";
import { HoldfastError } from "../../core/errors.ts";
import type { FileEdit, InstallTarget } from "../host.ts";
import { describeSettingsEdit, targetOf } from "../install-conformance.fixture.ts";
import { install } from "./install.ts";

function editOf(changes: Partial<InstallTarget> = {}): FileEdit {
  const [edit, ...others] = install.edits(targetOf(changes));
  if (!edit || others.length > 0) throw new Error("not one edit");
  return edit;
}

const edit = editOf();
const userEdit = editOf({ level: "user" });
const EVENTS = Object.keys(JSON.parse(edit.add(undefined)).hooks);
const CALL = "/opt/holdfast/bin/holdfast hook --host qwen";

describe("installing for Qwen Code", () => {
  describeSettingsEdit(userEdit, EVENTS);

  it("each level has its file, and the program's own variables move them", () => {
    expect(edit.path).toBe("/project/.qwen/settings.json");
    expect(editOf({ level: "local" }).path).toBe("/project/.qwen/settings.json");
    expect(userEdit.path).toBe("/home/user/.qwen/settings.json");
    expect(editOf({ level: "user", env: { QWEN_HOME: "/conf" } }).path).toBe("/conf/settings.json");
    const env = { QWEN_CODE_SYSTEM_SETTINGS_PATH: "/managed/settings.json" };
    expect(editOf({ level: "managed", env }).path).toBe("/managed/settings.json");
    expect(editOf({ level: "managed" }).path).toMatch(/^\/.+\/settings\.json$/);
  });

  it("a new file registers the events of the support table, in seconds, and our MCP server for the project", () => {
    expect(EVENTS).toEqual([
      "SessionStart",
      "SessionEnd",
      "UserPromptSubmit",
      "PreToolUse",
      "PermissionRequest",
      "PostToolUse",
      "PostToolUseFailure",
      "SubagentStart",
      "SubagentStop",
      "Stop",
      "PreCompact",
      "PostCompact",
      "Notification",
    ]);
    const { hooks, mcpServers } = JSON.parse(edit.add(undefined));
    expect(hooks.PostToolUse).toEqual([{ matcher: "*", hooks: [{ type: "command", command: CALL, timeout: 50 }] }]);
    expect(hooks.Stop[0].matcher).toBeUndefined();
    for (const event of EVENTS) expect(hooks[event][0].hooks[0].timeout).toBeLessThan(60);
    expect(mcpServers).toEqual({ holdfast: { command: "/opt/holdfast/bin/holdfast", args: ["mcp"] } });
    expect(JSON.parse(userEdit.add(undefined)).mcpServers).toBeUndefined();
  });

  const SETTINGS = [
    "{}",
    "{ }\n",
    `{"hooks":{}}`,
    `{"mcpServers":{}}`,
    `{\n  "model": {"name": "x"},\n  "$version": 4\n}\n`,
    `\uFEFF{\r\n\t"mcpServers": {\r\n\t\t"mine": {"command": "x"}\r\n\t}\r\n}\r\n`,
    `// mine\n{\n  /* a, b */ "hooks": { "Stop": [ {"hooks": []} /* last, */ ] } // end\n}\n// after\n`,
    `{ "a": "// no comment", /* one */ "b": 2 // two\n}`,
  ];

  it.each(SETTINGS)("%j gets hooks and server in one edit, keeps its comments, and gets every byte back", (text) => {
    const added = edit.add(text);
    expect(edit.add(added)).toBe(added);
    expect(edit.remove(added)).toBe(text);
    const { hooks, mcpServers } = JSON.parse(stripComments(added.replace("\uFEFF", ""), " "));
    expect(hooks.PreToolUse).toHaveLength(1);
    expect(mcpServers.holdfast.args).toEqual(["mcp"]);
    for (const comment of text.match(/\/\/ (?!no).*|\/\*.*?\*\//g) ?? []) expect(added).toContain(comment.trim());
  });

  it("a file that was created for us alone is gone after removing; what the program wrote into it stays", () => {
    expect(edit.remove(edit.add(undefined))).toBeUndefined();
    expect(userEdit.remove(userEdit.add(undefined))).toBeUndefined();
    const used = edit.add(undefined).replace(/\n\}\n$/, `,\n  "$version": 4\n}\n`);
    expect(JSON.parse(edit.remove(used) ?? "")).toEqual({ $version: 4 });
  });

  it("another program path is updated in place, and ours without the shell's part is ours too", () => {
    const text = edit.add(`{\n  "hooks": {\n    "Stop": []\n  }\n}\n`);
    const moved = editOf({ program: "/new/holdfast" });
    expect(moved.add(text)).toBe(text.replaceAll("/opt/holdfast/bin/holdfast", "/new/holdfast"));
    const byHand = JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command: CALL }] }] } });
    expect(JSON.parse(userEdit.add(byHand)).hooks.PreToolUse).toEqual(
      JSON.parse(userEdit.add(undefined)).hooks.PreToolUse,
    );
  });

  it("hooks that only look like ours are left alone", () => {
    const theirs = [
      { type: "command", command: "/opt/holdfast/bin/holdfast hook --host gemini" },
      { type: "command", command: `${CALL} || true` },
      { type: "http", command: CALL },
      { type: "command", command: `echo ${CALL}` },
    ];
    const text = JSON.stringify({ hooks: { PreToolUse: [{ hooks: theirs }] } });
    expect(userEdit.remove(text)).toBe(text);
    expect(JSON.parse(userEdit.add(text)).hooks.PreToolUse[0].hooks).toEqual(theirs);
  });

  it("a group that others share keeps theirs", () => {
    const their = { type: "command", command: "their hook" };
    const shared = JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: "command", command: CALL }, their] }] } });
    expect(JSON.parse(userEdit.add(shared)).hooks.Stop).toMatchObject([{ hooks: [{ timeout: 50 }, their] }]);
    expect(JSON.parse(userEdit.remove(shared) ?? "").hooks.Stop).toEqual([{ hooks: [their] }]);
  });

  it.each([
    ["{", "is not valid JSON"],
    ["", "is empty"],
    [`{"a": 1,}`, "is not valid JSON"],
    [`{"a": 1, // one\n}`, "is not valid JSON"],
    ["[]", "does not hold a JSON object"],
    [`{"hooks": []}`, `has "hooks" that is not an object`],
    [`{"hooks": {"PreToolUse": {}}}`, `has "hooks.PreToolUse" that is not a list`],
    [`{"hooks": {}, /* again */ "hooks": {}}`, `has "hooks" twice`],
    [`{"mcpServers": []}`, `has "mcpServers" that is not an object`],
    [`{"mcpServers": {"holdfast": {"command": "theirs"}}}`, "that is not ours"],
  ])("%j is not touched: %s", (text, problem) => {
    expect(() => edit.add(text)).toThrow(HoldfastError);
    expect(() => edit.add(text)).toThrow(problem);
  });
});

describe("the shell between Qwen Code and us", () => {
  const directory = mkdtempSync(join(tmpdir(), "holdfast qwen's "));
  afterAll(() => rmSync(directory, { recursive: true }));

  function runs(event: string, body: string | undefined) {
    const program = join(directory, "holdfast");
    rmSync(program, { force: true });
    if (body !== undefined) writeFileSync(program, `#!/bin/sh\n${body}\n`);
    if (body !== undefined) chmodSync(program, 0o755);
    const { hooks } = JSON.parse(editOf({ program }).add(undefined));
    return spawnSync("bash", ["-c", hooks[event][0].hooks[0].command], { encoding: "utf8" });
  }

  it.each([
    ["printf answer", 0, "answer", ""],
    ["echo why >&2; exit 2", 2, "", "why\n"],
  ])("%s is passed on", (body, status, stdout, stderr) => {
    expect(runs("PreToolUse", body)).toMatchObject({ status, stdout, stderr });
  });

  it.each([["exit 1"], ["exit 3"], ["kill -9 $$"], ["printf '{\"half'; kill -9 $$"], [undefined]])(
    "%s stops the call and the prompt, and no other event",
    (body) => {
      for (const event of ["PreToolUse", "UserPromptSubmit"]) {
        const { status, stderr } = runs(event, body);
        expect(status).toBe(2);
        expect(stderr).toContain("Blocked by holdfast: its hook ended without an answer.");
      }
      for (const event of ["Stop", "PostToolUse", "SessionStart"]) expect(runs(event, body).status).not.toBe(2);
    },
  );

  it("its text is the same for every POSIX shell", () => {
    const { hooks } = JSON.parse(edit.add(undefined));
    execFileSync("sh", ["-n", "-c", hooks.PreToolUse[0].hooks[0].command]);
  });
});
