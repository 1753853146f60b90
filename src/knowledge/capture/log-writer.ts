/** Session logs are written whole or not at all, one writer at a time, however large they are. */
import { randomUUID } from "node:crypto";
import { type FileHandle, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { makeDirectory } from "../../files/make-directory.ts";
import type { TakeLock, TakenLock } from "../lock.ts";
import type { KnowledgePlaces } from "../places.ts";
import {
  damaged,
  footerText,
  frontText,
  lockOf,
  PROPOSAL_HEADING,
  readSessionLog,
  type SessionFront,
  type SessionLog,
} from "./session-log.ts";

const COPY_BYTES = 256 * 1024;
/** Readable by its owner alone: it holds what somebody said in a session. */
const PRIVATE = 0o600;

/** Changes what stands above a transcript, as it is at that moment. Returns what was written. */
export async function changeSessionLog(
  file: string,
  places: KnowledgePlaces,
  takeLock: TakeLock,
  change: (front: SessionFront) => SessionFront,
): Promise<SessionFront> {
  const seen = await existing(file);
  const lock = await takeLock(lockOf(places, seen.front.session_id));
  try {
    const log = await existing(file);
    const next = change(log.front);
    await replaceLog(file, { lock }, async (target) => {
      await target.appendFile(frontText(next));
      await copy(file, target, log.bodyAt, await footerAt(log));
      await target.appendFile(footerText(next));
    });
    return next;
  } finally {
    lock.release();
  }
}

async function existing(file: string): Promise<SessionLog> {
  const read = await readSessionLog(file);
  if ("problem" in read) throw damaged(file, read);
  return read.log;
}

/** Under the lock of the session: what a killed writer left behind is removed first, but for a file still in use. */
export async function replaceLog(
  file: string,
  { lock, keep }: { readonly lock: Pick<TakenLock, "isHeld">; readonly keep?: string },
  write: (target: FileHandle) => Promise<void>,
): Promise<void> {
  makeDirectory(dirname(file), 0o700);
  await removeLeftovers(file, keep);
  const temporary = temporaryOf(file);
  try {
    const target = await open(temporary, "wx", PRIVATE);
    try {
      await write(target);
      await target.sync();
    } finally {
      await target.close();
    }
    if (!lock.isHeld()) throw new Error(`the lock on ${basename(file)} was lost meanwhile; the next capture writes it`);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Beside the log, so that it becomes the log by a rename; hidden, so that nobody takes it for one. */
export const temporaryOf = (file: string): string =>
  join(dirname(file), `.${basename(file)}.${process.pid}.${randomUUID().slice(0, 8)}.tmp`);

async function removeLeftovers(file: string, keep: string | undefined): Promise<void> {
  const folder = dirname(file);
  const mark = `.${basename(file)}.`;
  for (const name of await readdir(folder)) {
    const left = join(folder, name);
    if (name.startsWith(mark) && left !== keep) await rm(left, { force: true });
  }
}

/** Of a part of a file, in pieces. */
export async function copy(file: string, target: FileHandle, from: number, to: number): Promise<void> {
  const source = await open(file, "r");
  try {
    const buffer = Buffer.allocUnsafe(COPY_BYTES);
    for (let at = from; at < to; ) {
      const { bytesRead } = await source.read(buffer, 0, Math.min(COPY_BYTES, to - at), at);
      if (bytesRead === 0) return;
      await target.appendFile(buffer.subarray(0, bytesRead));
      at += bytesRead;
    }
  } finally {
    await source.close();
  }
}

const FOOTER_BYTES = 8 * 1024;

/** The last heading of ours: one that was said has a backslash before it. Without it the body goes on to the end. */
async function footerAt({ file, bodyAt }: SessionLog): Promise<number> {
  const source = await open(file, "r");
  try {
    const { size } = await source.stat();
    const from = Math.max(bodyAt, size - FOOTER_BYTES);
    const buffer = Buffer.alloc(size - from);
    await source.read(buffer, 0, buffer.length, from);
    const found = buffer.lastIndexOf(`\n${PROPOSAL_HEADING}\n`);
    return found === -1 ? size : from + found;
  } finally {
    await source.close();
  }
}
