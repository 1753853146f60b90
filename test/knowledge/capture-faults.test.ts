/** Captures that are killed, and captures that meet. */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ScratchProject, scratchProject } from "../../src/knowledge/capture/capture.fixture.ts";
import { HOSTS, type HostTranscripts, LESSON, type Turn } from "../../src/knowledge/capture/conversation.fixture.ts";
import { readSessionLog } from "../../src/knowledge/capture/session-log.ts";

let project: ScratchProject;
beforeEach(() => {
  project = scratchProject();
});
afterEach(() => project.remove());

const claude = HOSTS[0] as HostTranscripts;
const MORE: readonly Turn[] = [...LESSON, { speaker: "user", text: "And sign the checksums with the release key." }];

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

function captureProcess(env: Record<string, string> = {}, now = "2026-11-15T10:30:00.000Z"): Promise<Ended> {
  const script = join(import.meta.dirname, "capture-session.mjs");
  const preload = env.KILL_AT ? ["--import", join(import.meta.dirname, "kill-at-write.mjs")] : [];
  const transcript = claude.path(project.homeDir);
  const args = [...preload, script, project.root, project.homeDir, claude.host, claude.session, transcript, now];
  const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH ?? "", ...env } });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  return new Promise((resolve) => child.once("close", (code, signal) => resolve({ code, signal, stdout, stderr })));
}

const logFiles = () => project.logNames().filter((name) => name.endsWith(".md") && !name.startsWith("."));

describe("a capture", () => {
  it("killed before any of its writes leaves the log as it was, or as it will be, and the next one finds nothing in its way", async () => {
    await project.captured(claude, LESSON);
    const before = readFileSync((await project.onlyLog()).file, "utf8");
    claude.write(project.homeDir, MORE);
    let kills = 0;
    for (let at = 1; ; at += 1) {
      const { signal, code, stderr } = await captureProcess({ KILL_AT: String(at) });
      if (signal === null) {
        expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
        break;
      }
      kills += 1;
      expect(signal).toBe("SIGKILL");
      const [name] = logFiles();
      const text = readFileSync(join(project.places.sessionsDir, name ?? ""), "utf8");
      const isWhole = text === before || text.includes("[USER]: And sign the checksums");
      expect({ at, logs: logFiles().length, isWhole }).toEqual({ at, logs: 1, isWhole: true });
    }
    // Lock, body, front matter, copy, footer, sync, rename and what is removed: fewer would mean that nothing was killed.
    expect(kills).toBeGreaterThan(8);
    expect(await project.said()).toHaveLength(MORE.length);
    const left = readdirSync(project.places.sessionsDir).filter((name) => name.endsWith(".tmp"));
    expect(left).toEqual([]);
  });

  it("A13-5 A13-15 of one session by twelve processes at once leaves one whole log", async () => {
    claude.write(project.homeDir, MORE);
    const days = Array.from({ length: 12 }, (_, index) => `2026-11-${String(10 + index)}T10:30:00.000Z`);
    const ended = await Promise.all(days.map((now) => captureProcess({}, now)));
    expect(ended.map(({ code, stderr }) => ({ code, stderr }))).toEqual(days.map(() => ({ code: 0, stderr: "" })));
    const [name, ...others] = logFiles();
    expect(others).toEqual([]);
    const read = await readSessionLog(join(project.places.sessionsDir, name ?? ""));
    expect(read).toMatchObject({ log: { front: { segments: MORE.length, proposal_status: "pending" } } });
    expect(await project.said()).toHaveLength(MORE.length);
  });
});
