/** Runs as files: `<root>/<repo>/<id>/` holds run.json, run-events.jsonl, attempts/ and attachments/. */
import { randomBytes, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HoldfastError } from "../../core/errors.ts";
import { makeDirectory } from "../../files/make-directory.ts";
import type { NewRun } from "../new-run.ts";
import type { Attachment, Run } from "../run.ts";
import type { Change, FileChange, NewRunEvent, Reservation, RunEvent, RunStore } from "../store.ts";
import { outputFileOf, readAttempt, writeAttempt } from "./attempt-file.ts";
import { codeOf, createDisk, readIfThere } from "./disk.ts";
import { appendEvents, endOfLog, eventsFrom } from "./event-log.ts";
import { driver, LEASE_TIMES, type LeaseTimes, takeLease, tokenOf } from "./lease.ts";
import { type TakeLock, withLock } from "./lock.ts";
import { identityOf } from "./process-identity.ts";
import { RESERVED, reservationFile } from "./reservation.ts";
import { logFile, numbered, readStored, settle, writeStored } from "./run-file.ts";
import { listRuns, noteInIndex } from "./run-index.ts";
import { attachmentPlace, bucketOf, findRun, namesIn, newRunId } from "./run-places.ts";
import { stagingPlace, sweepStaging } from "./staging.ts";
import { writeStopRequest } from "./stop-request.ts";
import { letOthersTurn, takeTurn } from "./turn.ts";

export interface FileRunStoreOptions {
  /** `<stateDir>/runs`. */
  readonly root: string;
  /** The repository of whoever asks: its runs are found first. */
  readonly repo: string;
  readonly takeLock: TakeLock;
  readonly leaseTimes?: LeaseTimes;
  /** Told before and after every write. */
  readonly onWrite?: (point: string) => void;
}

const ORIGIN = "origin.json";

/** Taken away in one rename first; what a kill leaves of it goes with the next run that is made. */
const REMOVED = ".removed-";

