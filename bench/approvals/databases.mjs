// The two stores, each on a real database of its own, and the bare means of waking that theirs is compared with.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createJiti } from "jiti";
import pg from "pg";
import { root } from "../../scripts/ensure.mjs";

const { openStores } = await import(join(root, "dist/stores/open.js"));

export async function startDatabases(names, say) {
  const started = [];
  if (names.includes("sqlite")) started.push(await sqlite());
  if (names.includes("postgres")) {
    say("starting PostgreSQL");
    started.push(await postgres());
  }
  return started;
}

async function sqlite() {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-bench-approvals-"));
  let files = 0;
  return {
    name: "sqlite",
    bare: "file watch",
    fresh: async () => `sqlite:${join(directory, `${++files}.db`)}`,
    open: (url) => openStores({ url }),
    settle: (url) => runScript(url, FILL_LOG),
    stop: async () => rmSync(directory, { recursive: true }),
  };
}

async function postgres() {
  // As people run it: with fsync.
  const { startPostgres } = await createJiti(import.meta.url).import(join(root, "test/approvals/postgres.ts"));
  const server = await startPostgres({ settings: ["shared_buffers=256MB", "max_wal_size=2GB"] });
  let databases = 0;
  return {
    name: "postgres",
    bare: "LISTEN/NOTIFY",
    fresh: () => server.database(`bench_${++databases}`),
    open: (url) => openStores({ url }),
    // It makes the files of its log in advance.
    settle: async () => {},
    stop: () => server.stop(),
  };
}

/** The write-ahead log then has the size that it keeps, as it has after some hundred decisions, and is written in place. */
const FILL_LOG = `
  create table filler (page blob);
  insert into filler
    with recursive pages (n) as (select 1 union all select n + 1 from pages where n < 1200)
    select randomblob(4000) from pages;
  drop table filler;
`;

/** SQL of one's own, past the store: only to make rows. */
export async function runScript(url, script) {
  if (url.startsWith("sqlite:")) {
    const { default: Database } = await import("libsql");
    const database = new Database(url.slice("sqlite:".length));
    database.exec(script);
    database.close();
    return;
  }
  const client = new pg.Client(url);
  await client.connect();
  await client.query("set search_path to holdfast");
  await client.query(script);
  await client.end();
}
