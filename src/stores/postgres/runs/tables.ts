/** The tables of runs and their queue, in a schema of their own. A step, once released, is never changed. */
export const RUNS_SCHEMA = "holdfast_runs";

export const RUNS_STEPS: readonly string[] = [
  `
  create table reservations (id text primary key, made_at timestamptz not null default now());
  create table runs (
    id text primary key,
    version integer not null,
    bucket text not null,
    status text not null,
    group_name text,
    parent_run text,
    is_archived boolean not null,
    created_at text collate "C" not null,
    cursor bigint not null,
    changes text not null,
    summary text not null,
    body text not null,
    origin text not null
  );
  create index runs_by_age on runs (created_at, id);
  create index runs_by_bucket on runs (bucket, created_at, id);
  create index runs_by_group on runs (group_name) where group_name is not null;
  create index runs_by_parent on runs (parent_run) where parent_run is not null;
  create table events (
    run text not null references runs on delete cascade,
    cursor bigint not null,
    batch text not null,
    body text not null,
    primary key (run, cursor)
  );
  create index events_by_batch on events (run, batch);
  create table files (
    run text not null references runs on delete cascade,
    path text not null,
    bytes bytea not null,
    primary key (run, path)
  );
  create table attempts (
    run text not null references runs on delete cascade,
    number integer not null,
    body text not null,
    output bytea,
    primary key (run, number)
  );
  create table leases (
    run text primary key references runs on delete cascade,
    token text not null,
    owner text not null,
    expires_at timestamptz not null
  );
  create table turns (run text primary key references runs on delete cascade, token text not null, at timestamptz not null);
  create table queue (
    run text primary key references runs on delete cascade,
    place bigint generated always as identity,
    priority integer not null,
    state text not null,
    backend text not null,
    request text not null,
    reason text not null default '',
    is_cancelled boolean not null default false,
    takes integer not null default 0,
    worker text,
    not_before timestamptz not null default now(),
    added_at timestamptz not null default now(),
    taken_at timestamptz,
    ended_at timestamptz
  );
  create index queue_in_order on queue (priority desc, place) where state in ('waiting', 'taken');
  create table limits (kind text not null, name text not null, most integer not null, primary key (kind, name));
  `,
  "alter table leases add column stop_by text",
  // Of an output: which one it is, and how long it was before it was cut. One of that very size was.
  `
  alter table attempts add column output_id text, add column output_bytes bigint;
  update attempts set output_id = md5(run || ':' || number),
    output_bytes = octet_length(output) + case when octet_length(output) = 4194304 then 1 else 0 end
    where output is not null;
  `,
  // What words are looked for in. Where JSON says a character that PostgreSQL cannot, until the run is changed again: all of it.
  `
  alter table runs add column searched text not null default '';
  update runs set searched = lower(case when summary ~ '\\\\u(0000|d[89a-f])' then summary else
    concat_ws(E'\\n', id, summary::json->>'name', summary::json->>'assignment', group_name, summary::json->>'repo') end);
  `,
  // Of which version of the run those words are: a worker that does not know of them changes the run and leaves them.
  `
  alter table runs add column searched_version integer;
  update runs set searched_version = version, searched = lower(case when summary ~ '\\\\u(0000|d[89a-f])' then summary else
    concat_ws(E'\\n', id, summary::json->>'name', summary::json->>'assignment', group_name, summary::json->>'repo') end);
  `,
];
