import { describe, expect, it } from "vitest";
import { HoldfastError } from "../../core/errors.ts";
import type { FileEdit, InstallTarget } from "../host.ts";
import { describeSettingsEdit, targetOf } from "../install-conformance.fixture.ts";
import { install } from "./install.ts";

function editOf(changes: Partial<InstallTarget> = {}): FileEdit {
  const [edit] = install.edits(targetOf(changes));
  if (!edit) throw new Error("no edit");
  return edit;
}

const edit = editOf();
const EVENTS = Object.keys(JSON.parse(edit.add(undefined)).hooks);
const ARGS = ["hook", "--host", "claude-code"];

describe("installing for Claude Code", () => {
  describeSettingsEdit(edit, EVENTS);

  it("each level has its file, and CLAUDE_CONFIG_DIR moves the user's", () => {
    expect(edit.path).toBe("/project/.claude/settings.json");
    expect(editOf({ level: "local" }).path).toBe("/project/.claude/settings.local.json");
    expect(editOf({ level: "user" }).path).toBe("/home/user/.claude/settings.json");
    expect(editOf({ level: "user", env: { CLAUDE_CONFIG_DIR: "/conf" } }).path).toBe("/conf/settings.json");
  });

  it("a new file registers every event of the support table in exec form", () => {
    const text = edit.add(undefined);
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
    const { hooks } = JSON.parse(text);
    const command = "/opt/holdfast/bin/holdfast";
    expect(hooks.PreToolUse).toEqual([
      { matcher: "*", hooks: [{ type: "command", command, args: ARGS, timeout: 60, onFailure: "block" }] },
    ]);
    expect(hooks.Stop).toEqual([{ hooks: [{ type: "command", command, args: ARGS, timeout: 60 }] }]);
    expect(EVENTS.filter((event) => hooks[event][0].matcher === "*")).toEqual([
      "PreToolUse",
      "PermissionRequest",
      "PostToolUse",
      "PostToolUseFailure",
    ]);
    expect(text.startsWith(`{\n  "hooks": {\n    "SessionStart": [\n      {\n        "hooks": [\n`)).toBe(true);
    expect(text.endsWith("}\n")).toBe(true);
  });

  it("a file that was created for us alone is gone after removing, an empty one of a person stays", () => {
    expect(edit.remove(edit.add(undefined))).toBeUndefined();
    for (const text of ["{}", "{}\n", "{\n}\n", "{ }", `{"hooks":{}}`, `{\n  "hooks": {\n  }\n}\n`]) {
      expect(edit.remove(edit.add(text))).toBe(text);
    }
  });

  it("a person's indentation is taken over", () => {
    const added = edit.add(`{\n\t"model": "opus"\n}\n`);
    expect(added.startsWith(`{\n\t"model": "opus",\n\t"hooks": {\n\t\t"SessionStart": [\n\t\t\t{\n`)).toBe(true);
    expect(added.endsWith(`\n\t}\n}\n`)).toBe(true);
    const beside = edit.add(`{\n    "hooks": {\n        "Stop": [\n            { "hooks": [] }\n        ]\n    }\n}`);
    expect(beside).toContain(`\n            { "hooks": [] },\n            {\n                "hooks": [\n`);
  });

  it("what was empty is filled flush with its bracket, so that it is known to have been there", () => {
    expect(edit.add("{}\n")).toMatch(/^\{"hooks": \{\n {4}"SessionStart": \[\n {6}\{\n/);
    expect(edit.add(`{\n  "hooks": {}\n}`)).toMatch(/^\{\n {2}"hooks": \{"SessionStart": \[\n {6}\{\n/);
    expect(edit.add(`{"a":1}`)).toMatch(/^\{"a":1, "hooks": \{ "SessionStart": \[ \{ "hooks": \[ /);
  });

  it("another program path is updated in place, wherever ours stands", () => {
    const text = edit.add(`{\n  "hooks": {\n    "Stop": []\n  },\n  "model": "opus"\n}\n`);
    const moved = editOf({ program: "/new/holdfast" });
    expect(moved.add(text)).toBe(text.replaceAll("/opt/holdfast/bin/holdfast", "/new/holdfast"));
    expect(moved.remove(text)).toBe(edit.remove(text));
  });

  it("the shell form somebody wrote by hand is ours too, and becomes the exec form", () => {
    const byHand = {
      hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "~/bin/holdfast hook --host claude-code" }] }] },
    };
    const text = JSON.stringify(byHand, null, 2);
    const { hooks } = JSON.parse(edit.add(text));
    expect(hooks.PreToolUse).toEqual(JSON.parse(edit.add(undefined)).hooks.PreToolUse);
    expect(edit.remove(text)).toBeUndefined();
  });

  it("hooks that only look like ours are left alone", () => {
    const theirs = [
      { type: "command", command: "/opt/holdfast/bin/holdfast", args: ["hook", "--host", "codex"] },
      { type: "command", command: "/opt/holdfast/bin/holdfast", args: [...ARGS, "--verbose"] },
      { type: "command", command: "/opt/holdfast-old", args: ARGS },
      { type: "http", command: "/opt/holdfast/bin/holdfast", args: ARGS },
      { type: "command", command: "echo /opt/holdfast/bin/holdfast hook --host claude-code" },
    ];
    const text = JSON.stringify({ hooks: { PreToolUse: [{ hooks: theirs }] } });
    expect(edit.remove(text)).toBe(text);
    expect(JSON.parse(edit.add(text)).hooks.PreToolUse[0].hooks).toEqual(theirs);
  });

  it("a group that others share keeps theirs; ours is updated in it where it is called for everything", () => {
    const ours = { type: "command", command: "/old/holdfast", args: ARGS, timeout: 5 };
    const their = { type: "command", command: "their hook" };
    const shared = (matcher: string) => JSON.stringify({ hooks: { PreToolUse: [{ matcher, hooks: [ours, their] }] } });
    const all = JSON.parse(edit.add(shared("*"))).hooks.PreToolUse;
    expect(all).toMatchObject([
      { matcher: "*", hooks: [{ command: "/opt/holdfast/bin/holdfast", timeout: 60 }, their] },
    ]);
    const some = JSON.parse(edit.add(shared("Bash"))).hooks.PreToolUse;
    expect(some).toMatchObject([{ matcher: "Bash", hooks: [their] }, { matcher: "*" }]);
    expect(JSON.parse(edit.remove(shared("*")) ?? "").hooks.PreToolUse).toEqual([{ matcher: "*", hooks: [their] }]);
  });

  it("ours twice becomes ours once, and ours on an event that is not hooked any more goes", () => {
    const [group] = JSON.parse(edit.add(undefined)).hooks.PreToolUse;
    const text = JSON.stringify({ a: 1, hooks: { PreToolUse: [group, group], Setup: [group] } }, null, 2);
    const { hooks } = JSON.parse(edit.add(text));
    expect([hooks.PreToolUse, hooks.Setup]).toEqual([[group], undefined]);
    expect(edit.remove(text)).toBe(`{\n  "a": 1\n}`);
  });

  it.each([
    ["{", "is not valid JSON"],
    ["", "is empty"],
    [" \n", "is empty"],
    [`{"a": 1,}`, "is not valid JSON"],
    [`{\n  // mine\n  "a": 1\n}`, "holds comments"],
    [`{ /* mine */ }`, "holds comments"],
    [`[]`, "does not hold a JSON object"],
    [`{"hooks": []}`, `has "hooks" that is not an object`],
    [`{"hooks": null}`, `has "hooks" that is not an object`],
    [`{"hooks": {"PreToolUse": {}}}`, `has "hooks.PreToolUse" that is not a list`],
    [`{"hooks": {}, "hooks": {}}`, `has "hooks" twice`],
    [`{"hooks": {"Stop": [], "Stop": []}}`, `has "Stop" twice`],
  ])("%j is not touched: %s", (text, problem) => {
    for (const change of [edit.add, edit.remove]) {
      try {
        change(text);
        expect.unreachable();
      } catch (error) {
        expect(error).toBeInstanceOf(HoldfastError);
        expect(error).toMatchObject({ code: "HF401", place: { file: edit.path } });
        expect((error as Error).message).toContain(`${edit.path} ${problem}`);
      }
    }
  });
});
