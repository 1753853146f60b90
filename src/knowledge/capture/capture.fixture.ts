/** A project, a home and what captures its sessions. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { takeLock } from "../../engine/knowledge.ts";
import { knowledgePlaces } from "../places.ts";
import { type CaptureRequest, captureSession } from "./capture.ts";
import type { HostTranscripts, Turn } from "./conversation.fixture.ts";
import type { Segment } from "./segment.ts";
import { readSessionLog, type SessionLog, segmentsOf } from "./session-log.ts";

export function scratchProject() {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-capture-"));
  const root = join(dir, "project");
  const homeDir = join(dir, "home");
  mkdirSync(root);
  mkdirSync(homeDir);
  const places = knowledgePlaces(root);
  const capture = (transcripts: HostTranscripts, changes: Partial<CaptureRequest> = {}) =>
    captureSession({
      host: transcripts.host,
      session: transcripts.session,
      transcriptPath: null,
      by: "stop",
      now: new Date("2026-11-15T10:30:00.000Z"),
      secrets: "redact",
      places,
      homeDir,
      env: {},
      takeLock,
      signal: new AbortController().signal,
      // Two hosts name it with every event, and nowhere else.
      ...(["claude-code", "gemini"].includes(transcripts.host) ? { transcriptPath: transcripts.path(homeDir) } : {}),
      ...changes,
    });
  const logNames = () => {
    try {
      return readdirSync(places.sessionsDir).filter((name) => name !== ".gitignore");
    } catch {
      return [];
    }
  };
  const onlyLog = async (): Promise<SessionLog> => {
    const names = logNames();
    if (names.length !== 1) throw new Error(`expected one log, found ${names.join(", ") || "none"}`);
    const read = await readSessionLog(join(places.sessionsDir, names[0] as string));
    if ("problem" in read) throw new Error(read.problem);
    return read.log;
  };
  return {
    ...{ dir, root, homeDir, places, capture, logNames, onlyLog },
    async captured(transcripts: HostTranscripts, turns: readonly Turn[], changes: Partial<CaptureRequest> = {}) {
      transcripts.write(homeDir, turns);
      return capture(transcripts, changes);
    },
    logText: async () => readFileSync((await onlyLog()).file, "utf8"),
    async said(from = 0): Promise<Segment[]> {
      const segments: Segment[] = [];
      for await (const segment of segmentsOf(await onlyLog(), from)) segments.push(segment);
      return segments;
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

export type ScratchProject = ReturnType<typeof scratchProject>;
