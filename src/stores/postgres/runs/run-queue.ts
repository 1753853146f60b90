/**
 * The queue of runs. Who may take what is decided by one worker at a time, under a lock of the database that is held for
 * a few statements: so no limit is ever exceeded. Taking writes the run's lease; an entry whose lease ran out waits again.
 */
import { randomUUID } from "node:crypto";
import { HoldfastError } from "../../../core/errors.ts";
import type { LeaseTimes } from "../../../runs/files/lease.ts";
import { bucketOf } from "../../../runs/files/run-places.ts";
import type {
  LimitKind,
  QueueEntry,
  QueueLimit,
  QueueRequest,
  QueueState,
  RunQueue,
  TakenRun,
  TakingWorker,
} from "../../../runs/queue.ts";
import { type RunDatabase, storable } from "./database.ts";
import { dropDeadLeases, keepLease, writeLease } from "./leases.ts";

/** Any number that no other program is likely to lock by. */
const QUEUE_LOCK = 7_203_418_661;

interface Row {
  readonly run: string;
  readonly bucket: string;
  readonly group_name: string | null;
  readonly backend: string;
  readonly state: QueueState;
  readonly reason: string;
  readonly request: string;
  readonly is_cancelled: boolean;
  readonly takes: number;
  readonly worker: string | null;
  readonly added_at: Date;
  readonly taken_at: Date | null;
  readonly ended_at: Date | null;
}

const ENTRY = `queue.run, runs.bucket, runs.group_name, queue.backend, queue.state, queue.reason, queue.request,
  queue.is_cancelled, queue.takes, queue.worker, queue.added_at, queue.taken_at, queue.ended_at
  from queue join runs on runs.id = queue.run`;

/** Whether somebody drives it now. */
const IS_HELD = "exists (select from leases where leases.run = queue.run and leases.expires_at > clock_timestamp())";

const mostOf = (kind: LimitKind, name: string) =>
  `coalesce((select most from limits where kind = '${kind}' and name = ${name}),
     (select most from limits where kind = '${kind}' and name = '*'), 2147483647)`;

/** Taken by a worker that is alive: what limits count. */
const GOING_ON = `with going_on as (
  select runs.bucket, runs.group_name from queue join runs on runs.id = queue.run
  where queue.state = 'taken' and ${IS_HELD})`;

const TAKE = `${GOING_ON}
  select ${ENTRY}
  where queue.state in ('waiting', 'taken') and not ${IS_HELD} and queue.not_before <= clock_timestamp()
    and ($1::text[] is null or runs.bucket = any($1)) and ($2::text[] is null or queue.backend = any($2))
    and queue.run <> all($3)
    and (select count(*) from going_on where going_on.bucket = runs.bucket) < ${mostOf("repository", "runs.bucket")}
    and (runs.group_name is null
      or (select count(*) from going_on where going_on.group_name = runs.group_name)
        < ${mostOf("group", "runs.group_name")})
  order by queue.priority desc, queue.place limit 1`;

export interface PostgresRunQueueOptions {
  readonly database: RunDatabase;
  readonly leaseTimes: LeaseTimes;
}

