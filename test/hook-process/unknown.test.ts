import { describe, expect } from "vitest";
import { claudeShell, kiro } from "../payloads.ts";
import { it } from "../program.ts";
import { blocks, userHooks } from "../rules.ts";

const silence = { code: 0, stdout: "", stderr: "" };

describe.concurrent("what this version does not know", () => {
  it("an unknown event passes in silence (K-2) and leaves one notice per session", async ({ machine }) => {
    const send = (session_id: string) =>
      machine.hook("claude-code", { hook_event_name: "PreDream", session_id, cwd: machine.projectDir });
    expect(await send("one")).toMatchObject(silence);
    expect(await send("one")).toMatchObject(silence);
    expect(await send("two")).toMatchObject(silence);
    expect(await machine.hook("kiro", kiro(machine, "stop", { hook_event_name: "onDream" }))).toMatchObject(silence);
    const message = (host: string, event: string) =>
      `${host} sent an event this version does not know: ${event}; it was passed`;
    expect(machine.records("notices").map((notice) => [notice.session, notice.code, notice.message])).toEqual([
      ["one", "unknown-event", message("Claude Code", "PreDream")],
      ["two", "unknown-event", message("Claude Code", "PreDream")],
      ["", "unknown-event", message("Kiro", "onDream")],
    ]);
  });

  it("the notice is kept in the project that the payload names", async ({ machine }) => {
    const elsewhere = machine.write("elsewhere/.git/HEAD", "");
    const cwd = elsewhere.replace("/.git/HEAD", "");
    await machine.hook("claude-code", { hook_event_name: "PreDream", session_id: "one", cwd });
    expect(machine.records("notices", cwd)).toHaveLength(1);
    expect(machine.records("notices")).toEqual([]);
  });

  it("an unknown tool is judged as kind other and leaves one notice per session", async ({ machine }) => {
    await userHooks(machine, [{ event: "pre_tool_use", matcher: "^other$", script: blocks("no new tools") }]);
    const call = (session_id: string) =>
      machine.hook("claude-code", claudeShell(machine, "x", { tool_name: "Teleport", session_id }));
    for (const session of ["one", "one", "two"]) expect((await call(session)).stdout).toContain("no new tools");
    expect(machine.records("notices").map(({ session, code }) => [session, code])).toEqual([
      ["one", "unknown-tool"],
      ["two", "unknown-tool"],
    ]);
  });

  it("a tool that is no event of ours brings no notice of its own", async ({ machine }) => {
    expect(await machine.hook("kiro", kiro(machine, "PreTaskExec"))).toMatchObject(silence);
    expect(machine.records("notices")).toEqual([]);
  });
});
