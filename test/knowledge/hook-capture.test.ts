/** Capture as hosts call it: the hook command, in a process of its own. */
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { HOSTS, type HostTranscripts, LESSON } from "../../src/knowledge/capture/conversation.fixture.ts";
import { sessionIdOf } from "../../src/knowledge/capture/session-id.ts";
import { it, type Machine } from "../program.ts";

const isRoot = process.getuid?.() === 0;
const hostOf = (id: string) => HOSTS.find(({ host }) => host === id) as HostTranscripts;
const claude = hostOf("claude-code");

const SWITCHED_ON = "knowledge: { enabled: true }\n";
const switchOn = (machine: Machine) => machine.write("project/holdfast.yaml", SWITCHED_ON);
const sessions = (projectDir: string) => join(projectDir, ".holdfast/knowledge/_sessions");
const logs = (projectDir: string) => {
  const folder = sessions(projectDir);
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".md")) : [];
};
const logText = (projectDir: string) => {
  const names = logs(projectDir);
  expect(names).toHaveLength(1);
  return readFileSync(join(sessions(projectDir), names[0] as string), "utf8");
};
const notices = (machine: Machine) => machine.records("notices").map(({ message }) => message as string);

/** The end of a turn, and of a session, in each host's own words. */
const MOMENTS: Readonly<Record<string, readonly [by: string, (machine: Machine, host: HostTranscripts) => object][]>> =
  {
    "claude-code": [
      ["stop", (machine, host) => ({ ...common(machine, host), hook_event_name: "Stop", stop_hook_active: false })],
      [
        "session_end",
        (machine, host) => ({ ...common(machine, host), hook_event_name: "SessionEnd", reason: "other" }),
      ],
      [
        "pre_compaction",
        (machine, host) => ({ ...common(machine, host), hook_event_name: "PreCompact", trigger: "auto" }),
      ],
    ],
    codex: [
      ["stop", (machine, host) => ({ ...common(machine, host), hook_event_name: "Stop", turn_id: "t" })],
      [
        "session_end",
        (machine, host) => ({ ...unnamed(machine, host), hook_event_name: "SessionEnd", reason: "exit" }),
      ],
      [
        "pre_compaction",
        (machine, host) => ({ ...common(machine, host), hook_event_name: "PreCompact", trigger: "auto" }),
      ],
    ],
    copilot: [
      [
        "stop",
        (machine, host) => ({
          ...{ sessionId: host.session, timestamp: 1794702084552, cwd: machine.projectDir },
          ...{ transcriptPath: host.path(machine.home), stopReason: "end_turn", stop_hook_active: false },
        }),
      ],
      [
        "session_end",
        (machine, host) => ({
          ...{ sessionId: host.session, timestamp: 1794702084600, cwd: machine.projectDir, reason: "complete" },
        }),
      ],
    ],
    cursor: [
      [
        "stop",
        (machine, host) => ({
          ...{ conversation_id: host.session, generation_id: "g", hook_event_name: "stop", status: "completed" },
          ...{
            workspace_roots: [machine.projectDir],
            transcript_path: host.path(machine.home),
            cursor_version: "3.20",
          },
        }),
      ],
      [
        "session_end",
        (machine, host) => ({
          ...{
            conversation_id: host.session,
            session_id: host.session,
            hook_event_name: "sessionEnd",
            reason: "completed",
          },
          ...{ workspace_roots: [machine.projectDir], cursor_version: "3.20" },
        }),
      ],
    ],
    gemini: [
      [
        "stop",
        (machine, host) => ({ ...common(machine, host), hook_event_name: "AfterAgent", prompt_response: "Done." }),
      ],
      ["session_end", (machine, host) => ({ ...common(machine, host), hook_event_name: "SessionEnd", reason: "exit" })],
    ],
    opencode: [
      ["stop", (machine, host) => ({ ...unnamed(machine, host), hook_event_name: "step-finish", message_id: "m" })],
      [
        "session_end",
        (machine, host) => ({ ...unnamed(machine, host), hook_event_name: "dispose", reason: "dispose" }),
      ],
      [
        "pre_compaction",
        (machine, host) => ({ ...unnamed(machine, host), hook_event_name: "experimental.session.compacting" }),
      ],
    ],
  };
const unnamed = (machine: Machine, { session }: HostTranscripts) => ({ session_id: session, cwd: machine.projectDir });
const common = (machine: Machine, host: HostTranscripts) => ({
  ...unnamed(machine, host),
  transcript_path: host.path(machine.home),
});
const momentOf = (machine: Machine, host: HostTranscripts, by = "stop") => {
  const [, payload] = MOMENTS[host.host]?.find(([name]) => name === by) ?? [];
  if (!payload) throw new Error(`${host.host} has no ${by}`);
  return payload(machine, host);
};
/** Copilot's events are named by how they were registered. */
const eventArgs = (host: string, by: string) =>
  host === "copilot" ? ["--event", by === "stop" ? "agentStop" : "sessionEnd"] : [];
const hook = (machine: Machine, host: HostTranscripts, by = "stop", options = {}) =>
  machine.run(["hook", "--host", host.host, ...eventArgs(host.host, by)], {
    stdin: JSON.stringify(momentOf(machine, host, by)),
    ...options,
  });

