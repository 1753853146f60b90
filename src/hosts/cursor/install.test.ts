import { describe, expect, it } from "vitest";
import { HoldfastError } from "../../core/errors.ts";
import type { FileEdit, InstallTarget } from "../host.ts";
import { describeSettingsEdit, targetOf } from "../install-conformance.fixture.ts";
import { cursor } from "./host.ts";
import { install } from "./install.ts";
import { program } from "./program.ts";

const editsOf = (changes: Partial<InstallTarget> = {}) => install.edits(targetOf(changes));

function editOf(changes: Partial<InstallTarget> = {}): FileEdit {
  const [edit] = editsOf(changes);
  if (!edit) throw new Error("no edit");
  return edit;
}

const edit = editOf();
const CREATED = edit.add(undefined);
const EVENTS = Object.keys(JSON.parse(CREATED).hooks);
const COMMAND = "/opt/holdfast/bin/holdfast hook --host cursor";

describe("installing for Cursor", () => {
  describeSettingsEdit(edit, EVENTS, { version: 1 });

  it("each level has its files; this checkout only has none of its own", () => {
    const pathsOf = (changes: Partial<InstallTarget>) => editsOf(changes).map(({ path }) => path);
    const project = ["/project/.cursor/hooks.json", "/project/.cursor/mcp.json"];
    expect(pathsOf({})).toEqual(project);
    expect(pathsOf({ level: "local" })).toEqual(project);
    expect(pathsOf({ level: "user" })).toEqual(["/home/user/.cursor/hooks.json", "/home/user/.cursor/mcp.json"]);
    const managed = process.platform === "darwin" ? "/Library/Application Support/Cursor" : "/etc/cursor";
    expect(pathsOf({ level: "managed" })).toEqual([`${managed}/hooks.json`]);
  });

  it("only documented events are registered, each call once, and what guards fails closed", () => {
    const { version, hooks } = JSON.parse(CREATED);
    expect(version).toBe(1);
    expect(EVENTS).toEqual([
      "sessionStart",
      "sessionEnd",
      "beforeSubmitPrompt",
      "preToolUse",
      "beforeMCPExecution",
      "postToolUse",
      "postToolUseFailure",
      "subagentStart",
      "subagentStop",
      "stop",
      "preCompact",
    ]);
    expect(hooks.preToolUse).toEqual([{ command: COMMAND, timeout: 60, matcher: "^(?!MCP:)", failClosed: true }]);
    expect(hooks.beforeMCPExecution).toEqual([{ command: COMMAND, timeout: 60, failClosed: true }]);
    expect(hooks.stop).toEqual([{ command: COMMAND, timeout: 60 }]);
    expect(EVENTS.filter((event) => hooks[event][0].failClosed)).toEqual([
      "beforeSubmitPrompt",
      "preToolUse",
      "beforeMCPExecution",
    ]);
    const matcher = new RegExp(hooks.preToolUse[0].matcher);
    expect(["Shell", "Write", "Task", "MyMCP:x", "MCP:query"].filter((tool) => matcher.test(tool))).toEqual([
      "Shell",
      "Write",
      "Task",
      "MyMCP:x",
    ]);
  });

  it("a file that was created for us alone is gone after removing, a person's stays as it was", () => {
    expect(edit.remove(CREATED)).toBeUndefined();
    for (const text of [`{"version":1}`, `{"hooks":{},"version":1}`, `{\n  "version": 1\n}\n`]) {
      expect(edit.remove(edit.add(text))).toBe(text);
    }
  });

  it("another program path is updated in place, and an entry on an event that is not ours is taken out", () => {
    const theirs = { command: "./audit.sh" };
    const ours = { command: "/old/holdfast hook --host cursor" };
    const before = { version: 1, hooks: { preToolUse: [theirs, ours], beforeShellExecution: [theirs, ours] } };
    const { hooks } = JSON.parse(edit.add(JSON.stringify(before, null, 2)));
    expect(hooks.preToolUse.map(({ command }: { command: string }) => command)).toEqual(["./audit.sh", COMMAND]);
    expect(hooks.beforeShellExecution).toEqual([theirs]);
  });

  it.each([
    ["{", /not valid JSON/],
    ["{}", /no "version"/],
    [`{"version":"1"}`, /no "version"/],
    [`{"version":0,"hooks":{}}`, /no "version"/],
    [`{"version":1,"hooks":[]}`, /not an object/],
    [`{"version":1,"hooks":{"stop":{}}}`, /not a list/],
  ])("%s is left alone with an error", (text, message) => {
    expect(() => edit.add(text)).toThrow(HoldfastError);
    expect(() => edit.add(text)).toThrow(message);
  });

  it("comments stay where they are", () => {
    const text = `{"version":1} // mine`;
    expect(edit.add(text)).toContain("// mine");
    expect(edit.remove(edit.add(text))).toBe(text);
  });

  it("a program path that Cursor would cut off is refused", () => {
    expect(() => editOf({ program: "/opt//holdfast" })).toThrow(/cut/);
  });
});

describe("whether Cursor heeds the file", () => {
  const trustOf = (text: string | undefined) => program.trust?.(targetOf({ readFile: () => text }));

  it("a file of ours is heeded, and none at all is no problem", () => {
    expect(trustOf(CREATED)).toEqual({ state: "trusted" });
    expect(trustOf(undefined)).toEqual({ state: "trusted" });
    expect(cursor.registers(CREATED)).toBe(true);
    expect(cursor.registers(edit.add(`{"version":1,"hooks":{"stop":[{"command":"a"}]}}`))).toBe(true);
  });

  it.each([
    ["an unknown event", CREATED.replace(`"stop"`, `"notification"`), /notification/],
    ["a URL", CREATED.replace("{", `{"note":"http://x",`), /\/\//],
    ["no version", CREATED.replace(`"version": 1`, `"note": 1`), /version/],
    ["half a file", CREATED.slice(0, 100), /not valid JSON/],
    ["an empty file", "", /not valid JSON/],
  ])("%s voids it: doctor can say so, and nobody relies on it", (_, text, why) => {
    const trust = trustOf(text);
    expect(trust?.state === "untrusted" && trust.why).toMatch(why);
    expect(cursor.registers(text)).toBe(false);
  });

  it.each([
    ["another's hooks", `{"version":1,"hooks":{"preToolUse":[{"command":"theirs"}]}}`],
    ["no MCP tools", CREATED.replace(`"beforeMCPExecution"`, `"afterAgentThought"`)],
    ["one tool only", CREATED.replace("^(?!MCP:)", "Shell")],
    ["another host's", CREATED.replaceAll("--host cursor", "--host claude-code")],
  ])("a file with %s is heeded, but does not call us for every tool", (_, text) => {
    expect(trustOf(text)).toEqual({ state: "trusted" });
    expect(cursor.registers(text)).toBe(false);
  });
});
