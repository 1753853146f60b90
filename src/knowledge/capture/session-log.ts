/**
 * The log of one session, `_sessions/<YYYYMMDD-HHmm>-<id>.md`: front matter, then what was said. Its proposals are only
 * ever added to, so that `<session>:<kind>:<index>` names one for good.
 */
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { HoldfastError } from "../../core/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { frontMatterText, parseFrontMatter } from "../base/front-matter.ts";
import type { KnowledgePlaces } from "../places.ts";
import { linesOf } from "./lines.ts";
import { type Segment, saidText, segmentStart } from "./segment.ts";

export const PROPOSAL_STATES = ["pending", "done", "failed", "skipped"] as const;
export const CAPTURED_BY = ["stop", "session_end", "pre_compaction", "manual"] as const;
export const PROPOSAL_KINDS = ["practice", "map"] as const;

export type ProposalKind = (typeof PROPOSAL_KINDS)[number];
export type Proposals = Readonly<Record<ProposalKind, readonly Json[]>>;

/** Other keys than these are kept as they are: they are somebody's. */
export interface SessionFront {
  readonly schema_version: 1;
  readonly session_id: string;
  readonly host: string;
  readonly captured_by: (typeof CAPTURED_BY)[number];
  readonly captured_at: string;
  /** So many messages of the host's transcript are in it; the hash is of these as they were, and of what was kept by. */
  readonly source_messages?: number;
  readonly source_hash?: string | null;
  /** Of the whole transcript as it stands below. */
  readonly transcript_hash: string;
  readonly segments: number;
  readonly proposal_status: (typeof PROPOSAL_STATES)[number];
  readonly proposal_completed_at: string | null;
  readonly proposal_error: string | null;
  /** Relative to the knowledge folder. */
  readonly proposal_log: string | null;
  /** So many segments, from the first, proposals were made of already; the hash is of these. */
  readonly proposed_segments: number;
  readonly proposed_hash: string | null;
  readonly proposals: Proposals;
  /** So many of them, from the first, were decided in earlier rounds of curation. */
  readonly curated: Readonly<Record<ProposalKind, number>>;
  readonly curator_processed_at?: string;
  readonly curator_run_id?: string;
  readonly [other: string]: Json | undefined;
}

export interface SessionLog {
  readonly file: string;
  readonly front: SessionFront;
  /** Where the body begins, in bytes. */
  readonly bodyAt: number;
}

/** A problem says what is wrong with the file, in a sentence. */
export type ReadLog = { readonly log: SessionLog } | { readonly problem: string; readonly isNewer?: boolean };

