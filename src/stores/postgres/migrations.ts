/** The tables of a PostgreSQL store, in a schema of their own. A step, once released, is never changed: new ones are added below. */
import type { ClientBase } from "pg";
import { HoldfastError } from "../../core/errors.ts";
import { fillInitiators } from "./fill-initiators.ts";

export const SCHEMA = "holdfast";

/** For an index that tells nobody from a name of no letters. */
export const orNobody = (column: "agent" | "initiator") => `coalesce('=' || ${column}, '')`;

type Step = string | ((client: ClientBase) => Promise<void>);

export const STEPS: readonly Step[] = [
  `
  create table approvals (
    seq bigint generated always as identity primary key,
    id text not null unique,
    organisation text not null,
    digest text not null,
    status text not null,
    version integer not null,
    session text not null,
    agent text,
    tool text not null,
    due_at bigint,
    body text not null,
    words tsvector not null
  );
  create unique index approvals_one_open on approvals (organisation, digest) where status in ('pending', 'approved');
  create index approvals_by_digest on approvals (organisation, digest, seq);
  create index approvals_by_age on approvals (organisation, seq);
  create index approvals_by_status on approvals (organisation, status, seq);
  create index approvals_by_session on approvals (organisation, session, seq);
  create index approvals_by_agent on approvals (organisation, agent, seq) where agent is not null;
  create index approvals_by_tool on approvals (organisation, tool, seq);
  create index approvals_by_due on approvals (due_at) where due_at is not null;
  create index approvals_by_word on approvals using gin (words);

  create table history (
    seq bigint generated always as identity primary key,
    approval text not null,
    organisation text not null,
    body text not null
  );
  create index history_by_approval on history (approval, seq);

  create table people (
    organisation text collate "C" not null,
    id text collate "C" not null,
    body text not null,
    primary key (organisation, id)
  );
  create table identities (
    identity text not null,
    organisation text collate "C" not null,
    person text collate "C" not null,
    primary key (identity, organisation)
  );
  create index identities_by_person on identities (organisation, person);
  create table channels (
    id text collate "C" primary key,
    organisation text not null,
    created_at text collate "C" not null,
    body text not null
  );
  create index channels_by_organisation on channels (organisation, created_at);
  create table kept (key text primary key, value text not null, expires_at bigint not null);
  create index kept_by_expiry on kept (expires_at);
  create table settings (organisation text primary key, body text not null);

  create table audit (
    source text collate "C" not null,
    sequence bigint not null,
    organisation text collate "C" not null,
    at text not null,
    at_ms bigint not null,
    session text collate "C" not null,
    event text not null,
    decision text not null,
    tool text,
    ms double precision not null,
    ms_class smallint not null,
    record text not null,
    primary key (source, sequence)
  );
  create index audit_by_time on audit (organisation, at_ms, source, sequence);
  create index audit_by_session on audit (organisation, session, at_ms, source, sequence);
  create table audit_counts (
    organisation text collate "C" not null,
    width_ms bigint not null,
    starts_at bigint not null,
    decision text collate "C" not null,
    ms_class smallint not null,
    rows bigint not null,
    primary key (organisation, width_ms, starts_at, decision, ms_class)
  ) with (fillfactor = 50);
  `,
  // A chart of a day by the minute took 57,600 rows: with all classes in one row it takes 2,880.
  `
  create table audit_histograms (
    organisation text collate "C" not null,
    width_ms bigint not null,
    starts_at bigint not null,
    decision text collate "C" not null,
    counts bigint[] not null,
    primary key (organisation, width_ms, starts_at, decision)
  ) with (fillfactor = 50);
  insert into audit_histograms (organisation, width_ms, starts_at, decision, counts)
    select organisation, width_ms, starts_at, decision, array(
      select coalesce(known.rows, 0)
      from generate_series(0, highest) as class
      left join audit_counts as known
        on (known.organisation, known.width_ms, known.starts_at, known.decision, known.ms_class)
         = (counted.organisation, counted.width_ms, counted.starts_at, counted.decision, class)
      order by class
    )
    from (
      select organisation, width_ms, starts_at, decision, max(ms_class) as highest from audit_counts group by 1, 2, 3, 4
    ) as counted;
  drop table audit_counts;
  `,
  `create index approvals_by_session_tree on approvals (organisation, (session collate "C"), seq);`,
  // One open approval a call and asker: who asks under another's digest asks a question of their own.
  async (client) => {
    await client.query("alter table approvals add column initiator text");
    await fillInitiators(client);
    await client.query(`
      drop index approvals_one_open;
      create unique index approvals_one_open
        on approvals (organisation, digest, (${orNobody("agent")}), (${orNobody("initiator")}))
        where status in ('pending', 'approved');
      create index approvals_by_initiator on approvals (organisation, initiator, seq);
    `);
  },
];

/** Any number that no other program is likely to lock by. */
const LOCK = 7_203_418_652;

/** Whoever comes first makes the tables; the others, waiting for the same lock, find them made. */
export async function migrate(client: ClientBase, steps: readonly Step[] = STEPS, schema = SCHEMA): Promise<void> {
  await client.query("begin");
  try {
    await client.query("set local statement_timeout = '10min'");
    await client.query("select pg_advisory_xact_lock($1)", [LOCK]);
    await client.query(`create schema if not exists ${schema}`);
    await client.query(
      "create table if not exists migrations (version integer primary key, applied_at timestamptz not null default now())",
    );
    const found = await client.query("select coalesce(max(version), 0) as version from migrations");
    const version: number = found.rows[0].version;
    if (version > steps.length)
      throw new HoldfastError(
        "HF923",
        `The database has version ${version} of Holdfast's tables; this Holdfast knows ${steps.length}.`,
      );
    for (const [index, step] of steps.entries()) {
      if (index < version) continue;
      await (typeof step === "string" ? client.query(step) : step(client));
      await client.query("insert into migrations (version) values ($1)", [index + 1]);
    }
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
}
