/** A transcript written down as it is read: what stands in the body of a session's log, and what it comes to. */
import { createHash, type Hash } from "node:crypto";
import { open } from "node:fs/promises";
import { HoldfastError } from "../../core/errors.ts";
import { messageWindow } from "./in-order.ts";
import { keptText, rulesDigest } from "./said-text.ts";
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
  readonly source: Source;
}

export interface Amount {
  readonly userTurns: number;
  readonly userCharacters: number;
  readonly agentCharacters: number;
}

/** The host's messages, as they are before anything is left out. */
export interface Source {
  readonly messages: number;
  readonly hash: string;
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

type Add = (segment: Segment) => Promise<void>;
type Filled = Pick<Draft, "source"> & Pick<Drafted, "reads">;

/** Enough that a write is worth its while. */
const WRITE_CHARACTERS = 64 * 1024;

export async function draftInto(file: string, drafting: Drafting): Promise<Drafted> {
  const { log } = drafting;
  const proposed = log?.front.proposed_segments ?? 0;
  if (log) {
    const grown = await drafted(file, proposed, (add) => grownSince(log, drafting, add));
    if (grown) return grown;
  }
  const whole = (await drafted(file, proposed, (add) => saidIn(drafting, kept(drafting, add)))) as Drafted;
  if (!log || whole.draft.segments >= log.front.segments) return whole;
  // The host wrote its transcript anew and shorter: what the log has stays, and what it lacks is added.
  const merged = await drafted(file, proposed, async (add) => {
    const known = new Set<string>();
    for await (const segment of segmentsOf(log)) {
      known.add(digestOf(segment));
      await add(segment);
    }
    const addUnknown: Add = async (segment) => {
      if (!known.has(digestOf(segment))) await add(segment);
    };
    return saidIn(drafting, kept(drafting, addUnknown));
  });
  return merged as Drafted;
}

/** Nearly always a transcript only grew: what the log has is taken over, and only what is new is gone through. */
async function grownSince(log: SessionLog, drafting: Drafting, add: Add): Promise<Filled | undefined> {
  const { source_messages: messages = 0, source_hash: hash = null } = log.front;
  if (messages === 0 || hash === null) return undefined;
  const keep = kept(drafting, add);
  let isOther = false;
  const filled = await saidIn(drafting, async (segment, source) => {
    if (isOther || source.messages < messages) return;
    if (source.messages > messages) return keep(segment);
    isOther = source.hash() !== hash;
    if (isOther) return;
    for await (const before of segmentsOf(log)) await add(before);
  });
  if (!isOther && filled.source.messages >= messages) return filled;
  Object.assign(drafting.faults, { badLines: 0, longLines: 0 });
  return undefined;
}

const kept =
  ({ secrets }: Drafting, add: Add) =>
  async ({ speaker, text }: Segment): Promise<void> => {
    const left = keptText(text, { secrets });
    if (left !== "") await add({ speaker, text: left });
  };

const digestOf = (segment: Segment) => createHash("sha1").update(segmentText(segment)).digest("base64");

/** Reads a transcript and hands on every message as it was said, with what the messages up to it come to. */
async function saidIn(
  { format, path, session, secrets, faults, signal }: Drafting,
  hear: (segment: Segment, source: { readonly messages: number; hash(): string }) => Promise<void>,
): Promise<Filled> {
  const reads: Read[] = [];
  const hash = createHash("sha256").update(rulesDigest({ secrets }));
  let messages = 0;
  const window = messageWindow(async ({ speaker, text }) => {
    messages += 1;
    hash.update(`\0${speaker}\0`).update(text);
    await hear({ speaker, text }, { messages, hash: () => digest(hash) });
  });
  try {
    for await (const item of format.items(path, session, faults)) {
      if (signal.aborted) throw new Error("no time was left for it; what is new is captured with the next turn");
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
  return { reads, source: { messages, hash: digest(hash) } };
}

/** undefined: whoever fills it says that it is not what it should be. */
async function drafted(
  file: string,
  proposed: number,
  fill: (add: Add) => Promise<Filled | undefined>,
): Promise<Drafted | undefined> {
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
    const filled = await fill(async (segment) => {
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
    if (!filled) return undefined;
    await write();
    if (segments === proposed) proposedHash = digest(hash);
    await target.appendFile("\n");
    const amounts = { said: said.amount(), saidSince: saidSince.amount() };
    return {
      draft: { segments, hash: digest(hash), proposedHash, ...amounts, source: filled.source },
      reads: filled.reads,
    };
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