/** File names in order of time; hidden ones are somebody's half-written work. */
export function sessionLogFiles({ sessionsDir }: KnowledgePlaces): string[] {
  try {
    return readdirSync(sessionsDir)
      .filter((name) => name.endsWith(".md") && !name.startsWith("."))
      .sort()
      .map((name) => join(sessionsDir, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

const FIRST_READ_BYTES = 64 * 1024;
const MAX_FRONT_BYTES = 16 * 1024 * 1024;

export async function readSessionLog(file: string): Promise<ReadLog> {
  const head = await headOf(file);
  if (head === undefined) return { problem: "has no front matter between two lines of ---" };
  const parsed = parseFrontMatter(head.text);
  if (typeof parsed === "string") return { problem: parsed };
  const front = frontOf(parsed.data);
  const isNewer = Number(parsed.data.schema_version) > 1;
  return typeof front === "string" ? { problem: front, isNewer } : { log: { file, front, bodyAt: head.bytes } };
}

/** The front matter with its two lines, and how many bytes it has. */
async function headOf(file: string): Promise<{ text: string; bytes: number } | undefined> {
  const handle = await open(file, "r");
  try {
    const { size } = await handle.stat();
    for (let bytes = FIRST_READ_BYTES; bytes <= MAX_FRONT_BYTES; bytes *= 4) {
      const buffer = Buffer.alloc(Math.min(bytes, size));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
      const read = buffer.subarray(0, bytesRead);
      const closing = read.indexOf("\n---\n", 3);
      if (closing !== -1) {
        const end = closing + "\n---\n".length;
        return { text: read.subarray(0, end).toString("utf8"), bytes: end };
      }
      if (bytesRead < bytes) return undefined;
    }
    return undefined;
  } finally {
    await handle.close();
  }
}

const isOneOf = <T extends string>(values: readonly T[], value: Json | undefined): value is T =>
  typeof value === "string" && (values as readonly string[]).includes(value);
const count = (value: Json | undefined) =>
  typeof value === "number" && Number.isInteger(value) && value > 0 ? value : 0;
const textOrNull = (value: Json | undefined) => (typeof value === "string" ? value : null);
const list = (value: Json | undefined) => (Array.isArray(value) ? value : []);

/** People reset a status by hand: what is missing besides who and what is made up for. */
function frontOf(data: JsonObject): SessionFront | string {
  const { session_id, captured_by, proposal_status, proposals, curated } = data;
  if (data.schema_version !== 1) return `has schema_version ${JSON.stringify(data.schema_version)}, not 1`;
  if (typeof session_id !== "string" || session_id === "") return "does not say of which session it is (session_id)";
  if (!isOneOf(PROPOSAL_STATES, proposal_status))
    return `has proposal_status ${JSON.stringify(proposal_status)}; there are ${PROPOSAL_STATES.join(", ")}`;
  const made = isJsonObject(proposals) ? proposals : {};
  const decided = isJsonObject(curated) ? curated : {};
  return {
    ...data,
    schema_version: 1,
    session_id,
    host: textOrNull(data.host) ?? "",
    captured_by: isOneOf(CAPTURED_BY, captured_by) ? captured_by : "manual",
    captured_at: textOrNull(data.captured_at) ?? "",
    source_messages: count(data.source_messages),
    source_hash: textOrNull(data.source_hash),
    transcript_hash: textOrNull(data.transcript_hash) ?? "",
    segments: count(data.segments),
    proposal_status,
    proposal_completed_at: textOrNull(data.proposal_completed_at),
    proposal_error: textOrNull(data.proposal_error),
    proposal_log: textOrNull(data.proposal_log),
    proposed_segments: count(data.proposed_segments),
    proposed_hash: textOrNull(data.proposed_hash),
    proposals: { practice: list(made.practice), map: list(made.map) },
    curated: { practice: count(decided.practice), map: count(decided.map) },
  } as SessionFront;
}

/** In one order, whoever wrote it last. */
export function frontText(front: SessionFront): string {
  const { proposals, curated, ...rest } = front;
  const known = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return frontMatterText({ ...known, curated, proposals } as { [key: string]: Json });
}

/** What was said, from the segment with this number on. */
export async function* segmentsOf({ file, bodyAt }: SessionLog, from = 0): AsyncGenerator<Segment> {
  let current: { readonly speaker: Segment["speaker"]; readonly lines: string[] } | undefined;
  let number = -1;
  for await (const line of linesOf(file, {
    from: bodyAt,
    maxBytes: Number.POSITIVE_INFINITY,
    onSkipped: () => {},
  })) {
    if (line === PROPOSAL_HEADING) break;
    const start = segmentStart(line);
    if (!start) {
      current?.lines.push(line);
      continue;
    }
    if (current && number >= from) yield { speaker: current.speaker, text: saidText(current.lines) };
    number += 1;
    current = { speaker: start.speaker, lines: [start.text] };
  }
  if (current && number >= from) yield { speaker: current.speaker, text: saidText(current.lines) };
}

/** What no proposal was made of yet. */
export const newSegmentsOf = (log: SessionLog): AsyncGenerator<Segment> => segmentsOf(log, log.front.proposed_segments);

/** Proposals nobody has decided on, with their numbers. */
export function openProposals({ proposals, curated, curator_processed_at: processed }: SessionFront) {
  return PROPOSAL_KINDS.flatMap((kind) =>
    proposals[kind].flatMap((proposal, index) =>
      processed !== undefined || index < curated[kind] ? [] : [{ kind, index, proposal }],
    ),
  );
}

/**
 * The front matter after a run that made these proposals of what `read` had: capture may have added to the log since, and
 * what it added still waits. Proposals that were curated stay where they are and count as decided.
 */
export function withProposals(
  now: SessionFront,
  read: Pick<SessionFront, "segments" | "transcript_hash">,
  made: Proposals,
  done: { readonly at: string; readonly log: string | null },
): SessionFront {
  const { curator_processed_at: processed, curator_run_id: run, ...rest } = now;
  const unchanged = now.transcript_hash === read.transcript_hash;
  const nothingNew = made.practice.length + made.map.length === 0;
  return {
    ...rest,
    proposal_status: unchanged ? "done" : "pending",
    proposal_completed_at: done.at,
    proposal_error: null,
    proposal_log: done.log,
    proposed_segments: read.segments,
    proposed_hash: read.transcript_hash,
    proposals: {
      practice: [...now.proposals.practice, ...made.practice],
      map: [...now.proposals.map, ...made.map],
    },
    curated: processed === undefined ? now.curated : countsOf(now.proposals),
    // Nothing came to it that a person would have to look at: it stays decided.
    ...(processed !== undefined && nothingNew ? { curator_processed_at: processed } : {}),
    ...(run !== undefined && nothingNew ? { curator_run_id: run } : {}),
  } as SessionFront;
}

export const countsOf = ({ practice, map }: Proposals) => ({ practice: practice.length, map: map.length });

const MAX_ERROR = 500;

export const withFailure = (now: SessionFront, error: string, log: string | null, at: string): SessionFront => ({
  ...now,
  proposal_status: "failed",
  proposal_completed_at: at,
  proposal_error: error.length > MAX_ERROR ? `${error.slice(0, MAX_ERROR)}...` : error,
  proposal_log: log,
});

export const TRANSCRIPT_HEADING = "## Transcript";
export const PROPOSAL_HEADING = "## Proposal";

/** What stands below the transcript. */
export function footerText({ proposal_status: status, proposal_error: error, proposals }: SessionFront): string {
  const { practice, map } = countsOf(proposals);
  const lines = {
    pending: "Waits for proposals to be made of it.",
    done: `Proposals are complete: ${practice} of practice, ${map} of map.`,
    failed: `No proposals could be made: ${(error ?? "").split("\n")[0]}`,
    skipped: `Nothing is proposed of it: ${(error ?? "").split("\n")[0]}`,
  };
  return `\n${PROPOSAL_HEADING}\n\n${lines[status]}\n`;
}

/** A log may come with a repository, and its id may be a path: then the lock is named by its digest. */
export function lockOf({ stateDir }: KnowledgePlaces, sessionId: string): string {
  const name = /^[\w-]{1,100}$/.test(sessionId) ? sessionId : createHash("sha256").update(sessionId).digest("hex");
  return join(stateDir, "locks", `session-${name}.lock`);
}

export const damaged = (file: string, { problem, isNewer }: Extract<ReadLog, { problem: string }>): HoldfastError =>
  new HoldfastError("HF1121", `the session log ${file} ${problem}`, {
    file,
    ...(isNewer ? { hint: "A newer release of Holdfast wrote it: use that one here." } : {}),
  });
