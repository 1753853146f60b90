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
const CALL = "/opt/holdfast/bin/holdfast hook --host gemini";

describe("installing for Gemini CLI", () => {
  describeSettingsEdit(userEdit, EVENTS);

  it("each level has its file, and the program's own variables move them", () => {
    expect(edit.path).toBe("/project/.gemini/settings.json");
    expect(editOf({ level: "local" }).path).toBe("/project/.gemini/settings.json");
    expect(userEdit.path).toBe("/home/user/.gemini/settings.json");
    expect(editOf({ level: "user", env: { GEMINI_CLI_HOME: "/conf" } }).path).toBe("/conf/.gemini/settings.json");
    const env = { GEMINI_CLI_SYSTEM_SETTINGS_PATH: "/managed/settings.json" };
    expect(editOf({ level: "managed", env }).path).toBe("/managed/settings.json");
    expect(editOf({ level: "managed" }).path).toMatch(/^\/.+\/settings\.json$/);
  });

  it("a new file registers the events of the support table, in milliseconds, and none that comes with every model turn", () => {
    expect(EVENTS).toEqual([
      "SessionStart",
      "SessionEnd",
      "BeforeAgent",
      "BeforeTool",
      "AfterTool",
      "AfterAgent",
      "Notification",
    ]);
    const { hooks, mcpServers } = JSON.parse(edit.add(undefined));
    expect(hooks.AfterTool).toEqual([
      { matcher: "*", hooks: [{ name: "holdfast", type: "command", command: CALL, timeout: 60_000 }] },
    ]);
    expect(hooks.AfterAgent[0].matcher).toBeUndefined();
    expect(hooks.BeforeTool[0].hooks[0].command.startsWith(`${CALL} || case $? in `)).toBe(true);
    expect(mcpServers).toEqual({ holdfast: { command: "/opt/holdfast/bin/holdfast", args: ["mcp"] } });
    expect(JSON.parse(userEdit.add(undefined)).mcpServers).toBeUndefined();
  });

  const SETTINGS = [
    "{}",
    "{ }\n",
    `{"hooks":{}}`,
    `{"mcpServers":{}}`,
    `{\n  "mcpServers": {\n    "x": {"command": "y"}\n  },\n  "hooks": {"BeforeTool": []}\n}\n`,
    `{\n\t"ui": {"theme": "dark"}\n}\n`,
    `// mine\n{\n  // the theme, and\n  "ui": {"theme": "dark"} // , why\n}\n// end\n`,
    `{ /* nothing yet */ }`,
    `{ // nothing yet\n}`,
    `{\n  "hooks": { // mine\n    "BeforeTool": [ /* none */ ]\n  }, /* , */\n  "mcpServers": { // none\n  }\n}`,
    `{"hooks": {"AfterTool": [{"matcher": "x", "hooks": [{"type": "command", "command": "theirs"}]} // theirs\n]}}`,
  ];

  it.each(SETTINGS)("%j: hooks and server come and go to the byte, comments and all", (text) => {
    const added = edit.add(text);
    expect(edit.add(added)).toBe(added);
    expect(edit.remove(added)).toBe(text);
    const settings = JSON.parse(stripComments(added));
    for (const event of EVENTS) expect(settings.hooks[event].at(-1).hooks[0].name).toBe("holdfast");
    expect(settings.mcpServers.holdfast.args).toEqual(["mcp"]);
    for (const comment of text.match(/\/\/.*|\/\*.*?\*\//g) ?? []) expect(added).toContain(comment);
  });

  it("a file that was created for us alone is gone after removing", () => {
    expect(edit.remove(edit.add(undefined))).toBeUndefined();
    expect(userEdit.remove(userEdit.add(undefined))).toBeUndefined();
  });

  it("comments that a person wrote around ours stay when ours goes", () => {
    const [ours] = JSON.parse(userEdit.add(undefined)).hooks.BeforeTool;
    const theirs = `{"hooks": [{"type": "command", "command": "theirs"}]}`;
    const text = `{"hooks": {"BeforeTool": [
      // before, ours
      ${JSON.stringify(ours)}, // after, ours
      ${theirs} // after theirs
      , /* between, them */ ${JSON.stringify(ours)}
    ]}}`;
    const left = userEdit.remove(text) ?? "";
    for (const comment of ["// before, ours", "// after, ours", "// after theirs", "/* between, them */"]) {
      expect(left).toContain(comment);
    }
    expect(JSON.parse(stripComments(left))).toEqual({ hooks: { BeforeTool: [JSON.parse(theirs)] } });
  });

  it("another program path is updated in place, with or without the shell that stands by", () => {
    const text = edit.add(`{\n  "ui": {}\n}\n`);
    const moved = editOf({ program: "/new/holdfast" });
    expect(moved.add(text)).toBe(text.replaceAll("/opt/holdfast/bin/holdfast", "/new/holdfast"));
    const byHand = {
      hooks: { BeforeTool: [{ hooks: [{ type: "command", command: "~/bin/holdfast hook --host gemini" }] }] },
    };
    expect(JSON.parse(edit.add(JSON.stringify(byHand))).hooks.BeforeTool).toEqual(
      JSON.parse(edit.add(undefined)).hooks.BeforeTool,
    );
    expect(edit.remove(JSON.stringify(byHand, null, 2))).toBeUndefined();
  });

  it("hooks that only look like ours are left alone", () => {
    const theirs = [
      { type: "command", command: "/opt/holdfast/bin/holdfast hook --host qwen" },
      { type: "command", command: `${CALL} || true` },
      { type: "command", command: `echo ${CALL}` },
      { type: "plugin", command: CALL },
    ];
    const text = JSON.stringify({ hooks: { BeforeTool: [{ hooks: theirs }] } });
    expect(edit.remove(text)).toBe(text);
    expect(JSON.parse(edit.add(text)).hooks.BeforeTool[0].hooks).toEqual(theirs);
  });

  it.each([
    ["{", "is not valid JSON"],
    ["", "is "],
    [`{"a": 1,}`, "is not valid JSON"],
    [`{"a": 1, // last\n}`, "is not valid JSON"],
    ["[]", "does not hold a JSON object"],
    [`{"hooks": []}`, `has "hooks" that is not an object`],
    [`{"hooks": {"BeforeTool": {}}}`, `has "hooks.BeforeTool" that is not a list`],
    [`{"hooks": {}, "hooks": {}}`, `has "hooks" twice`],
    [`{"mcpServers": []}`, `has "mcpServers" that is not an object`],
  ])("%j is not touched: %s", (text, problem) => {
    for (const change of [edit.add, edit.remove]) {
      expect(() => change(text)).toThrow(HoldfastError);
      expect(() => change(text)).toThrow(`${edit.path} ${problem}`);
    }
  });
});

describe("the shell that stands by", () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfäst standby "));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** What Gemini CLI would see of a hook that does this. */
  function seen(body: string) {
    const program = join(folder, "holdfast");
    writeFileSync(program, `#!/bin/sh\n${body}\n`);
    chmodSync(program, 0o755);
    const { hooks } = JSON.parse(editOf({ program }).add(undefined));
    const { stdout, stderr, status } = spawnSync("bash", ["-c", hooks.BeforeTool[0].hooks[0].command], {
      encoding: "utf8",
    });
    return { stdout, stderr, status };
  }

  it("leaves every answer of ours as it is", () => {
    expect(seen(`printf '{"decision":"deny"}'`)).toEqual({ stdout: `{"decision":"deny"}`, stderr: "", status: 0 });
    expect(seen("echo closed >&2; exit 2")).toEqual({ stdout: "", stderr: "closed\n", status: 2 });
    expect(seen("echo careful >&2; exit 1")).toEqual({ stdout: "", stderr: "careful\n", status: 1 });
  });

  it("blocks where a hook is killed, missing, or ends in a way of its own", () => {
    for (const body of ["kill -9 $$", "exit 3", "exec /nowhere"]) {
      const { stderr, status } = seen(body);
      expect([stderr.includes("Blocked by holdfast: its hook ended without an answer."), status]).toEqual([true, 2]);
    }
    execFileSync("rm", [join(folder, "holdfast")]);
    const { hooks } = JSON.parse(editOf({ program: join(folder, "holdfast") }).add(undefined));
    expect(spawnSync("bash", ["-c", hooks.BeforeTool[0].hooks[0].command]).status).toBe(2);
  });
});

describe("vouching for a project", () => {
  const [consent] = install.consents?.(targetOf()) ?? [];
  if (!consent) throw new Error("no consent");

  it("has its file, and the program's own variable moves it", () => {
    expect(consent.path).toBe("/home/user/.gemini/trustedFolders.json");
    const env = { GEMINI_CLI_TRUSTED_FOLDERS_PATH: "/trust.json" };
    expect(install.consents?.(targetOf({ env }))[0]?.path).toBe("/trust.json");
  });

  it.each([
    "{}",
    "{\n}\n",
    `{"/other":"TRUST_FOLDER"}`,
    `{\n  // mine\n  "/other": "DO_NOT_TRUST" // why\n}\n`,
    `{"/project/sub":"TRUST_FOLDER"}`,
    `{"/proj":"TRUST_FOLDER"}`,
    `{"/":"DO_NOT_TRUST"}`,
  ])("%j: the folder comes and goes to the byte", (text) => {
    const added = consent.add(text);
    expect(added).not.toBe(text);
    expect(consent.add(added)).toBe(added);
    expect(consent.remove(added)).toBe(text);
    expect(JSON.parse(stripComments(added))["/project"]).toBe("TRUST_FOLDER");
  });

  it("is for a project: who registers for all of them vouches for none", () => {
    expect(install.consents?.(targetOf({ level: "local" }))).toHaveLength(1);
    expect(install.consents?.(targetOf({ level: "user" }))).toEqual([]);
    expect(install.consents?.(targetOf({ level: "managed" }))).toEqual([]);
  });

  it("a new file is gone after removing", () => {
    expect(JSON.parse(stripComments(consent.add(undefined)))).toEqual({ "/project": "TRUST_FOLDER" });
    expect(consent.remove(consent.add(undefined))).toBeUndefined();
  });

  it.each([
    `{"/project":"TRUST_FOLDER"}`,
    `{"/project":"DO_NOT_TRUST"}`,
    `{"/":"TRUST_FOLDER"}`,
    `{"/project/sub":"TRUST_PARENT"}`,
  ])("%j: what a person said already stands, before and after", (text) => {
    expect(consent.add(text)).toBe(text);
    expect(consent.remove(text)).toBe(text);
  });

  it("a file that is not valid is not touched", () => {
    for (const text of ["", "{", "[]", `{"a":1,}`]) {
      expect(() => consent.add(text)).toThrow(HoldfastError);
      expect(() => consent.remove(text)).toThrow(consent.path);
    }
  });
});
