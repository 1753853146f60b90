/** A session's transcript made into its log: read once, a line at a time, and written while it is read. */
import { existsSync, statSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HoldfastError } from "../../core/errors.ts";
import { makeDirectory } from "../../files/make-directory.ts";
import { type Decisions, readDecisions } from "../curation/decisions.ts";
import type { TakeLock } from "../lock.ts";
import type { KnowledgePlaces } from "../places.ts";
import { draftInto } from "./draft.ts";
import { copy, replaceLog, temporaryOf } from "./log-writer.ts";
import { refreshedFront } from "./refreshed-front.ts";
import { sessionIdOf } from "./session-id.ts";
import {
  damaged,
  footerText,
  frontText,
  lockOf,
  type ProposalKind,
  readSessionLog,
  type SessionFront,
  type SessionLog,
  sessionLogFiles,
  TRANSCRIPT_HEADING,
} from "./session-log.ts";
import type { TranscriptFaults } from "./transcript.ts";
import { TRANSCRIPTS } from "./transcripts/registry.ts";
import { recordReads } from "./usage.ts";

export interface CaptureRequest {
  readonly host: string;
  /** As the host calls it. */
  readonly session: string;
  readonly transcriptPath: string | null;
  readonly by: SessionFront["captured_by"];
  readonly now: Date;
  readonly secrets: "redact" | "keep";
  readonly places: KnowledgePlaces;
  readonly homeDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly takeLock: TakeLock;
  /** Aborted: nobody waits any more; the log stays as it was. */
  readonly signal: AbortSignal;
}

export interface Captured {
  /** undefined: there was nothing to keep. */
  readonly file: string | undefined;
  readonly front?: SessionFront;
  /** What a person should know, and what stopped nothing. */
  readonly remarks: readonly string[];
}

export async function captureSession(request: CaptureRequest): Promise<Captured> {
  const { host, session, places } = request;
  const format = Object.hasOwn(TRANSCRIPTS, host) ? TRANSCRIPTS[host] : undefined;
  if (!format)
    return nothing([`sessions of ${host} are not captured: knowledge reads ${Object.keys(TRANSCRIPTS).join(", ")}`]);
  const id = sessionIdOf(host, session);
  const path = request.transcriptPath ?? (await format.locate(request));
  // A session that nothing was said in has none yet, and one that is not to be kept never gets one.
  if (path === undefined || !isThere(path)) return nothing();
  await ignoredFolder(places.sessionsDir);
  const lock = await request.takeLock(lockOf(places, id));
  try {
    const { log, remarks } = await existingLog(places, id);
    const file = log?.file ?? join(places.sessionsDir, `${stamp(request.now)}-${id}.md`);
    const faults: TranscriptFaults = { badLines: 0, longLines: 0 };
    const body = temporaryOf(file);
    try {
      const { secrets, signal } = request;
      const { draft, reads } = await draftInto(body, { format, path, session, secrets, faults, signal, log });
      if (draft.segments === 0) return nothing([...remarks, ...faultRemarks(faults, path)]);
      const begun = log ? undefined : namesGiven(places, id);
      const { by, now } = request;
      const front = refreshedFront(log?.front, { id, host, by, now, draft, named: begun?.named });
      await replaceLog(file, { lock, keep: body }, async (target) => {
        await target.appendFile(`${frontText(front)}\n${TRANSCRIPT_HEADING}\n\n`);
        await copy(body, target, 0, Number.POSITIVE_INFINITY);
        await target.appendFile(footerText(front));
      });
      const usage = await recordReads(reads, { id, places, now: request.now, takeLock: request.takeLock });
      return { file, front, remarks: [...remarks, ...(begun?.remarks ?? []), ...faultRemarks(faults, path), ...usage] };
    } finally {
      await rm(body, { force: true });
    }
  } finally {
    lock.release();
  }
}

/** Throws HF1123 for what is there and cannot be read to its end. */
function isThere(path: string): boolean {
  const unreadable = (why: string) =>
    new HoldfastError("HF1123", `the transcript ${path} cannot be read: ${why}`, { file: path });
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found && !found.isFile()) throw unreadable("it is no plain file");
    return found !== undefined;
  } catch (error) {
    throw error instanceof HoldfastError ? error : unreadable((error as Error).message);
  }
}

const nothing = (remarks: readonly string[] = []): Captured => ({ file: undefined, remarks });

/** Whatever the project's own .gitignore says: a session is its person's. */
async function ignoredFolder(folder: string): Promise<void> {
  makeDirectory(folder, 0o700);
  try {
    await writeFile(join(folder, ".gitignore"), "*\n", { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/**
 * By its id, whatever day its name begins with. One that cannot be read is put aside, never over-written; one of a newer
 * release is left where that finds it.
 */
async function existingLog(
  places: KnowledgePlaces,
  id: string,
): Promise<{ log: SessionLog | undefined; remarks: string[] }> {
  const remarks: string[] = [];
  for (const file of sessionLogFiles(places)) {
    if (!file.endsWith(`-${id}.md`)) continue;
    const read = await readSessionLog(file);
    if ("log" in read) return { log: read.log, remarks };
    if (read.isNewer) throw damaged(file, read);
    const aside = asideOf(file);
    await rename(file, aside);
    remarks.push(`HF1121 the session log ${file} ${read.problem}; it is kept as ${aside}, and a new one is begun`);
  }
  return { log: undefined, remarks };
}

function asideOf(file: string): string {
  let aside = `${file}.damaged`;
  for (let number = 2; existsSync(aside); number++) aside = `${file}.${number}.damaged`;
  return aside;
}

/** A log may be deleted or damaged, and what was decided on its proposals stays: a decision is about one of them for good. */
function namesGiven(places: KnowledgePlaces, id: string): { named: Record<ProposalKind, number>; remarks: string[] } {
  const named = { practice: 0, map: 0 };
  let decisions: Decisions;
  try {
    decisions = readDecisions(places);
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    return { named, remarks: [`${error.code} ${error.message}; the session was captured all the same`] };
  }
  for (const origin of decisions.keys()) {
    const [, kind, number] = origin.startsWith(`${id}:`) ? (/:(practice|map):(\d{1,4})$/.exec(origin) ?? []) : [];
    if (kind === "practice" || kind === "map") named[kind] = Math.max(named[kind], Number(number) + 1);
  }
  return { named, remarks: [] };
}

/** Minutes of UTC. */
const stamp = (now: Date): string => now.toISOString().slice(0, 16).replace(/[-:]/g, "").replace("T", "-");

function faultRemarks({ badLines, longLines }: TranscriptFaults, path: string): string[] {
  const lines = (count: number) => (count === 1 ? "1 line" : `${count} lines`);
  return [
    ...(longLines > 0
      ? [`${lines(longLines)} of ${path} were too long to be read and were left out of the session's log`]
      : []),
    ...(badLines > 0 ? [`${lines(badLines)} of ${path} could not be read and were left out of the session's log`] : []),
  ];
}