export function fileRunStore(options: FileRunStoreOptions): RunStore {
  const { root, repo: callersRepo, takeLock, leaseTimes: times = LEASE_TIMES } = options;
  const disk = createDisk(options.onWrite);
  const now = () => new Date().toISOString();
  const originFile = (directory: string) => join(directory, ORIGIN);
  const originText = (origin: NewRun) => `${JSON.stringify(origin)}\n`;
  /** It waits beside the run, and is moved to its place with the change. */
  const stagedOrigin = (directory: string, { origin }: Change): FileChange[] => {
    if (!origin) return [];
    const place = stagingPlace();
    disk.makeDirectory(join(directory, place));
    disk.replace(join(directory, place, ORIGIN), originText(origin));
    return [{ from: join(place, ORIGIN), to: ORIGIN }];
  };
  const lockOf = (directory: string) => join(directory, ".lock");

  const directoryOf = (id: string): string => {
    const directory = findRun(root, callersRepo, id);
    if (directory === undefined) throw new HoldfastError("HF1021", `there is no run ${id}`);
    return directory;
  };
  /** A run that is removed while one waits for its lock is no run. */
  const locked = async <T>(id: string, work: (directory: string) => T): Promise<T> => {
    const directory = directoryOf(id);
    try {
      return await withLock(takeLock, lockOf(directory), () => work(directory));
    } catch (error) {
      if (codeOf(error) === "ENOENT" && !existsSync(directory))
        throw new HoldfastError("HF1021", `run ${id} was deleted`);
      throw error;
    }
  };

  return {
    directoryOf,

    async reserve(repo): Promise<Reservation> {
      const bucket = join(root, bucketOf(repo));
      makeDirectory(bucket, 0o700);
      for (const name of namesIn(root)) if (name.startsWith(REMOVED)) disk.remove(join(root, name));
      for (;;) {
        const id = newRunId(randomBytes);
        const directory = join(bucket, id);
        if (findRun(root, repo, id) !== undefined) continue;
        try {
          mkdirSync(directory, { mode: 0o700 });
        } catch (error) {
          if (codeOf(error) === "EEXIST") continue;
          throw error;
        }
        writeFileSync(reservationFile(directory), JSON.stringify(identityOf(process.pid)), { mode: 0o600 });
        return { id, directory, discard: async () => rmSync(directory, { recursive: true, force: true }) };
      }
    },

    async create(run, reservation, origin, change = {}) {
      disk.replace(originFile(reservation.directory), originText(origin));
      // Prepare may have moved the run to another repository.
      const directory = join(root, bucketOf(run.repo), run.id);
      if (directory !== reservation.directory) {
        disk.makeDirectory(join(root, bucketOf(run.repo)));
        disk.move(reservation.directory, directory);
      }
      await withLock(takeLock, lockOf(directory), () => {
        const files = [...(change.files ?? []), { remove: RESERVED }];
        writeStored(disk, directory, run, { ...change, files }, undefined, now());
        noteInIndex(disk, root, directory, run);
      });
    },

    async read(id) {
      const directory = findRun(root, callersRepo, id);
      return directory === undefined ? undefined : readStored(directory)?.run;
    },

    async change(next: Run, change: Change = {}): Promise<boolean> {
      const directory = directoryOf(next.id);
      return withLock(takeLock, lockOf(directory), (lock) => {
        const stored = readStored(directory);
        if (!stored) throw new HoldfastError("HF1021", `run ${next.id} was deleted`);
        if (change.lease !== undefined && tokenOf(directory) !== change.lease) {
          throw new HoldfastError("HF1024", `another process has taken over run ${next.id}`);
        }
        if (stored.run.version !== next.version - 1 || !lock.isHeld()) return false;
        const files = [...(change.files ?? []), ...stagedOrigin(directory, change)];
        writeStored(disk, directory, next, { ...change, files }, stored, now());
        noteInIndex(disk, root, directory, next);
        return true;
      });
    },

    async changesSince(id, version) {
      const changes = readStored(directoryOf(id))?.changes ?? [];
      const later = changes.filter((change) => change.version > version);
      const isWhole = later.length === 0 || later[0]?.version === version + 1;
      return isWhole ? later : undefined;
    },

    async list(query) {
      return listRuns(disk, root, query);
    },

    async remove(id) {
      const directory = directoryOf(id);
      const gone = join(root, `${REMOVED}${id}-${randomUUID()}`);
      await withLock(takeLock, lockOf(directory), () => renameSync(directory, gone));
      disk.remove(gone);
    },

    append(id, events: readonly NewRunEvent[]): Promise<readonly RunEvent[]> {
      return locked(id, (directory) => {
        const cursor = settle(disk, directory, readStored(directory));
        const added = numbered(events, id, cursor, now());
        appendEvents(disk, logFile(directory), endOfLog(logFile(directory)), added);
        return added;
      });
    },

    async *events(id, from = 1) {
      const directory = directoryOf(id);
      // Read first: what the log lacks when a process died, the manifest still has.
      const owed = readStored(directory)?.events ?? [];
      let last = 0;
      for await (const event of eventsFrom(logFile(directory), from)) {
        last = event.cursor;
        yield event;
      }
      if (last === 0) last = endOfLog(logFile(directory)).cursor;
      for (const event of owed) if (event.cursor > last && event.cursor >= from) yield event;
    },

    async attachmentFile(id, attachment: Attachment) {
      const path = (directory: string) => join(directory, attachmentPlace(attachment));
      const directory = directoryOf(id);
      if (!existsSync(path(directory))) await locked(id, (there) => settle(disk, there, readStored(there)));
      return path(directory);
    },

    async lease(id) {
      // Whoever drives a run first clears up after whoever drove it before.
      const directory = await locked(id, (there) => {
        settle(disk, there, readStored(there));
        sweepStaging(there);
        return there;
      });
      return takeLease({ disk, directory, takeLock, lockPath: lockOf(directory), times });
    },

    requestStop: (id, by, source) =>
      locked(id, (directory) => {
        if (driver(directory, times) === undefined)
          throw new HoldfastError("HF1081", `nobody drives run ${id}, so there is nothing to stop`);
        const requested: NewRunEvent = { type: "run.stop_requested", source, data: { by } };
        const added = numbered([requested], id, settle(disk, directory, readStored(directory)), now());
        appendEvents(disk, logFile(directory), endOfLog(logFile(directory)), added);
        writeStopRequest(disk, directory, by);
      }),

    async readAttempt(id, number) {
      return readAttempt(directoryOf(id), number);
    },

    async writeAttempt(id, attempt, lease) {
      const directory = directoryOf(id);
      if (lease !== undefined && tokenOf(directory) !== lease) {
        throw new HoldfastError("HF1024", `another process has taken over run ${id}`);
      }
      writeAttempt(disk, directory, attempt);
    },

    async attemptOutput(id, number) {
      const file = outputFileOf(directoryOf(id), number);
      return existsSync(file) ? { file, lostBytes: 0 } : undefined;
    },

    async takeTurn(id) {
      return takeTurn(directoryOf(id));
    },

    letOthersTurn: (id) => letOthersTurn(directoryOf(id)),

    async originOf(id) {
      const text = await locked(id, (directory) => {
        settle(disk, directory, readStored(directory));
        return readIfThere(originFile(directory));
      });
      return text === undefined ? undefined : (JSON.parse(text) as NewRun);
    },

    async driverOf(id) {
      return driver(directoryOf(id), times);
    },

    async exclusively(work) {
      makeDirectory(root, 0o700);
      const lock = await takeLock(join(root, ".dependencies.lock"));
      try {
        return await work();
      } finally {
        lock.release();
      }
    },
  };
}
