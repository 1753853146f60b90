import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HoldfastError } from "../../core/errors.ts";
import type { FileEdit, InstallTarget } from "../host.ts";
import { describeSettingsEdit, targetOf } from "../install-conformance.fixture.ts";
import { readToml } from "../toml-text.ts";
import { install } from "./install.ts";
import { program } from "./program.ts";
import { trustedHash } from "./trust.ts";

const PROGRAM = "/opt/holdfast/bin/holdfast";
const HOOKS = "/project/.codex/hooks.json";
const USER = "/home/user/.codex/config.toml";

/** A machine with these files. */
const having = (files: Readonly<Record<string, string>>, changes: Partial<InstallTarget> = {}): InstallTarget =>
  targetOf({ readFile: (path) => files[path], ...changes });

const editsOf = (changes: Partial<InstallTarget> = {}) => install.edits(targetOf(changes));
const [edit, mcp] = editsOf() as [FileEdit, FileEdit];
const trustIn = (target: InstallTarget) => install.consents?.(target)[0] as FileEdit;
const statesOf = (text: string) =>
  (readToml(text).hooks as { state: Record<string, { trusted_hash: string }> } | undefined)?.state ?? {};
const EVENTS = Object.keys(JSON.parse(edit.add(undefined)).hooks);
const foreign = { matcher: "Bash", hooks: [{ type: "command", command: "theirs" }] };

function refused(change: () => unknown, file: string, message: RegExp): void {
  expect(change).toThrow(HoldfastError);
  try {
    change();
  } catch (error) {
    expect(error).toMatchObject({ code: "HF401", place: { file } });
    expect((error as Error).message).toMatch(message);
  }
}

describe("installing for Codex: hooks.json", () => {
  describeSettingsEdit(edit, EVENTS);

  it("each level has its file, and CODEX_HOME moves the user's", () => {
    const pathOf = (changes: Partial<InstallTarget>) => editsOf(changes)[0]?.path;
    expect(pathOf({})).toBe(HOOKS);
    expect(pathOf({ level: "local" })).toBe(HOOKS);
    expect(pathOf({ level: "user" })).toBe("/home/user/.codex/hooks.json");
    expect(pathOf({ level: "user", env: { CODEX_HOME: "/c" } })).toBe("/c/hooks.json");
    expect(pathOf({ level: "managed" })).toBe("/etc/codex/hooks.json");
  });

  it("a new file registers every event of the support table, for all tools", () => {
    expect(EVENTS).toEqual([
      "SessionStart",
      "SessionEnd",
      "UserPromptSubmit",
      "PreToolUse",
      "PermissionRequest",
      "PostToolUse",
      "SubagentStart",
      "SubagentStop",
      "Stop",
      "PreCompact",
      "PostCompact",
    ]);
    const { hooks } = JSON.parse(edit.add(undefined));
    const command = `${PROGRAM} hook --host codex`;
    expect(hooks.PostToolUse).toEqual([{ hooks: [{ type: "command", command, timeout: 60 }] }]);
    expect(hooks.SessionEnd).toEqual([{ hooks: [{ type: "command", command, timeout: 3 }] }]);
    const guarding = EVENTS.filter((event) => hooks[event][0].hooks[0].command.startsWith("sh -c '"));
    expect(guarding).toEqual(["UserPromptSubmit", "PreToolUse", "PermissionRequest"]);
  });

  it("another program path is updated in place, and so is a command that somebody wrote by hand", () => {
    const text = edit.add(undefined);
    const [moved] = editsOf({ program: "/new dir/holdfast" }) as [FileEdit];
    expect(moved.add(text)).toBe(text.replaceAll(PROGRAM, "'/new dir/holdfast'"));
    const byHand = JSON.stringify({
      hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "~/bin/holdfast hook --host codex" }] }] },
    });
    expect(JSON.parse(edit.add(byHand)).hooks.PreToolUse).toEqual(JSON.parse(text).hooks.PreToolUse);
    expect(edit.remove(byHand)).toBe(`{"hooks":{"PreToolUse":[]}}`);
  });

  it("hooks that only look like ours are left alone", () => {
    const theirs = [
      { type: "command", command: `${PROGRAM} hook --host claude-code` },
      { type: "command", command: `echo ${PROGRAM} hook --host codex` },
      { type: "command", command: `sh -c 'x' holdfast ${PROGRAM} hook --host codex; true` },
      { type: "mcp_tool", command: `${PROGRAM} hook --host codex` },
    ];
    const text = JSON.stringify({ hooks: { PreToolUse: [{ hooks: theirs }] } });
    expect(edit.remove(text)).toBe(text);
  });

  it.each(["{", "", `{"a": 1,}`, `{ /* mine */ }`, `[]`, `{"hooks": []}`, `{"hooks": {"PreToolUse": {}}}`])(
    "%j is not touched",
    (text) => refused(() => edit.add(text), HOOKS, /hooks\.json/),
  );

  it("a file that Codex would drop whole is not touched", () => {
    const text = JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: "http", url: "http://x" }] }] } });
    refused(() => edit.add(text), HOOKS, /"http"/);
  });

  it("N-5 where config.toml of the same layer has hooks, nothing is registered beside them; its trust does not count", () => {
    const config = "/project/.codex/config.toml";
    const add = (text: string) => install.edits(having({ [config]: text }))[0]?.add(undefined);
    refused(() => add(`[[hooks.PreToolUse]]\nmatcher = "Bash"\n`), config, /has hooks of its own \(PreToolUse\)/);
    refused(() => add("[hooks"), config, /cannot be changed/);
    for (const text of [`[hooks.state."x"]\ntrusted_hash = "y"\n`, "[hooks]\n", `model = "gpt-5.5"\n`]) {
      expect(add(text)).toBe(edit.add(undefined));
    }
    const user = having({ [USER]: "[[hooks.Stop]]\n" }, { level: "user" });
    refused(() => install.edits(user)[0]?.add(undefined), USER, /hooks of its own/);
    expect(install.edits(having({ [USER]: "[[hooks.Stop]]\n" }))[0]?.add(undefined)).toBe(edit.add(undefined));
  });
});