export function postgresRunQueue({ database, leaseTimes }: PostgresRunQueueOptions): RunQueue {
  const { query, transaction } = database;

  const find = async (run: string): Promise<QueueEntry | undefined> => {
    const [row] = await query<Row>(`select ${ENTRY} where queue.run = $1`, [run]);
    return row && entryOf(row);
  };
  const entry = async (run: string): Promise<QueueEntry> => {
    const found = await find(run);
    if (!found) throw new HoldfastError("HF1064", `run ${run} is not in the queue`);
    return found;
  };

  return {
    find,

    async add({ run, backend }, request) {
      const added = await query(
        `insert into queue (run, priority, state, backend, request)
         select id, $2, 'waiting', $4, $3 from runs where id = $1
         on conflict (run) do update set priority = excluded.priority, state = 'waiting', backend = excluded.backend,
           request = excluded.request, reason = '', is_cancelled = false, takes = 0, worker = null, place = default,
           not_before = now(), added_at = now(), taken_at = null, ended_at = null
           where queue.state not in ('waiting', 'taken')
         returning run`,
        [run, request.priority, JSON.stringify(request), backend],
      );
      const now = await find(run);
      if (!now) throw new HoldfastError("HF1021", `there is no run ${run}`);
      // The same request means that a commit did take place before it was cut off.
      if (added.length === 0 && (now.state !== "waiting" || !isSame(now, request)))
        throw new HoldfastError("HF1063", `run ${run} is in the queue already, ${now.state}`);
      return now;
    },

    async take(worker: TakingWorker): Promise<TakenRun | undefined> {
      const token = randomUUID();
      const repositories = worker.repositories?.map(bucketOf) ?? null;
      const taken = await transaction(async (within) => {
        await within("select pg_advisory_xact_lock($1)", [QUEUE_LOCK]);
        // Ours by this token: a commit did take place before it was cut off.
        const mine = `select ${ENTRY} where queue.run = (select run from leases where token = $1)`;
        const [known] = await within<Row>(mine, [token]);
        if (known) return known;
        await dropDeadLeases(within);
        const [row] = await within<Row>(TAKE, [repositories, worker.backends ?? null, [...worker.except]]);
        if (!row) return undefined;
        await writeLease(within, row.run, token, leaseTimes);
        const [now] = await within<{ takes: number; taken_at: Date }>(
          `update queue set state = 'taken', worker = $2, takes = takes + 1, taken_at = clock_timestamp(), reason = ''
           where run = $1 returning takes, taken_at`,
          [row.run, worker.name],
        );
        return { ...row, ...now, state: "taken" as const, worker: worker.name, reason: "" };
      });
      return taken && { entry: entryOf(taken), lease: keepLease(database, taken.run, token, leaseTimes) };
    },

    async finish({ entry: { run }, lease }, { state, reason }) {
      await query(
        `update queue set state = $2, reason = $3, ended_at = clock_timestamp() where run = $1 and state = 'taken'
         and exists (select from leases where leases.run = $1 and leases.token = $4)`,
        [run, state, storable(reason), lease.token],
      );
      await lease.release();
    },

    async handBack({ entry: { run }, lease }, reason, waitMs) {
      await query(
        `update queue set state = 'waiting', reason = $2,
           not_before = clock_timestamp() + $3 * interval '1 millisecond' where run = $1 and state = 'taken'
         and exists (select from leases where leases.run = $1 and leases.token = $4)`,
        [run, storable(reason), waitMs, lease.token],
      );
      await lease.release();
    },

    async cancel(run) {
      await transaction(async (within) => {
        // A worker takes it before, and is told to stop, or not at all.
        await within("select pg_advisory_xact_lock($1)", [QUEUE_LOCK]);
        await dropDeadLeases(within);
        await within("update queue set is_cancelled = true where run = $1 and state in ('waiting', 'taken')", [run]);
        await within(
          `update queue set state = 'cancelled', ended_at = clock_timestamp(),
             reason = case state when 'taken' then 'its worker was gone' else reason end
           where run = $1 and (state = 'waiting' or state = 'taken' and not ${IS_HELD})`,
          [run],
        );
      });
      return entry(run);
    },

    async cancelled(runs) {
      const sql = "select run from queue where run = any($1) and is_cancelled";
      return (await query<{ run: string }>(sql, [[...runs]])).map(({ run }) => run);
    },

    async list({ states, limit = 1_000 }) {
      const rows = await query<Row>(
        `select ${ENTRY} where $1::text[] is null or queue.state = any($1)
         order by array_position(array['taken', 'waiting'], queue.state), queue.ended_at desc nulls first,
           queue.priority desc, queue.place limit $2`,
        [states ? [...states] : null, limit],
      );
      return rows.map(entryOf);
    },

    async limits() {
      const rows = await query<QueueLimit>(
        `${GOING_ON} select kind, name, most, case when name = '*' then null else
           (select count(*) from going_on where case kind when 'group' then group_name else bucket end = name) end as taken
         from limits order by kind, name`,
      );
      return rows;
    },

    async limit(kind, name, most) {
      if (most === null) await query("delete from limits where kind = $1 and name = $2", [kind, name]);
      else
        await query(
          "insert into limits (kind, name, most) values ($1, $2, $3) on conflict (kind, name) do update set most = excluded.most",
          [kind, name, most],
        );
    },
  };
}

const isSame = (entry: QueueEntry, { key, priority, sessions, resume, notify }: QueueRequest) =>
  JSON.stringify([entry.key, entry.priority, entry.sessions, entry.resume, entry.notify]) ===
  JSON.stringify([key, priority, sessions, resume, notify]);

function entryOf(row: Row): QueueEntry {
  return {
    ...(JSON.parse(row.request) as QueueRequest),
    run: row.run,
    repo: row.bucket,
    group: row.group_name,
    backend: row.backend,
    state: row.state,
    reason: row.reason,
    isCancelled: row.is_cancelled,
    takes: row.takes,
    worker: row.worker,
    addedAt: row.added_at.toISOString(),
    takenAt: row.taken_at?.toISOString() ?? null,
    endedAt: row.ended_at?.toISOString() ?? null,
  };
}
