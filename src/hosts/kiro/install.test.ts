import { describe, expect, it } from "vitest";
import { HoldfastError } from "../../core/errors.ts";
import { momentOf } from "../conformance.fixture.ts";
import type { FileEdit, InstallTarget } from "../host.ts";
import { describeSettingsEdit, targetOf } from "../install-conformance.fixture.ts";
import { kiro } from "./host.ts";
import { install } from "./install.ts";

const AGENTS = { listFiles: (directory: string) => (directory.endsWith("agents") ? ["b.json", "a.json", "a.md"] : []) };

function editsOf(changes: Partial<InstallTarget> = {}): readonly [FileEdit, ...FileEdit[]] {
  const [first, ...rest] = install.edits(targetOf(changes));
  if (!first) throw new Error("no edits");
  return [first, ...rest];
}

const [hooksFile] = editsOf();
const agentFile = editsOf(AGENTS)[1] as FileEdit;
const COMMAND = "/opt/holdfast/bin/holdfast hook --host kiro";

describe("installing for Kiro: the hooks file of CLI 3 and the IDE", () => {
  it("registers every event under its name of today", () => {
    expect(JSON.parse(hooksFile.add(undefined))).toEqual({
      version: "v1",
      hooks: [
        hook("SessionStart"),
        hook("UserPromptSubmit"),
        { ...hook("PreToolUse"), matcher: ".*" },
        { ...hook("PostToolUse"), matcher: ".*" },
        hook("Stop"),
      ],
    });
  });

  const hook = (trigger: string) => ({
    name: `holdfast-${trigger}`,
    trigger,
    action: { type: "command", command: COMMAND },
    timeout: 10,
    enabled: true,
  });

  it("is all ours: written twice it is the same, written for another path it is replaced, removed it is gone", () => {
    const text = hooksFile.add(undefined);
    expect(hooksFile.add(text)).toBe(text);
    const [moved] = editsOf({ program: "/new/holdfast" });
    expect(moved.add(text)).toBe(moved.add(undefined));
    expect(hooksFile.remove(text)).toBeUndefined();
  });

  it.each(["{", "{}", `{"version":"v1","hooks":[]}`, `{"version":"v1","hooks":[{"action":{"type":"agent"}}]}`])(
    "a file of that name that somebody else wrote (%s) is left alone",
    (text) => {
      expect(() => hooksFile.add(text)).toThrow(HoldfastError);
      expect(hooksFile.remove(text)).toBe(text);
    },
  );
});

describe("installing for Kiro: the agents of CLI 2.x", () => {
  describeSettingsEdit(agentFile, ["agentSpawn", "userPromptSubmit", "preToolUse", "postToolUse", "stop"]);

  it("every agent file gets the hooks, and only those that are there", () => {
    expect(editsOf(AGENTS).map(({ path }) => path)).toEqual([
      "/project/.kiro/hooks/holdfast.json",
      "/project/.kiro/agents/a.json",
      "/project/.kiro/agents/b.json",
      "/project/.kiro/settings/mcp.json",
    ]);
    expect(editsOf({ ...AGENTS, level: "user" }).map(({ path }) => path)[1]).toBe("/home/user/.kiro/agents/a.json");
    expect(editsOf()).toHaveLength(2);
    expect(() => agentFile.add(undefined)).toThrow(/is gone/);
  });

  it("an entry from before events were named is brought up to date in place", () => {
    const text = agentFile.add(`{"hooks": {"stop": [{"command": "${COMMAND}", "timeout_ms": 10000}]}}`);
    expect(JSON.parse(text).hooks.stop).toEqual([{ command: `${COMMAND} --event stop`, timeout_ms: 10_000 }]);
  });

  it("this checkout only is the project's files, and everybody on a machine has none", () => {
    const paths = (level: "project" | "local") => editsOf({ ...AGENTS, level }).map(({ path }) => path);
    expect(paths("local")).toEqual(paths("project"));
    expect(() => editsOf({ level: "managed" })).toThrow(/no settings of the level/);
  });

  it("K-6: both tool events are registered with the matcher *", () => {
    const { hooks } = JSON.parse(agentFile.add(`{"name": "konductor"}`));
    const command = (event: string) => `${COMMAND} --event ${event}`;
    expect(hooks.preToolUse).toEqual([{ matcher: "*", command: command("preToolUse"), timeout_ms: 10_000 }]);
    expect(hooks.postToolUse).toEqual([{ matcher: "*", command: command("postToolUse"), timeout_ms: 10_000 }]);
    expect(hooks.stop).toEqual([{ command: command("stop"), timeout_ms: 10_000 }]);
  });

  it("other hooks of the agent stay, and another program path is updated in place", () => {
    const theirs = { matcher: "*", command: "konductor hook", timeout_ms: 1000 };
    const text = agentFile.add(JSON.stringify({ hooks: { preToolUse: [theirs] } }, null, 2));
    const moved = editsOf({ ...AGENTS, program: "/my dir/holdfast" })[1] as FileEdit;
    const { hooks } = JSON.parse(moved.add(text));
    expect(hooks.preToolUse).toEqual([
      theirs,
      { matcher: "*", command: `'/my dir/holdfast' hook --host kiro --event preToolUse`, timeout_ms: 10_000 },
    ]);
    expect(moved.add(text).split("\n")).toHaveLength(text.split("\n").length);
  });
});

describe("one call of Kiro is judged once", () => {
  const repeats = (hook_event_name: string, event?: string) =>
    kiro.repeats({ hook_event_name }, { ...momentOf({}), event });

  it("what was registered for 2.x and is called by 3 repeats the hooks file; nothing else does", () => {
    expect(repeats("PreToolUse", "preToolUse")).toBe(true);
    expect(repeats("SessionStart", "agentSpawn")).toBe(true);
    expect(repeats("preToolUse", "preToolUse")).toBe(false);
    expect(repeats("PreToolUse")).toBe(false);
  });

  it("and only a hooks file that surely makes Kiro call us before every tool is relied on", () => {
    const text = hooksFile.add(undefined);
    expect(kiro.registers(text)).toBe(true);
    for (const broken of [
      "",
      "{",
      "[]",
      text.replace(`"v1"`, `"v2"`),
      text.replaceAll(`"enabled": true`, `"enabled": false`),
      text.replace(`"trigger": "PreToolUse"`, `"trigger": "PostFileSave"`),
      text.replaceAll(`".*"`, `"fs_write"`),
      text.replaceAll("--host kiro", "--host other"),
    ]) {
      expect(kiro.registers(broken)).toBe(false);
    }
  });
});
