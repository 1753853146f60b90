import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ScratchProject, scratchProject } from "../capture.fixture.ts";
import { TRANSCRIPTS } from "./registry.ts";

let project: ScratchProject;
beforeEach(() => {
  project = scratchProject();
});
afterEach(() => project.remove());

const SESSION = "01a1dc75-b10d-7ae3-88d3-1dc69d5045b5";
const write = (path: string, text = "") => {
  const file = join(project.homeDir, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
};
const located = (host: string, env = {}, session = SESSION) =>
  TRANSCRIPTS[host]?.locate({ session, homeDir: project.homeDir, env });

describe("where a transcript is, when the host does not say", () => {
  it.each(["2026/11/15", "2026/11/14", "2026/02/28", "2025/12/31"])(
    "N-26 A13-9 Codex: by the session's id, on whatever day it began (%s)",
    async (day) => {
      write("sessions-of-nobody");
      write(`.codex/sessions/2026/11/15/rollout-2026-11-15T10-00-00-${SESSION.replace("01a1", "02b2")}.jsonl`);
      const file = write(`.codex/sessions/${day}/rollout-T10-00-00-${SESSION}.jsonl`);
      expect(await located("codex")).toBe(file);
    },
  );

  it("N-26 Codex: by what the first line says, where no name does, in CODEX_HOME", async () => {
    write(
      "other/sessions/2026/11/15/rollout-a.jsonl",
      `${JSON.stringify({ type: "session_meta", payload: { id: "x" } })}\n`,
    );
    const meta = { type: "session_meta", payload: { id: SESSION } };
    const file = write("other/sessions/2026/11/15/rollout-b.jsonl", `${JSON.stringify(meta)}\n{}`);
    expect(await located("codex", { CODEX_HOME: join(project.homeDir, "other") })).toBe(file);
    rmSync(file);
    expect(await located("codex", { CODEX_HOME: join(project.homeDir, "other") })).toBeUndefined();
  });

  it("Cursor: the newest that is named by the conversation, in any of its folders", async () => {
    const old = write(`.cursor/projects/a/agent-transcripts/${SESSION}.jsonl`);
    const file = write(`.cursor/projects/b/agent-transcripts/${SESSION}/${SESSION}.jsonl`);
    utimesSync(old, 1, 1);
    expect(await located("cursor")).toBe(file);
    expect(await located("cursor", { CURSOR_TRANSCRIPT_PATH: "/given" })).toBe("/given");
    expect(await located("cursor", {}, "no-such")).toBeUndefined();
  });

  it("Copilot: in COPILOT_HOME, by the session's id", async () => {
    expect(await located("copilot", { COPILOT_HOME: "/c" })).toBe(`/c/session-state/${SESSION}/events.jsonl`);
  });
});