describe("the command Codex runs on events that guard", () => {
  const command: string = JSON.parse(edit.add(undefined)).hooks.PreToolUse[0].hooks[0].command;

  /** What Codex would see, with this text in the place of our program, or with no program at all. */
  function run(script: string | undefined) {
    const dir = mkdtempSync(join(tmpdir(), "holdfäst 'quoted' "));
    const path = join(dir, "holdfast");
    if (script !== undefined) writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const [closed] = editsOf({ program: path }) as [FileEdit];
    const line: string = JSON.parse(closed.add(undefined)).hooks.PreToolUse[0].hooks[0].command;
    try {
      const stdout = execFileSync("bash", ["-c", line], { input: "{}", encoding: "utf8", stdio: "pipe" });
      return { stdout, stderr: "", status: 0 };
    } catch (error) {
      const { stdout, stderr, status } = error as { stdout: string; stderr: string; status: number };
      return { stdout, stderr, status };
    } finally {
      rmSync(dir, { recursive: true });
    }
  }

  it("passes on our answer, our block and the payload as they are", () => {
    expect(run(`cat; printf '%s' "$*"`)).toEqual({ stdout: "{}hook --host codex", stderr: "", status: 0 });
    expect(run("echo no >&2; exit 2")).toEqual({ stdout: "", stderr: "no\n", status: 2 });
  });

  it.each([
    ["is not there", undefined, 127],
    ["fails", "exit 1", 1],
    ["is killed", "kill -9 $$", 137],
  ])("blocks where our program %s", (_, script, code) => {
    const { stderr, status } = run(script);
    expect(status).toBe(2);
    expect(stderr).toContain(`Blocked by holdfast: it could not run (exit code ${code})`);
  });

  it("holds nothing that shells other than sh read in another way", () => {
    expect(command.replace(/'[^']*'/, "")).toMatch(/^[\w /.-]+$/);
  });
});

describe("installing for Codex: the MCP server", () => {
  it("stands in the project's config.toml, and nowhere else", () => {
    expect(mcp.path).toBe("/project/.codex/config.toml");
    expect(mcp.add(undefined)).toBe(`[mcp_servers.holdfast]\ncommand = "${PROGRAM}"\nargs = ["mcp"]\n`);
    expect(mcp.remove(mcp.add(undefined))).toBeUndefined();
    expect(editsOf({ level: "user" })).toHaveLength(1);
    expect(editsOf({ level: "managed" })).toHaveLength(1);
  });

  it("keeps comments and order, and gives back every byte", () => {
    const text = `# mine\nmodel = "gpt-5.5" # best\n\n[mcp_servers.other]\ncommand = "x"`;
    const added = mcp.add(text);
    expect(added.startsWith(text)).toBe(true);
    expect(mcp.add(added)).toBe(added);
    expect(mcp.remove(added)).toBe(text);
  });

  it("another path of ours is updated in place, and a server of that name that is not ours is refused", () => {
    const [, moved] = editsOf({ program: "/new/holdfast" }) as [FileEdit, FileEdit];
    const text = mcp.add("a = 1\n").replace("[mcp", "# ours\n[mcp");
    expect(moved.add(text)).toBe(text.replace(PROGRAM, "/new/holdfast"));
    refused(() => mcp.add(`[mcp_servers.holdfast]\nurl = "https://x"\n`), mcp.path, /not ours/);
    expect(mcp.remove(`[mcp_servers.holdfast]\nurl = "https://x"\n`)).toBe(
      `[mcp_servers.holdfast]\nurl = "https://x"\n`,
    );
    refused(() => mcp.add("a = "), mcp.path, /cannot be changed/);
  });

  it("is left out where the project's file is the person's own", () => {
    expect(editsOf({ env: { CODEX_HOME: "/project/.codex" } })).toHaveLength(1);
  });
});

describe("a person's trust in our hooks", () => {
  it("is written for every hook, by its place and the hash that Codex computes", () => {
    const states = statesOf(trustIn(having({})).add(undefined));
    expect(Object.keys(states)).toHaveLength(EVENTS.length);
    // As `codex app-server` of 0.166.0 reported it (hooks/list, currentHash).
    expect(trustedHash("PreToolUse", undefined, { command: "true", timeout: 60 })).toBe(
      "sha256:8091a255399822ce7f06a458d89f7fb7fb1ef60a4c32a9f47202cf1b5c5a7b85",
    );
    expect(trustedHash("SessionEnd", undefined, { command: "true", timeout: 3 })).toBe(
      "sha256:0408973db4c606ef0b942b13de03431201c09e7746a6fbf2d078370f1af83d68",
    );
  });

  it("follows our place among the hooks of others", () => {
    const files = { [HOOKS]: JSON.stringify({ hooks: { PreToolUse: [foreign, foreign], Stop: [] } }) };
    const keys = Object.keys(statesOf(trustIn(having(files)).add("")));
    expect(keys).toContain(`${HOOKS}:pre_tool_use:2:0`);
    expect(keys).toContain(`${HOOKS}:stop:0:0`);
    const shared = {
      hooks: [
        { type: "command", command: "theirs" },
        { type: "command", command: `${PROGRAM} hook --host codex` },
      ],
    };
    const inGroup = { [HOOKS]: JSON.stringify({ hooks: { PreToolUse: [shared] } }) };
    expect(Object.keys(statesOf(trustIn(having(inGroup)).add("")))).toContain(`${HOOKS}:pre_tool_use:0:1`);
  });

  it("adding twice changes no byte, and removing gives back every byte, comments and other trust included", () => {
    const theirs = `# mine\nmodel = "x"\n\n[hooks.state."${HOOKS}:stop:7:0"] # theirs\ntrusted_hash = "sha256:theirs"\n\n[hooks.state."/elsewhere:stop:0:0"]\ntrusted_hash = "sha256:other"`;
    const files = { [HOOKS]: edit.add(undefined) };
    const trust = trustIn(having(files));
    const added = trust.add(theirs);
    expect(trust.add(added)).toBe(added);
    expect(trust.remove(added)).toBe(theirs);
    expect(trust.remove(trust.add(undefined))).toBeUndefined();
    // Also when the registration is already gone.
    expect(trustIn(having({})).remove(added)).toBe(theirs);
  });

  it("what is stale is replaced: of another path of ours, and where we stood before", () => {
    const old = trustIn(having({}, { program: "/old/holdfast" })).add("");
    const updated = trustIn(having({ [HOOKS]: edit.add(undefined) })).add(old);
    expect(updated).toBe(trustIn(having({})).add(""));

    const before = trustIn(having({})).add("");
    const files = { [HOOKS]: JSON.stringify({ hooks: { PreToolUse: [foreign] } }) };
    const states = statesOf(trustIn(having(files)).add(before));
    expect(states[`${HOOKS}:pre_tool_use:0:0`]).toBeUndefined();
    expect(states[`${HOOKS}:pre_tool_use:1:0`]).toBeDefined();
    expect(Object.keys(states)).toHaveLength(EVENTS.length);
  });

  it("includes the project, which without it has no hooks; what a person or Codex said of it stays", () => {
    const projects = (text: string) => readToml(text).projects;
    const trust = trustIn(having({}));
    expect(trust.add(undefined).startsWith(`[projects."/project"]\ntrust_level = "trusted" # by holdfast init\n`)).toBe(
      true,
    );
    const said = (level: string) => `[projects."/project"]\ntrust_level = "${level}"\n`;
    for (const level of ["trusted", "untrusted"]) {
      const added = trust.add(said(level));
      expect(projects(added)).toEqual({ "/project": { trust_level: level } });
      expect(trust.remove(added)).toBe(said(level));
    }
    const other = `[projects."/project"]\nnote = "mine"\n`;
    expect(projects(trust.add(other))).toEqual({ "/project": { trust_level: "trusted", note: "mine" } });
    expect(trust.remove(trust.add(other))).toBe(other);
    expect(trustIn(having({}, { level: "user" })).add(undefined)).not.toContain("projects");
  });

  it("needs none where an administrator registered us, and is refused where the file allows no change", () => {
    expect(install.consents?.(targetOf({ level: "managed" }))).toEqual([]);
    refused(() => trustIn(having({})).add("hooks = { state = {} }\n"), USER, /cannot be changed/);
    refused(() => trustIn(having({})).add("[hooks"), USER, /cannot be changed/);
  });
});

describe("whether Codex heeds the registration", () => {
  const registered = { [HOOKS]: edit.add(undefined) };
  const trusted = trustIn(having(registered)).add(undefined);
  const trustOf = (files: Readonly<Record<string, string>>, changes: Partial<InstallTarget> = {}) =>
    program.trust?.(having(files, changes));

  it("it does once every hook is trusted, and an administrator's always", () => {
    expect(trustOf({ ...registered, [USER]: trusted })).toEqual({ state: "trusted" });
    const managed = { "/etc/codex/hooks.json": edit.add(undefined) };
    expect(trustOf(managed, { level: "managed" })).toEqual({ state: "trusted" });
  });

  it.each([
    ["nothing is registered", {}, /does not register/],
    ["the file cannot be read", { [HOOKS]: "{" }, /does not register/],
    ["nothing is trusted", registered, /loads no hooks/],
    ["no hook is trusted", { ...registered, [USER]: `[projects."/project"]\ntrust_level = "trusted"\n` }, /11 of 11/],
    ["one hash is another", { ...registered, [USER]: trusted.replace(/sha256:./, "sha256:x") }, /1 of 11/],
    ["hooks are off", { ...registered, [USER]: `${trusted}\n[features]\nhooks = false\n` }, /turns all hooks off/],
    [
      "the project is untrusted",
      { ...registered, [USER]: trusted.replace('"trusted"', '"untrusted"') },
      /loads no hooks/,
    ],
    [
      "nobody spoke of the project",
      { ...registered, [USER]: trusted.replace(/^trust_level.*$/m, "") },
      /loads no hooks/,
    ],
    [
      "one is switched off",
      { ...registered, [USER]: trusted.replace("trusted_hash", "enabled = false\ntrusted_hash") },
      /switched off/,
    ],
  ])("it does not where %s, and says what to do", (_, files, why) => {
    expect(trustOf(files as Record<string, string>)).toMatchObject({
      state: "untrusted",
      why: expect.stringMatching(why),
      fix: expect.stringMatching(/./),
    });
  });
});

describe("Codex's own list of hooks", () => {
  const { ownCheck } = program;
  const said = (hooks: readonly object[], more: object = {}) => ({
    stdout: `{"id":1,"result":{}}\n${JSON.stringify({ id: 2, result: { data: [{ cwd: "/p", hooks, warnings: [], errors: [], ...more }] } })}\n`,
    stderr: "",
    exitCode: 0,
  });
  const hook = { key: "k", command: `${PROGRAM} hook --host codex`, enabled: true, trustStatus: "trusted" };

  it("is waited for, and all is well where every hook of ours is trusted", () => {
    expect(ownCheck?.answered?.(`{"id":1,"result":{}}\n{"id":2,"res`)).toBe(false);
    expect(ownCheck?.answered?.(said([]).stdout)).toBe(true);
    expect(
      ownCheck?.problems(
        said([hook, { ...hook, trustStatus: "managed" }, { command: "theirs", trustStatus: "untrusted" }]),
      ),
    ).toEqual([]);
  });

  it("tells what is not heeded", () => {
    expect(ownCheck?.problems(said([]))).toEqual([expect.stringContaining("no hook of ours")]);
    expect(ownCheck?.problems(said([{ ...hook, trustStatus: "modified" }]))).toEqual(["k is modified"]);
    expect(ownCheck?.problems(said([{ ...hook, enabled: false }]))).toEqual(["k is switched off"]);
    expect(ownCheck?.problems(said([hook], { errors: [{ message: "bad" }] }))).toEqual([`{"message":"bad"}`]);
    expect(ownCheck?.problems({ stdout: "", stderr: "", exitCode: 1 })).toEqual([
      expect.stringContaining("did not answer"),
    ]);
  });
});