describe("capture through the hook command", () => {
  it.for(HOSTS.flatMap((host) => (MOMENTS[host.host] ?? []).map(([by]) => [host.host, by] as const)))(
    "N-17 %s, %s: one log, and no word about it",
    async ([id, by], { machine }) => {
      const host = hostOf(id);
      switchOn(machine);
      // As in a session: its first call has compiled the rules. Codex waits for no more than seconds at its end.
      await hook(machine, host, by);
      host.write(machine.home, LESSON);
      const { code, stderr } = await hook(machine, host, by);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      const text = logText(machine.projectDir);
      expect(text).toContain(`session_id: ${sessionIdOf(id, host.session)}\n`);
      expect(text).toContain(`captured_by: ${by}\n`);
      expect(text).toContain("[USER]: The release job must run on the arm runners");
      expect(notices(machine)).toEqual([]);
    },
  );

  it("is off until it is switched on", async ({ machine }) => {
    claude.write(machine.home, LESSON);
    expect((await hook(machine, claude)).code).toBe(0);
    expect(existsSync(join(machine.projectDir, ".holdfast/knowledge"))).toBe(false);
  });

  it("N-10 does nothing inside what Holdfast started for itself, and only there", async ({ machine }) => {
    switchOn(machine);
    claude.write(machine.home, LESSON);
    const inside = await hook(machine, claude, "stop", { env: { HOLDFAST_INTERNAL: "1" } });
    expect(inside).toMatchObject({ code: 0, stderr: "" });
    expect(existsSync(join(machine.projectDir, ".holdfast"))).toBe(false);
    await hook(machine, claude, "stop", { env: { HOLDFAST_INTERNAL: "true" } });
    expect(logs(machine.projectDir)).toHaveLength(1);
  });

  it("A13-2 N-11 of a host that never closes stdin is not lost", async ({ machine }) => {
    switchOn(machine);
    claude.write(machine.home, LESSON);
    const { child, ended } = machine.start(["hook", "--host", "claude-code"]);
    child.stdin.write(JSON.stringify(momentOf(machine, claude)));
    expect((await ended).code).toBe(0);
    expect(child.stdin.writableEnded).toBe(false);
    expect(logs(machine.projectDir)).toHaveLength(1);
  });

  it("A13-8 N-9 of a session in a subdirectory is the project's", async ({ machine }) => {
    switchOn(machine);
    claude.write(machine.home, LESSON);
    const below = join(machine.projectDir, "packages/core");
    mkdirSync(below, { recursive: true });
    execFileSync("git", ["init", "-q"], { cwd: machine.projectDir });
    const payload = { ...momentOf(machine, claude), cwd: below };
    await machine.hook("claude-code", payload, { cwd: below });
    expect(logs(machine.projectDir)).toHaveLength(1);
    expect(existsSync(join(below, ".holdfast/knowledge"))).toBe(false);
  });

  it("A13-7 works in a fresh clone as it does where it was set up, and git sees nothing of it", async ({ machine }) => {
    switchOn(machine);
    const git = (cwd: string, ...args: string[]) =>
      execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], { cwd, encoding: "utf8" });
    git(machine.projectDir, "init", "-q");
    git(machine.projectDir, "add", "holdfast.yaml");
    git(machine.projectDir, "commit", "-qm", "rules");
    const clone = join(machine.dir, "clone");
    git(machine.dir, "clone", "-q", machine.projectDir, clone);
    claude.write(machine.home, LESSON);
    await machine.hook("claude-code", { ...momentOf(machine, claude), cwd: clone }, { cwd: clone });
    expect(logs(clone)).toHaveLength(1);
    expect(git(clone, "status", "--porcelain", "--untracked-files=all")).not.toContain("_sessions");
  });

  it("N-19 of an id that is none leaves no file, and says so in a notice", async ({ machine }) => {
    switchOn(machine);
    claude.write(machine.home, LESSON);
    const { code } = await machine.hook("claude-code", { ...momentOf(machine, claude), session_id: "../../escape" });
    expect(code).toBe(0);
    expect(logs(machine.projectDir)).toEqual([]);
    expect(notices(machine).join()).toContain("HF1122");
  });

  it("of a host whose transcripts nobody here reads is said, not passed over", async ({ machine }) => {
    switchOn(machine);
    await machine.hook("qwen", { ...common(machine, claude), hook_event_name: "Stop" });
    expect(notices(machine).join()).toContain("sessions of qwen are not captured");
  });

  it("A13-16 keeps no token, wherever in a message it stands", async ({ machine }) => {
    switchOn(machine);
    const token = `ghp_${"a1B2c3D4".repeat(4)}1234`;
    claude.write(machine.home, [
      ...LESSON,
      { speaker: "user", text: `export TOKEN=${token}; PGPASSWORD=hunter2 psql` },
    ]);
    await hook(machine, claude);
    expect(logText(machine.projectDir)).not.toMatch(/ghp_|hunter2/);
  });

  it.skipIf(!isRoot)("where nothing may be written lets the turn end and says what to do", async ({ machine }) => {
    switchOn(machine);
    claude.write(machine.home, LESSON);
    const nobody = 65534;
    mkdirSync(join(machine.projectDir, ".holdfast/knowledge"), { recursive: true });
    chmodSync(join(machine.projectDir, ".holdfast/knowledge"), 0o555);
    for (const path of [
      machine.dir,
      machine.projectDir,
      join(machine.projectDir, ".holdfast"),
      machine.home,
      machine.stateDir,
    ])
      chownSync(path, nobody, nobody);
    const { code, stdout } = await hook(machine, claude, "stop", { uid: nobody });
    expect(code).toBe(0);
    expect(stdout).not.toContain("block");
    expect(notices(machine).join()).toMatch(/not captured.*HF1124.*_sessions.*writable/s);
  });
});
