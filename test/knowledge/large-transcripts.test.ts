/** Transcripts larger than anybody wants to hold in memory. */
import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ScratchProject, scratchProject } from "../../src/knowledge/capture/capture.fixture.ts";
import { HOSTS, type HostTranscripts, LESSON, type Turn } from "../../src/knowledge/capture/conversation.fixture.ts";

let project: ScratchProject;
beforeEach(() => {
  project = scratchProject();
});
afterEach(() => project.remove());

const MIB = 1024 * 1024;
const hostOf = (id: string) => HOSTS.find(({ host }) => host === id) as HostTranscripts;

function capture(host: HostTranscripts): { segments: number; remarks: string[]; maxRssKiB: number } {
  const script = join(import.meta.dirname, "capture-session.mjs");
  const transcript = host.host === "opencode" ? "-" : host.path(project.homeDir);
  const args = [script, project.root, project.homeDir, host.host, host.session, transcript, "2026-11-15T10:30:00Z"];
  // A heap that holds no transcript: what would keep one dies of it.
  const flags = ["--max-old-space-size=48", "--max-semi-space-size=2"];
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, ...args], {
    encoding: "utf8",
    maxBuffer: 16 * MIB,
  });
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout);
}

/** Turns of some 10 KiB: that many MiB of things said. */
const talk = (mib: number): Turn[] =>
  Array.from({ length: (mib * MIB) / 10_240 }, (_, index) => ({
    speaker: index % 2 === 0 ? "user" : "agent",
    text: `${index} ${"so it was said ".repeat(680)}`,
  }));

describe("a large transcript", () => {
  it.each(HOSTS.map(({ host }) => host))("%s: fifty times as much takes no more memory", (id) => {
    const host = hostOf(id);
    host.write(project.homeDir, talk(1));
    const small = capture(host);
    host.write(project.homeDir, talk(50));
    const large = capture(host);
    expect(large.segments).toBe(5120);
    expect(large.maxRssKiB - small.maxRssKiB).toBeLessThan(30 * 1024);
  });

  it("with a line of 100 MiB is read without it, and says so", () => {
    const host = hostOf("claude-code");
    const file = host.path(project.homeDir);
    mkdirSync(dirname(file), { recursive: true });
    const lines = host.lines?.(LESSON) ?? [];
    const descriptor = openSync(file, "w");
    writeSync(descriptor, `${lines.slice(0, 5).join("\n")}\n`);
    for (let mib = 0; mib < 100; mib += 1) writeSync(descriptor, "x".repeat(MIB));
    writeSync(descriptor, `\n${lines.slice(5).join("\n")}\n`);
    closeSync(descriptor);
    const { segments, remarks, maxRssKiB } = capture(host);
    expect(segments).toBe(LESSON.length);
    expect(remarks.join()).toContain("1 line");
    expect(maxRssKiB).toBeLessThan(200 * 1024);
  });

  it("N-25 OpenCode: a session larger than any pipe is captured whole", async () => {
    const host = hostOf("opencode");
    host.write(project.homeDir, talk(5));
    capture(host);
    expect((await project.said()).at(-1)?.text.startsWith("511 ")).toBe(true);
  });
});
