/**
 * Runs in a database that several machines share. What is large and only one machine writes at a time (the output of an
 * attempt, files that wait to be attached) lies in a directory of this machine, and goes to the database when it is done.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { HoldfastError } from "../../../core/errors.ts";
import { makeDirectory } from "../../../files/make-directory.ts";
import { outputFileOf } from "../../../runs/files/attempt-file.ts";
import type { LeaseTimes } from "../../../runs/files/lease.ts";
import { numbered } from "../../../runs/files/run-file.ts";
import { searchedText, summaryOf } from "../../../runs/files/run-index.ts";
import { attachmentPlace, bucketOf, isRunId, newRunId } from "../../../runs/files/run-places.ts";
import { sweepStaging } from "../../../runs/files/staging.ts";
import type { NewRun } from "../../../runs/new-run.ts";
import type { Run } from "../../../runs/run.ts";
import type { AttemptState, Change, NewRunEvent, RunEvent, RunStore } from "../../../runs/store.ts";
import { keepWholeOutput, outputHere, readOutput } from "./attempt-output.ts";
import { type Query, type RunDatabase, storable } from "./database.ts";
import { holderOf, keepLease, writeLease } from "./leases.ts";
import { fetchedFile, readStaged, removeFiles, type StagedFile, writeFiles } from "./run-files.ts";
import { listRuns } from "./run-list.ts";
import { letOthersTurn, takeTurn } from "./turns.ts";

export interface PostgresRunStoreOptions {
  readonly database: RunDatabase;
  /** Where this machine keeps its part of each run. */
  readonly directory: string;
  readonly leaseTimes: LeaseTimes;
}

interface Row {
  readonly version: number;
  readonly cursor: number;
  readonly changes: string;
}

interface KeptChange {
  readonly id: string;
  readonly version: number;
  readonly within: readonly string[];
}

const KEPT_CHANGES = 64;
const PAGE = 500;
/** Any number that no other program is likely to lock by. */
const DEPENDENCIES_LOCK = 7_203_418_660;

