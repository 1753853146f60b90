/** A base with session logs in it, and somebody who curates it. */
import { awaitFileLock, tryFileLock } from "../../records/file-lock.ts";
import { type ScratchBase, scratchBase } from "../base/base.fixture.ts";
import { footerText, frontText, type SessionFront } from "../capture/session-log.ts";
import type { Candidate } from "./contracts.ts";
import type { Curator } from "./curate.ts";

const LOCK = { createDirectory: true, waitMs: 10_000 };

export interface ScratchCuration extends Curator {
  readonly base: ScratchBase;
  session(id: string, proposals: readonly Candidate[], changes?: Partial<SessionFront>): string;
}

export function scratchCuration(): ScratchCuration {
  const base = scratchBase();
  let clock = Date.UTC(2026, 0, 5, 9);
  return {
    base,
    places: base.places,
    exclusively: base.exclusively,
    takeLock: async (file) => tryFileLock(file, LOCK) ?? (await awaitFileLock(file, LOCK)),
    now() {
      clock += 1000;
      return new Date(clock);
    },
    session(id, proposals, changes = {}) {
      const front = {
        schema_version: 1,
        session_id: id,
        host: "claude-code",
        captured_by: "stop",
        captured_at: "2026-01-05T08:00:00.000Z",
        transcript_hash: "sha256:0",
        segments: 1,
        proposal_status: "done",
        proposal_completed_at: null,
        proposal_error: null,
        proposal_log: null,
        proposed_segments: 1,
        proposed_hash: null,
        proposals: {
          practice: proposals.filter(({ type }) => type === "practice"),
          map: proposals.filter(({ type }) => type === "map"),
        },
        curated: { practice: 0, map: 0 },
        ...changes,
      } as unknown as SessionFront;
      return base.write(
        `_sessions/20260105-0800-${id}.md`,
        `${frontText(front)}\n## Transcript\n\n[USER]: hello\n${footerText(front)}`,
      );
    },
  };
}

export const candidate = (title: string, changes: Partial<Candidate> = {}): Candidate => ({
  type: "practice",
  title,
  description: `What to know of ${title}.`,
  tags: ["build"],
  body: `All about ${title}.`,
  confidence: "medium",
  ...changes,
});
