/**
 * Work that waits for a process of its own: a private file each. A worker claims one by renaming it, so that two never
 * do the same; a claim whose worker died is another try. Whenever a process is killed, the job is still in one place.
 */
import { randomUUID } from "node:crypto";
import { readdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { makeDirectory } from "../../files/make-directory.ts";
import { isKnownDead, processScope } from "../../process/process-scope.ts";
import { isSilent } from "../../process/silence.ts";
import { codeOf, readIfThere, writePrivately } from "./private-file.ts";
import { isDue, MAX_TRIES, nextTryAt, shortError } from "./retry.ts";

export const JOB_KINDS = ["drain", "lint"] as const;
export type JobKind = (typeof JOB_KINDS)[number];

export interface Job {
  readonly schema_version: 1;
  readonly id: string;
  readonly kind: JobKind;
  /** What the hook was told, whole. */
  readonly payload: JsonObject;
  readonly created_at: string;
  /** How often it was begun. */
  readonly tries: number;
  readonly not_before: string | null;
  readonly last_error: string | null;
  /** Who works on it, while somebody does. */
  readonly worker: { readonly pid: number; readonly scope: string } | null;
}

export type JobState = "waiting" | "running" | "dead";

export interface StoredJob {
  readonly state: JobState;
  readonly job: Job;
}

export interface Claim {
  readonly job: Job;
  /** Tells others that the worker still works. */
  beat(): void;
  done(): void;
  /** When it is tried again; null: given up. */
  failed(error: string, now: Date): Date | null;
}

const WAITING = ".json";
const CLAIMED = ".claimed";
const DEAD = ".dead";
/** A claim that was not touched for so long belongs to nobody. */
const ABANDONED_MS = 60_000;

export class JobStore {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  add(kind: JobKind, payload: JsonObject, now: Date): Job {
    const job: Job = {
      schema_version: 1,
      id: `${kind}-${randomUUID()}`,
      kind,
      payload,
      created_at: now.toISOString(),
      tries: 0,
      not_before: null,
      last_error: null,
      worker: null,
    };
    this.#write(job, WAITING);
    return job;
  }

  /** By the time they were added. What cannot be read is set aside where `unreadable` finds it. */
  list(): StoredJob[] {
    const states = { [WAITING]: "waiting", [CLAIMED]: "running", [DEAD]: "dead" } as const;
    const stored = this.#names().flatMap((name): StoredJob[] => {
      const ending = Object.keys(states).find((ending) => name.endsWith(ending)) as keyof typeof states | undefined;
      const job = ending && this.#read(name);
      return job ? [{ state: states[ending], job }] : [];
    });
    return stored.sort((one, other) => (one.job.created_at < other.job.created_at ? -1 : 1));
  }

  /** Names of files here that hold no job. */
  unreadable(): string[] {
    return this.#names().filter((name) => !name.startsWith(".") && this.#read(name) === undefined);
  }

  /** Jobs whose worker is gone wait again, or are given up. Returns them. */
  recover(now: Date): Job[] {
    return this.list().flatMap(({ state, job }) => {
      if (state !== "running" || !this.#isAbandoned(job, now)) return [];
      const error = "its process ended before it was done";
      this.#settle(job, error, now);
      return [{ ...job, last_error: error }];
    });
  }

  /** The next that is due, now ours. */
  claimNext(kinds: readonly JobKind[], now: Date): Claim | undefined {
    for (const { state, job } of this.list()) {
      if (state !== "waiting" || !kinds.includes(job.kind) || !isDue(job.not_before, now)) continue;
      const claim = this.#claim(job);
      if (claim) return claim;
    }
    return undefined;
  }

  /** Given-up jobs are gone: a person has seen them, or asks for the work anew. */
  forgetDead(): number {
    const dead = this.#names().filter((name) => name.endsWith(DEAD));
    for (const name of dead) rmSync(join(this.directory, name), { force: true });
    return dead.length;
  }

  #claim(job: Job): Claim | undefined {
    try {
      renameSync(this.#file(job, WAITING), this.#file(job, CLAIMED));
    } catch (error) {
      // Somebody was faster.
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    }
    const worker = { pid: process.pid, scope: processScope() };
    const claimed: Job = { ...job, tries: job.tries + 1, worker };
    this.#write(claimed, CLAIMED);
    return {
      job: claimed,
      beat: () => touch(this.#file(job, CLAIMED)),
      done: () => {
        rmSync(this.#file(job, CLAIMED), { force: true });
        // What it did makes up for those before it.
        this.#forgetDeadLike(job);
      },
      failed: (error, now) => this.#settle(claimed, error, now),
    };
  }

  #forgetDeadLike({ id, kind }: Pick<Job, "id" | "kind">): void {
    for (const { state, job } of this.list())
      if (state === "dead" && job.kind === kind && job.id !== id) rmSync(this.#file(job, DEAD), { force: true });
  }

  #settle(job: Job, error: string, now: Date): Date | null {
    const again = nextTryAt(job.tries, now);
    // Of those given up the latest says what is wrong; there is one more every few hours for as long as it lasts.
    if (!again) this.#forgetDeadLike(job);
    const next: Job = { ...job, worker: null, last_error: shortError(error), not_before: again?.toISOString() ?? null };
    this.#write(next, CLAIMED);
    renameSync(this.#file(job, CLAIMED), this.#file(job, again ? WAITING : DEAD));
    return again;
  }

  #isAbandoned(job: Job, now: Date): boolean {
    if (job.worker && isKnownDead(job.worker.pid, job.worker.scope)) return true;
    const touched = statSync(this.#file(job, CLAIMED), { throwIfNoEntry: false })?.mtimeMs ?? now.getTime();
    return isSilent(touched, now.getTime(), ABANDONED_MS, job.worker?.scope);
  }

  #file = (job: Pick<Job, "id">, ending: string) => join(this.directory, `${job.id}${ending}`);

  #write(job: Job, ending: string): void {
    makeDirectory(this.directory, 0o700);
    writePrivately(this.#file(job, ending), `${JSON.stringify(job)}\n`);
  }

  #names(): string[] {
    try {
      return readdirSync(this.directory);
    } catch (error) {
      if (codeOf(error) === "ENOENT") return [];
      throw error;
    }
  }

  #read(name: string): Job | undefined {
    const text = readIfThere(join(this.directory, name));
    try {
      const value = text === undefined ? undefined : (JSON.parse(text) as Json);
      if (!isJob(value)) return undefined;
      const job = value as unknown as Job;
      // Under another name it could never be claimed, and would hold up all that are like it.
      return [WAITING, CLAIMED, DEAD].some((ending) => name === `${job.id}${ending}`) ? job : undefined;
    } catch {
      return undefined;
    }
  }
}

function isJob(value: Json | undefined): boolean {
  if (!isJsonObject(value) || value.schema_version !== 1) return false;
  const isNamed = typeof value.id === "string" && /^[a-z]+-[0-9a-f-]{36}$/.test(value.id);
  const isKnown = typeof value.kind === "string" && (JOB_KINDS as readonly string[]).includes(value.kind);
  const tries = Number.isInteger(value.tries) && Number(value.tries) >= 0 && Number(value.tries) <= MAX_TRIES;
  return isNamed && isKnown && tries && isJsonObject(value.payload) && typeof value.created_at === "string";
}

function touch(file: string): void {
  const now = new Date();
  try {
    utimesSync(file, now, now);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}
