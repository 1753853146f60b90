/**
 * A lock for work of minutes: a file made with O_EXCL that names its holder and is touched while it works. It belongs to
 * nobody once its process is known to be dead, or once it was not touched for STALE_MS.
 */
import { randomUUID } from "node:crypto";
import { linkSync, readdirSync, renameSync, rmSync, statSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { makeDirectory } from "../../files/make-directory.ts";
import { isKnownDead, processScope } from "../../process/process-scope.ts";
import { isSilent } from "../../process/silence.ts";
import { codeOf, readIfThere } from "./private-file.ts";

export const STALE_MS = 60_000;
const BEAT_MS = STALE_MS / 4;

export interface BeatingLock {
  readonly kind: "held";
  /** Of whom it was taken, where its holder had died or stopped. */
  readonly recovered: LockHolder | null;
  /** False once somebody took it for stale: to be asked before a write that needs it. */
  isHeld(): boolean;
  release(): void;
}

export interface LockHolder {
  readonly pid: number | null;
  readonly heldMs: number;
  readonly sinceBeatMs: number;
}

export type LockAttempt = BeatingLock | { readonly kind: "busy"; readonly holder: LockHolder };

export interface LockTiming {
  readonly staleMs?: number;
  readonly beatMs?: number;
}

export function tryBeatingLock(file: string, { staleMs = STALE_MS, beatMs = BEAT_MS }: LockTiming = {}): LockAttempt {
  const token = randomUUID();
  makeDirectory(dirname(file), 0o700);
  if (create(file, token)) return beating(file, token, beatMs, null);
  const found = look(file);
  if (!found) return create(file, token) ? beating(file, token, beatMs, null) : busy(file);
  const isLeft =
    isSilent(found.beatenAtMs, Date.now(), staleMs, found.scope) ||
    (found.pid !== null && isKnownDead(found.pid, found.scope));
  if (!isLeft || !removeIfStill(file, found.text)) return { kind: "busy", holder: found };
  return create(file, token) ? beating(file, token, beatMs, found) : busy(file);
}

/** Whoever holds it now; undefined: nobody. */
export function lockHolder(file: string): LockHolder | undefined {
  const found = look(file);
  return found && !(found.pid !== null && isKnownDead(found.pid, found.scope)) ? found : undefined;
}

function busy(file: string): LockAttempt {
  return { kind: "busy", holder: look(file) ?? { pid: null, heldMs: 0, sinceBeatMs: 0 } };
}

/** Signed before it is there: a process that dies in between leaves no lock that nobody can judge. */
function create(file: string, token: string): boolean {
  const signature = { pid: process.pid, scope: processScope(), since: Date.now(), token };
  const draft = `${file}.${token}.new`;
  writeFileSync(draft, JSON.stringify(signature), { flag: "wx", mode: 0o600 });
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    // The draft is gone where a holder that was just made tidied up.
    if (codeOf(error) === "EEXIST" || codeOf(error) === "ENOENT") return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** What those left who died while they took it. */
function tidyUp(file: string): void {
  const name = basename(file);
  for (const other of readdirSync(dirname(file))) {
    const isLeft = other.startsWith(`${name}.`) && /\.(?:new|stale)$/.test(other);
    if (isLeft) rmSync(join(dirname(file), other), { force: true });
  }
}

interface Found extends LockHolder {
  readonly text: string;
  readonly scope: string;
  readonly beatenAtMs: number;
}

function look(file: string): Found | undefined {
  const text = readIfThere(file);
  const beatenAtMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (text === undefined || beatenAtMs === undefined) return undefined;
  const sinceBeatMs = Math.max(0, Date.now() - beatenAtMs);
  // Somebody wrote over it: then only its age counts.
  const { pid = null, scope = "", since = beatenAtMs } = signatureOf(text);
  return { text, scope, pid, beatenAtMs, sinceBeatMs, heldMs: Math.max(0, Date.now() - since) };
}

function signatureOf(text: string): { pid?: number; scope?: string; since?: number } {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/** Moved away first, so that of two who judged it stale only one gets it; what turns out to be another's is put back. */
function removeIfStill(file: string, text: string): boolean {
  const aside = `${file}.${randomUUID()}.stale`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return true;
    throw error;
  }
  const isIt = readIfThere(aside) === text;
  try {
    if (!isIt) linkSync(aside, file);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  } finally {
    rmSync(aside, { force: true });
  }
  return isIt;
}

function beating(file: string, token: string, beatMs: number, recovered: LockHolder | null): BeatingLock {
  const isHeld = () => readIfThere(file)?.includes(token) ?? false;
  tidyUp(file);
  const beat = setInterval(() => {
    if (!isHeld()) return clearInterval(beat);
    const now = new Date();
    utimesSync(file, now, now);
  }, beatMs);
  beat.unref();
  return {
    kind: "held",
    recovered,
    isHeld,
    release() {
      clearInterval(beat);
      if (isHeld()) unlinkSync(file);
    },
  };
}
