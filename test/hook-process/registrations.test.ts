/** A host that calls us through several registrations is answered once. */
import { describe, expect } from "vitest";
import { install as cursorInstall } from "../../src/hosts/cursor/install.ts";
import type { Install, InstallTarget } from "../../src/hosts/host.ts";
import { install as kiroInstall } from "../../src/hosts/kiro/install.ts";
import { kiro, payload } from "../payloads.ts";
import { it, type Machine, program } from "../program.ts";

const DANGER = "rm -rf /";
const cursorCall = (machine: Machine, changes: object = {}) =>
  payload(machine, "cursor", "preToolUse.Shell", { tool_input: { command: DANGER }, ...changes });

function registered(install: Install, machine: Machine, level: InstallTarget["level"] = "project"): string {
  const { projectDir, home: homeDir } = machine;
  const target = { projectDir, homeDir, env: {}, level, program, plugin: "", listFiles: () => [], readFile: () => "" };
  return install.edits({ ...target, readFile: () => undefined })[0]?.add(undefined) ?? "";
}

describe.concurrent("Cursor through Claude Code's settings", () => {
  it("is answered in Cursor's words", async ({ machine }) => {
    const { code, stdout } = await machine.hook("claude-code", cursorCall(machine));
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      permission: "deny",
      user_message: expect.stringMatching(/^Blocked by holdfast:/),
    });
    expect(machine.records("audit")).toMatchObject([{ host: "cursor" }]);
  });

  it.for(["project", "home"])(
    "is left to a registration of Cursor's own in the %s, and not recorded",
    async (where, { machine }) => {
      const level = where === "home" ? "user" : "project";
      machine.write(`${where}/.cursor/hooks.json`, registered(cursorInstall, machine, level));
      expect(await machine.hook("claude-code", cursorCall(machine))).toMatchObject({
        code: 0,
        stdout: "{}",
        stderr: "",
      });
      expect(machine.records("audit")).toEqual([]);
      expect(JSON.parse((await machine.hook("cursor", cursorCall(machine))).stdout).permission).toBe("deny");
      expect(machine.records("audit")).toHaveLength(1);
    },
  );

  it("is answered where Cursor's own files hold other people's hooks, or nothing that it would heed", async ({
    machine,
  }) => {
    const ours = registered(cursorInstall, machine);
    for (const text of [
      `{"version":1,"hooks":{"preToolUse":[{"command":"theirs"}]}}`,
      ours.replace(`"stop"`, `"notification"`),
      "",
    ]) {
      machine.write("project/.cursor/hooks.json", text);
      const { stdout } = await machine.hook("claude-code", cursorCall(machine));
      expect(JSON.parse(stdout).permission, text).toBe("deny");
    }
  });

  it("is answered in a folder below, where Cursor does not read the file of the folder above", async ({ machine }) => {
    machine.write("project/.cursor/hooks.json", registered(cursorInstall, machine));
    machine.write("project/holdfast.yaml", "");
    const below = `${machine.projectDir}/below`;
    const call = cursorCall(machine, { cwd: below, workspace_roots: [below], tool_input: { command: DANGER } });
    const { stdout } = await machine.hook("claude-code", call, { env: { CURSOR_PROJECT_DIR: below } });
    expect(JSON.parse(stdout).permission).toBe("deny");
  });

  it("a call of Claude Code itself is none of this", async ({ machine }) => {
    machine.write("project/.cursor/hooks.json", registered(cursorInstall, machine));
    const call = payload(machine, "claude-code", "PreToolUse", { tool_input: { command: DANGER } });
    expect((await machine.hook("claude-code", call)).stdout).toContain("permissionDecision");
  });
});

describe.concurrent("Cursor", () => {
  it("is told nothing by an empty object, also where Holdfast started it for itself", async ({ machine }) => {
    const call = cursorCall(machine, { tool_input: { command: "ls" } });
    expect(await machine.hook("cursor", call)).toMatchObject({ code: 0, stdout: "{}", stderr: "" });
    const inside = { env: { HOLDFAST_INTERNAL: "1" } };
    expect(await machine.hook("cursor", cursorCall(machine), inside)).toMatchObject({ code: 0, stdout: "{}" });
  });

  it("a person's own hooks run in ~/.cursor, and the rules of the workspace hold all the same", async ({ machine }) => {
    machine.write("project/holdfast.yaml", "guards:\n  protected-paths: { paths: [keep.txt] }\n");
    const call = cursorCall(machine, {
      cwd: "",
      tool_name: "Write",
      tool_input: { file_path: `${machine.projectDir}/keep.txt`, content: "x" },
    });
    const { stdout } = await machine.hook("cursor", call, { cwd: machine.home });
    expect(JSON.parse(stdout).permission).toBe("deny");
    expect(machine.records("audit")).toHaveLength(1);
  });

  it("an unusable payload is a denial", async ({ machine }) => {
    const { code, stderr } = await machine.hook("cursor", `{"hook_event_name":"preToolUse","tool_name":`);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^Blocked by holdfast:/);
  });
});

describe.concurrent("Kiro", () => {
  const call = (machine: Machine, name: string) =>
    JSON.stringify(kiro(machine, name, { tool_input: { command: DANGER } }));
  const run = (machine: Machine, args: readonly string[], name: string) =>
    machine.run(["hook", "--host", "kiro", ...args], { stdin: call(machine, name) });

  it("CLI 3 calling what was registered for 2.x is left to the hooks file, if that works", async ({ machine }) => {
    const OLD = ["--event", "preToolUse"];
    expect((await run(machine, OLD, "PreToolUse.execute_bash")).code).toBe(2);
    machine.write("project/.kiro/hooks/holdfast.json", registered(kiroInstall, machine));
    const before = machine.records("audit").length;
    expect(await run(machine, OLD, "PreToolUse.execute_bash")).toMatchObject({ code: 0, stdout: "", stderr: "" });
    expect(machine.records("audit")).toHaveLength(before);
    expect((await run(machine, [], "PreToolUse.execute_bash")).code).toBe(2);
    // CLI 2.x does not read the hooks file.
    expect((await run(machine, OLD, "preToolUse.execute_bash")).code).toBe(2);
  });
});
