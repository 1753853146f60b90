/** The tables of a SQLite store. A step, once released, is never changed: new ones are added below. */
import { HoldfastError } from "../../core/errors.ts";
import type { SqliteConnection } from "./connection.ts";
import { fillInitiators } from "./fill-initiators.ts";

/** How a change fails whose version is not the next. */
export const SOMEBODY_WAS_FASTER = "somebody was faster";

/** Of what an older process inserts, which knows no column for it. Nested too deeply for SQLite, it is nobody's. */
const NEW_INITIATOR = `coalesce(new.initiator, case when json_valid(new.body)
    then replace(new.body, '\\u0000', '\\ufffd') ->> '$.call.initiator' end)`;

type Step = string | ((connection: SqliteConnection) => void);

export const STEPS: readonly Step[] = [
  `
  create table approvals (
    seq integer primary key autoincrement,
    id text not null unique,
    organisation text not null,
    digest text not null,
    status text not null,
    version integer not null,
    session text not null,
    agent text,
    tool text not null,
    due_at integer,
    body text not null
  );
  create unique index approvals_one_open on approvals (organisation, digest) where status in ('pending', 'approved');
  create index approvals_by_digest on approvals (organisation, digest, seq);
  create index approvals_by_age on approvals (organisation, seq);
  create index approvals_by_status on approvals (organisation, status, seq);
  create index approvals_by_session on approvals (organisation, session, seq);
  create index approvals_by_agent on approvals (organisation, agent, seq) where agent is not null;
  create index approvals_by_tool on approvals (organisation, tool, seq);
  create index approvals_by_due on approvals (due_at) where due_at is not null;
  create virtual table approval_words using fts5 (words, tokenize = 'ascii', detail = none);

  create table history (
    seq integer primary key autoincrement,
    approval text not null,
    organisation text not null,
    body text not null
  );
  create index history_by_approval on history (approval, seq);

  create table people (organisation text not null, id text not null, body text not null, primary key (organisation, id))
    without rowid;
  create table identities (
    identity text not null,
    organisation text not null,
    person text not null,
    primary key (identity, organisation)
  ) without rowid;
  create index identities_by_person on identities (organisation, person);
  create table channels (id text primary key, organisation text not null, created_at text not null, body text not null)
    without rowid;
  create index channels_by_organisation on channels (organisation, created_at);
  create table kept (key text primary key, value text not null, expires_at integer not null) without rowid;
  create index kept_by_expiry on kept (expires_at);
  create table settings (organisation text primary key, body text not null) without rowid;

  create table audit (
    source text not null,
    sequence integer not null,
    organisation text not null,
    at text not null,
    at_ms integer not null,
    session text not null,
    event text not null,
    decision text not null,
    tool text,
    ms real not null,
    ms_class integer not null,
    record text not null
  );
  create unique index audit_once on audit (source, sequence);
  create index audit_by_time on audit (organisation, at_ms, source, sequence);
  create index audit_by_session on audit (organisation, session, at_ms, source, sequence);
  create table audit_counts (
    organisation text not null,
    width_ms integer not null,
    starts_at integer not null,
    decision text not null,
    ms_class integer not null,
    rows integer not null,
    primary key (organisation, width_ms, starts_at, decision, ms_class)
  ) without rowid;
  `,
  `
  create table words_put_in (history integer not null);
  insert into words_put_in select coalesce(max(seq), 0) from history;
  `,
  // A change with its history as one statement: what is inserted here.
  `
  create view approval_changes as
    select id, organisation, version, status, due_at, body, '' as noted, '' as noted_too from approvals where false;
  create trigger approval_changed instead of insert on approval_changes begin
    update approvals set status = new.status, version = new.version, due_at = new.due_at, body = new.body
      where id = new.id and version = new.version - 1;
    select raise(abort, '${SOMEBODY_WAS_FASTER}') where changes() = 0;
    insert into history (approval, organisation, body)
      select new.id, new.organisation, new.noted where new.noted is not null;
    insert into history (approval, organisation, body)
      select new.id, new.organisation, new.noted_too where new.noted_too is not null;
  end;
  `,
  // One open approval a call: looked up when one is asked for, not kept up to date with every decision.
  `
  drop index approvals_one_open;
  create trigger approvals_one_open before insert on approvals when new.status in ('pending', 'approved') begin
    select raise(abort, 'there is an open approval of this call')
      from approvals
      where organisation = new.organisation and digest = new.digest and status in ('pending', 'approved');
  end;
  `,
  // One open approval a call and asker: who asks under another's digest asks a question of their own.
  (connection) => {
    connection.script("alter table approvals add column initiator text");
    fillInitiators(connection);
    connection.script(`
      drop trigger approvals_one_open;
      create trigger approvals_one_open before insert on approvals when new.status in ('pending', 'approved') begin
        select raise(abort, 'there is an open approval of this call')
          from approvals
          where organisation = new.organisation and digest = new.digest and status in ('pending', 'approved')
            and +agent is new.agent and +initiator is ${NEW_INITIATOR};
      end;
      create trigger approvals_of_initiator after insert on approvals when new.initiator is not ${NEW_INITIATOR} begin
        update approvals set initiator = ${NEW_INITIATOR} where seq = new.seq;
      end;
      create index approvals_by_initiator on approvals (organisation, initiator, seq);
    `);
  },
];

/** Whoever comes first makes the tables; the others, waiting for the same lock, find them made. */
export async function migrate(
  connection: SqliteConnection,
  file: string,
  steps: readonly Step[] = STEPS,
): Promise<void> {
  if (versionOf(connection) === steps.length) return;
  await connection.write(() => {
    connection.script("create table if not exists migrations (version integer primary key, applied_at text not null)");
    const version = versionOf(connection);
    if (version > steps.length)
      throw new HoldfastError(
        "HF923",
        `${file} has version ${version} of the tables; this Holdfast knows ${steps.length}.`,
        { file },
      );
    for (const [index, step] of steps.entries()) {
      if (index < version) continue;
      if (typeof step === "string") connection.script(step);
      else step(connection);
      connection.run("insert into migrations values (?, ?)", index + 1, new Date().toISOString());
    }
  });
}

function versionOf(connection: SqliteConnection): number {
  const [table] = connection.all("select name from sqlite_master where name = 'migrations'");
  if (!table) return 0;
  const [row] = connection.all<{ version: number | null }>("select max(version) as version from migrations");
  return row?.version ?? 0;
}
