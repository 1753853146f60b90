/** What stands above a log that is captured again: what was made of it stays, and only what is new is proposed. */
import type { Amount, Draft } from "./draft.ts";
import type { ProposalKind, SessionFront } from "./session-log.ts";

export interface Refresh {
  readonly id: string;
  readonly host: string;
  readonly by: SessionFront["captured_by"];
  readonly now: Date;
  readonly draft: Draft;
  /** So many proposals of the session have names already, of a log that is gone: theirs are not given again. */
  readonly named?: Readonly<Record<ProposalKind, number>> | undefined;
}

export const CURSORY = "cursory_session";

/** A question and a short answer teach nothing. */
export const isCursory = ({ userTurns, userCharacters, agentCharacters }: Amount): boolean =>
  userTurns <= 1 && userCharacters <= 200 && agentCharacters <= 500;

const NO_NAMES = { practice: 0, map: 0 };

export function refreshedFront(
  before: SessionFront | undefined,
  { id, host, by, now, draft, named = NO_NAMES }: Refresh,
): SessionFront {
  const stands = before !== undefined && before.proposed_segments > 0 && before.proposed_hash === draft.proposedHash;
  const front: SessionFront = {
    schema_version: 1,
    session_id: id,
    host,
    captured_by: by,
    captured_at: now.toISOString(),
    source_messages: draft.source.messages,
    source_hash: draft.source.hash,
    transcript_hash: draft.hash,
    segments: draft.segments,
    proposal_status: "pending",
    proposal_completed_at: before?.proposal_completed_at ?? null,
    proposal_error: null,
    proposal_log: before?.proposal_log ?? null,
    proposed_segments: stands ? before.proposed_segments : 0,
    proposed_hash: stands ? before.proposed_hash : null,
    proposals: before?.proposals ?? { practice: Array(named.practice).fill(null), map: Array(named.map).fill(null) },
    curated: before?.curated ?? named,
  };
  return { ...othersOf(before, front), ...front, ...status(before, front, draft, now) };
}

/** Keys that are somebody else's, and the curator's stamps. */
const othersOf = (before: SessionFront | undefined, front: SessionFront) =>
  Object.fromEntries(Object.entries(before ?? {}).filter(([key]) => !(key in front)));

type Status = Pick<SessionFront, "proposal_status" | "proposal_error" | "proposal_completed_at">;

function status(
  before: SessionFront | undefined,
  { proposed_segments: proposed, transcript_hash: hash }: SessionFront,
  { said, saidSince }: Draft,
  now: Date,
): Partial<Status> {
  const kept = before && {
    proposal_status: before.proposal_status,
    proposal_error: before.proposal_error,
    proposal_completed_at: before.proposal_completed_at,
  };
  const isSkippedByPerson = before?.proposal_status === "skipped" && before.proposal_error !== CURSORY;
  if (kept && (isSkippedByPerson || before.transcript_hash === hash)) return kept;
  if (proposed > 0) {
    // A thank-you after all was proposed is no reason to pay for another look.
    return kept?.proposal_status === "done" && isCursory(saidSince) ? kept : {};
  }
  if (!isCursory(said)) return {};
  return { proposal_status: "skipped", proposal_error: CURSORY, proposal_completed_at: now.toISOString() };
}
