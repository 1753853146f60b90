/** A transcript written down as it is read: what stands in the body of a session's log, and what it comes to. */
import { createHash, type Hash } from "node:crypto";
import { open } from "node:fs/promises";
import { HoldfastError } from "../../core/errors.ts";
import { messageWindow } from "./in-order.ts";
import { keptText } from "./said-text.ts";
import { type Segment, segmentText } from "./segment.ts";
import { type SessionLog, segmentsOf } from "./session-log.ts";
import type { Read, TranscriptFaults, TranscriptFormat } from "./transcript.ts";

/** What a transcript came to. */
export interface Draft {
  readonly segments: number;
  readonly hash: string;
  /** Of the first so many segments; undefined: there are fewer. */
  readonly proposedHash: string | undefined;
  /** Of all, and of what comes after those. */
  readonly said: Amount;
  readonly saidSince: Amount;
}

export interface Amount {
  readonly userTurns: number;
  readonly userCharacters: number;
  readonly agentCharacters: number;
}

export interface Drafting {
  readonly format: TranscriptFormat;
  readonly path: string;
  readonly session: string;
  readonly secrets: "redact" | "keep";
  readonly faults: TranscriptFaults;
  readonly signal: AbortSignal;
  /** What was captured before. */
  readonly log: SessionLog | undefined;
}

export interface Drafted {
  readonly draft: Draft;
  readonly reads: readonly Read[];
}

/** Enough that a write is worth its while. */
const WRITE_CHARACTERS = 64 * 1024;

export async function draftInto(file: string, drafting: Drafting): Promise<Drafted> {
  const { log } = drafting;
  const proposed = log?.front.proposed_segments ?? 0;
  const whole = await drafted(file, proposed, (add) => saidIn(drafting, add));
  if (!log || whole.draft.segments >= log.front.segments) return whole;
  // The host wrote its transcript anew and shorter: what the log has stays, and what it lacks is added.
  return drafted(file, proposed, async (add) => {
    const known = new Set<string>();
    for await (const segment of segmentsOf(log)) {
      known.add(digestOf(segment));
      await add(segment);
    }
    await saidIn({ ...drafting, faults: { badLines: 0, longLines: 0 } }, async (segment) => {
      if (!known.has(digestOf(segment))) await add(segment);
    });
    return whole.reads;
  });
}

const digestOf = (segment: Segment) => createHash("sha1").update(segmentText(segment)).digest("base64");

/** Reads a transcript; what was said may be kept as it is handed on. */
async function saidIn(
  { format, path, session, secrets, faults, signal }: Drafting,
  add: (segment: Segment) => Promise<void>,
): Promise<readonly Read[]> {
  const reads: Read[] = [];
  const window = messageWindow(async ({ speaker, text }) => {
    const kept = keptText(text, { secrets });
    if (kept !== "") await add({ speaker, text: kept });
  });
  try {
    for await (const item of format.items(path, session, faults)) {
      if (signal.aborted)
        throw new Error("there was no time left to capture the session; its next turn is captured with it");
      if (item.type === "said") await window.add(item);
      else reads.push(item);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EACCES" || code === "EISDIR" || code === "EIO")
      throw new HoldfastError("HF1123", `the transcript ${path} cannot be read: ${(error as Error).message}`, {
        file: path,
      });
    throw error;
  }
  await window.end();
  return reads;
}

async function drafted(
  file: string,
  proposed: number,
  fill: (add: (segment: Segment) => Promise<void>) => Promise<readonly Read[]>,
): Promise<Drafted> {
  const target = await open(file, "w", 0o600);
  try {
    const hash = createHash("sha256");
    let proposedHash: string | undefined;
    let segments = 0;
    let waiting = "";
    const said = counter();
    const saidSince = counter();
    const write = async () => {
      hash.update(waiting);
      await target.appendFile(waiting);
      waiting = "";
    };
    const reads = await fill(async (segment) => {
      if (segments === proposed && segments > 0) {
        await write();
        proposedHash = digest(hash);
      }
      waiting += `${segments === 0 ? "" : "\n\n"}${segmentText(segment)}`;
      said.count(segment);
      if (segments >= proposed) saidSince.count(segment);
      segments += 1;
      if (waiting.length >= WRITE_CHARACTERS) await write();
    });
    await write();
    if (segments === proposed) proposedHash = digest(hash);
    await target.appendFile("\n");
    const draft = { segments, hash: digest(hash), proposedHash, said: said.amount(), saidSince: saidSince.amount() };
    return { draft, reads };
  } finally {
    await target.close();
  }
}

const digest = (hash: Hash) => `sha256:${hash.copy().digest("hex")}`;

function counter() {
  const amount = { userTurns: 0, userCharacters: 0, agentCharacters: 0 };
  return {
    count({ speaker, text }: Segment): void {
      if (speaker === "agent") amount.agentCharacters += text.length;
      else {
        amount.userTurns += 1;
        amount.userCharacters += text.length;
      }
    },
    amount: (): Amount => ({ ...amount }),
  };
}