export function postgresRunStore({ database, directory: root, leaseTimes }: PostgresRunStoreOptions): RunStore {
  const { query, transaction } = database;
  const now = () => new Date().toISOString();
  const placeOf = (id: string): string => {
    if (!isRunId(id)) throw new HoldfastError("HF1021", `there is no run ${id}`);
    return join(root, id);
  };
  const directoryOf = (id: string): string => {
    const directory = placeOf(id);
    makeDirectory(directory, 0o700);
    return directory;
  };

  const locked = async (within: Query, id: string): Promise<Row> => {
    const [row] = await within<Row>("select version, cursor, changes from runs where id = $1 for update", [id]);
    if (!row) throw new HoldfastError("HF1021", `there is no run ${id}`);
    return row;
  };

  const writeRun = async (within: Query, run: Run, cursor: number, changes: readonly KeptChange[]): Promise<void> => {
    await within(
      `update runs set version = $2, bucket = $3, status = $4, group_name = $5, parent_run = $6, is_archived = $7,
         searched = $8, searched_version = $2, cursor = $9, changes = $10, summary = $11, body = $12 where id = $1`,
      [...columnsOf(run), cursor, JSON.stringify(changes), JSON.stringify(summaryOf(run)), JSON.stringify(run)],
    );
  };

  return {
    directoryOf,

    async reserve() {
      await query("delete from reservations where made_at < now() - interval '2 days'");
      for (;;) {
        const id = newRunId(randomBytes);
        const made = await query(
          `insert into reservations (id) select $1 where not exists (select from runs where id = $1)
           on conflict do nothing returning id`,
          [id],
        );
        if (made.length === 0) continue;
        const directory = directoryOf(id);
        const discard = async () => {
          rmSync(directory, { recursive: true, force: true });
          await query("delete from reservations where id = $1", [id]);
        };
        return { id, directory, discard };
      }
    },

    async create(run, reservation, origin, change = {}) {
      const staged = readStaged(reservation.directory, change.files ?? []);
      const changes: KeptChange[] = [{ id: randomUUID(), version: run.version, within: change.within ?? [] }];
      const events = numbered(change.events ?? [], run.id, 0, now());
      await transaction(async (within) => {
        const made = await within(
          `insert into runs (id, version, bucket, status, group_name, parent_run, is_archived, searched, searched_version,
             cursor, changes, summary, body, origin, created_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $2, $9, $10, $11, $12, $13, $14) on conflict do nothing returning id`,
          [
            ...columnsOf(run),
            ...[events.length, JSON.stringify(changes), JSON.stringify(summaryOf(run)), JSON.stringify(run)],
            ...[JSON.stringify(origin), run.createdAt],
          ],
        );
        // It is ours by reservation: there already means that a commit did take place before it was cut off.
        if (made.length === 0) return;
        await writeEvents(within, randomUUID(), events);
        await writeFiles(within, run.id, staged);
        await within("delete from reservations where id = $1", [run.id]);
      });
    },

    async read(id) {
      if (!isRunId(id)) return undefined;
      const [row] = await query<{ body: string }>("select body from runs where id = $1", [id]);
      return row && parsed(id, row.body);
    },

    async change(next: Run, change: Change = {}): Promise<boolean> {
      const directory = placeOf(next.id);
      const staged: readonly StagedFile[] = readStaged(directory, change.files ?? []);
      const own = randomUUID();
      const at = now();
      const isStored = await transaction(async (within) => {
        const row = await locked(within, next.id);
        const changes = JSON.parse(row.changes) as readonly KeptChange[];
        if (changes.some(({ id }) => id === own)) return true;
        if (change.lease !== undefined) await requireLease(within, next.id, change.lease);
        if (row.version !== next.version - 1) return false;
        const events = numbered(change.events ?? [], next.id, row.cursor, at);
        const kept = [...changes, { id: own, version: next.version, within: change.within ?? [] }].slice(-KEPT_CHANGES);
        await writeRun(within, next, row.cursor + events.length, kept);
        if (change.origin)
          await within("update runs set origin = $2 where id = $1", [next.id, JSON.stringify(change.origin)]);
        await writeEvents(within, own, events);
        await writeFiles(within, next.id, staged);
        return true;
      });
      if (isStored) removeFiles(directory, staged);
      return isStored;
    },

    async changesSince(id, version) {
      const [row] = await query<{ changes: string }>("select changes from runs where id = $1", [id]);
      const changes = row ? (JSON.parse(row.changes) as readonly KeptChange[]) : [];
      const later = changes.filter((change) => change.version > version);
      const isWhole = later.length === 0 || later[0]?.version === version + 1;
      return isWhole ? later : undefined;
    },

    list: (wanted) => listRuns(query, wanted),

    async remove(id) {
      await query("delete from runs where id = $1", [id]);
      rmSync(placeOf(id), { recursive: true, force: true });
    },

    append(id, events: readonly NewRunEvent[]): Promise<readonly RunEvent[]> {
      const batch = randomUUID();
      const at = now();
      return transaction(async (within) => {
        const { cursor } = await locked(within, id);
        const known = await within<{ body: string }>(
          "select body from events where run = $1 and batch = $2 order by cursor",
          [id, batch],
        );
        if (known.length > 0) return known.map(({ body }) => JSON.parse(body) as RunEvent);
        const added = numbered(events, id, cursor, at);
        await writeEvents(within, batch, added);
        await within("update runs set cursor = $2 where id = $1", [id, cursor + added.length]);
        return added;
      });
    },

    async *events(id, from = 1) {
      for (let next = from; ; ) {
        const rows = await query<{ cursor: number; body: string }>(
          "select cursor, body from events where run = $1 and cursor >= $2 order by cursor limit $3",
          [id, next, PAGE],
        );
        for (const { body } of rows) yield JSON.parse(body) as RunEvent;
        const last = rows.at(-1);
        if (!last || rows.length < PAGE) return;
        next = last.cursor + 1;
      }
    },

    async attachmentFile(id, attachment) {
      const path = attachmentPlace(attachment);
      const [directory, found] = [directoryOf(id), await fetchedFile(query, id, directoryOf(id), path)];
      if (!found) throw new HoldfastError("HF1028", `the bytes of ${attachment.name} are gone`, { file: directory });
      return found;
    },

    async lease(id) {
      sweepStaging(directoryOf(id));
      const token = randomUUID();
      const heldBy = await transaction(async (within) => {
        await locked(within, id);
        const holder = await holderOf(within, id, token);
        if (holder === undefined) await writeLease(within, id, token, leaseTimes);
        return holder;
      });
      return heldBy === undefined ? keepLease(database, id, token, leaseTimes) : { heldBy };
    },

    async readAttempt(id, number) {
      const sql = "select body from attempts where run = $1 and number = $2";
      const [row] = await query<{ body: string }>(sql, [id, number]);
      return row && (JSON.parse(row.body) as AttemptState);
    },

    async writeAttempt(id, attempt, lease) {
      const here = outputFileOf(directoryOf(id), attempt.number);
      const output = attempt.result ? readOutput(here) : null;
      const written = await query(
        `insert into attempts (run, number, body, output, output_id, output_bytes) select $1, $2, $3, $4, $6, $7
         where $5::text is null or exists (select from leases where run = $1 and token = $5)
         on conflict (run, number) do update set body = excluded.body, output = excluded.output,
           output_id = excluded.output_id, output_bytes = excluded.output_bytes
         returning number`,
        [
          ...[id, attempt.number, JSON.stringify(attempt), output?.end ?? null, lease ?? null],
          ...[output?.id ?? null, output?.bytes ?? null],
        ],
      );
      if (written.length === 0) throw new HoldfastError("HF1024", `another process has taken over run ${id}`);
      if (output) keepWholeOutput(here, output.id);
    },

    attemptOutput: (id, number) => outputHere(query, id, number, outputFileOf(directoryOf(id), number)),

    takeTurn: (id) => takeTurn(query, id),
    letOthersTurn: (id) => letOthersTurn(query, id),

    async originOf(id) {
      const [row] = await query<{ origin: string }>("select origin from runs where id = $1", [id]);
      return row && (JSON.parse(row.origin) as NewRun);
    },

    driverOf: (id) => holderOf(query, id),

    requestStop(id, by, source) {
      const batch = randomUUID();
      const at = now();
      return transaction(async (within) => {
        const { cursor } = await locked(within, id);
        if ((await holderOf(within, id)) === undefined)
          throw new HoldfastError("HF1081", `nobody drives run ${id}, so there is nothing to stop`);
        await within("update leases set stop_by = $2 where run = $1", [id, by]);
        // Tried again after its answer was lost: the log has it already.
        const known = await within("select cursor from events where run = $1 and batch = $2", [id, batch]);
        if (known.length > 0) return;
        const requested: NewRunEvent = { type: "run.stop_requested", source, data: { by } };
        await writeEvents(within, batch, numbered([requested], id, cursor, at));
        await within("update runs set cursor = $2 where id = $1", [id, cursor + 1]);
      });
    },

    exclusively: (work) => database.alone(DEPENDENCIES_LOCK, work),
  };
}

const columnsOf = (run: Run) => [
  ...[run.id, run.version, bucketOf(run.repo), run.status],
  run.group === null ? null : storable(run.group),
  ...[run.parentRun, run.isArchived, storable(searchedText(summaryOf(run)))],
];

export function parsed(id: string, body: string): Run {
  const run = JSON.parse(body) as Run;
  if (run.schemaVersion !== 1)
    throw new HoldfastError("HF1028", `run ${id} cannot be read: its schemaVersion is ${run.schemaVersion}, not 1`);
  return run;
}

async function requireLease(within: Query, id: string, token: string): Promise<void> {
  const [held] = await within<{ token: string }>("select token from leases where run = $1", [id]);
  if (held?.token !== token) throw new HoldfastError("HF1024", `another process has taken over run ${id}`);
}

async function writeEvents(within: Query, batch: string, events: readonly RunEvent[]): Promise<void> {
  if (events.length === 0) return;
  await within(
    "insert into events (run, cursor, batch, body) select $1, cursor, $2, body from unnest($3::bigint[], $4::text[]) as new (cursor, body)",
    [events[0]?.run, batch, events.map(({ cursor }) => cursor), events.map((event) => JSON.stringify(event))],
  );
}
