// Pages of lists and searches with a long history behind them. The rows are made by SQL; the pages go through the store.
import { runScript } from "./databases.mjs";
import { summaryOf } from "./figures.mjs";

const START_MS = Date.parse("2026-01-01T00:00:00.000Z");

export async function measurePages(database, { rows, rounds }, say) {
  const url = await database.fresh();
  await (await database.open(url)).close();
  say(`${database.name}: making ${rows.toLocaleString("en")} rows of history and of audit`);
  const madeAt = performance.now();
  await runScript(url, (database.name === "sqlite" ? sqliteRows : postgresRows)(rows));
  const madeMs = performance.now() - madeAt;
  const stores = await database.open(url);
  const all = { organisation: "personal", limit: 50 };
  const middle = await stores.list({ ...all, search: `unique${Math.floor(rows / 2)}` });
  const deep = (await stores.list({ ...all, limit: 1, session: "session-500" })).next;

  const cases = {
    "newest page": () => stores.list(all),
    "page deep in the past": () => stores.list({ ...all, cursor: deep }),
    "pending only (few)": () => stores.list({ ...all, statuses: ["pending"] }),
    "all that is settled": () => stores.list({ ...all, statuses: ["used", "denied", "expired", "withdrawn"] }),
    "one session": () => stores.list({ ...all, session: "session-77" }),
    "one tool": () => stores.list({ ...all, tool: "Write" }),
    "search: a word of every row": () => stores.list({ ...all, search: "production" }),
    "search: a word of one row": () => stores.list({ ...all, search: `unique${Math.floor(rows / 3)}` }),
    "search: a word of no row": () => stores.list({ ...all, search: "nowhere" }),
    "search: two words, denied": () => stores.list({ ...all, search: "deploy service7", statuses: ["denied"] }),
    "history of one approval": () => stores.history(middle.approvals[0].id),
    "audit: newest page": () => stores.audit(all),
    "audit: one session": () => stores.audit({ ...all, session: "session-77" }),
    "audit: blocked only": () => stores.audit({ ...all, decision: "block" }),
    "audit: search, a word of every row": () => stores.audit({ ...all, search: "command" }),
    "audit: search, a word of no row": () => stores.audit({ ...all, search: "nowhere" }),
    "audit: chart of a day by the minute": () =>
      stores.auditBuckets("personal", new Date(START_MS), new Date(START_MS + 86_400_000), 60_000),
    "audit: chart of a month by the hour": () =>
      stores.auditBuckets("personal", new Date(START_MS), new Date(START_MS + 30 * 86_400_000), 3_600_000),
  };
  const pages = {};
  for (const [name, ask] of Object.entries(cases)) {
    await ask();
    const times = [];
    for (let round = 0; round < rounds; round++) {
      const startedAt = performance.now();
      await ask();
      times.push(performance.now() - startedAt);
    }
    pages[name] = summaryOf(times);
  }
  await stores.close();
  return { rows, madeMs, pages };
}

/** One row in ten thousand is pending. Times go up with the rows, four a second. */
const STATUS = (n) => `case when ${n} % 10000 = 0 then 'pending' else
  case ${n} % 4 when 0 then 'used' when 1 then 'denied' when 2 then 'expired' else 'used' end end`;
const TOOL = (n) => `case when ${n} % 3 = 0 then 'Write' else 'Bash' end`;
const BODY = (n) => `'{"id":"A-' || ${n} || '","organisation":"personal","status":"' || (${STATUS(n)}) ||
  '","version":3,"digest":"d' || ${n} || '","call":{"tool":"Bash","session":"session-' || (${n} % 1000) ||
  '","input":{"command":"deploy --production --target service' || (${n} % 100) || ' unique' || ${n} || '"},"effects":[]},"votes":[],"delegations":[]}'`;
const DECISION = (n) => `case when ${n} % 50 = 0 then 'block' else 'allow' end`;
const RECORD = (n) =>
  `'{"sequence":' || ${n} || ',"tool":{"name":"Bash","input":{"command":"npm run build"}},"trace":[{"hook":"destructive-command","verdict":"none","ms":0.4},{"hook":"protected-paths","verdict":"none","ms":0.1}],"previous":"c0ffeec0ffeec0ffeec0ffeec0ffeec0ffeec0ffeec0ffee"}'`;
const WORDS = (n) =>
  `'deploy production target service' || (${n} % 100) || ' unique' || ${n} || ' bash ina coder session ' || (${n} % 1000)`;

const sqliteRows = (rows) => `
  pragma synchronous = off;
  begin;
  create temp table numbers as
    with recursive counted (n) as (select 1 union all select n + 1 from counted where n < ${rows}) select n from counted;
  insert into approvals (seq, id, organisation, digest, status, version, session, agent, tool, due_at, body)
    select n, 'A-' || n, 'personal', 'd' || n, ${STATUS("n")}, 3, 'session-' || (n % 1000), 'coder', ${TOOL("n")}, null, ${BODY("n")}
    from numbers;
  insert into approval_words (rowid, words) select n, ' ' || ${WORDS("n")} from numbers;
  insert into history (approval, organisation, body)
    select 'A-' || n, 'personal', '{"approval":"A-' || n || '","action":"requested","version":1}' from numbers;
  update words_put_in set history = ${rows};
  insert into audit (source, sequence, organisation, at, at_ms, session, event, decision, tool, ms, ms_class, record)
    select 'machine', n, 'personal', strftime('%Y-%m-%dT%H:%M:%fZ', (${START_MS} + n * 250) / 1000.0, 'unixepoch'), ${START_MS} + n * 250,
      'session-' || (n % 1000), 'pre_tool_use', ${DECISION("n")}, 'Bash', 2.5, 20 + n % 20, ${RECORD("n")}
    from numbers;
  insert into audit_counts (organisation, width_ms, starts_at, decision, ms_class, rows)
    select 'personal', width, at_ms / width * width, decision, ms_class, count(*)
    from audit, (select 60000 as width union all select 3600000) group by 1, 2, 3, 4, 5;
  commit;
  analyze;
  pragma wal_checkpoint(truncate);`;

const postgresRows = (rows) => `
  set statement_timeout = 0;
  insert into approvals (id, organisation, digest, status, version, session, agent, tool, due_at, body, words)
    select 'A-' || n, 'personal', 'd' || n, ${STATUS("n")}, 3, 'session-' || (n % 1000), 'coder', ${TOOL("n")}, null, ${BODY("n")},
      array_to_tsvector(string_to_array(${WORDS("n")}, ' '))
    from generate_series(1, ${rows}) as n;
  insert into history (approval, organisation, body)
    select 'A-' || n, 'personal', '{"approval":"A-' || n || '","action":"requested","version":1}' from generate_series(1, ${rows}) as n;
  insert into audit (source, sequence, organisation, at, at_ms, session, event, decision, tool, ms, ms_class, record)
    select 'machine', n, 'personal', to_char(to_timestamp((${START_MS} + n::bigint * 250) / 1000.0) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      ${START_MS} + n::bigint * 250, 'session-' || (n % 1000), 'pre_tool_use', ${DECISION("n")}, 'Bash', 2.5, 20 + n % 20, ${RECORD("n")}
    from generate_series(1, ${rows}) as n;
  create temp table by_class as
    select width, at_ms / width * width as starts_at, decision, ms_class, count(*) as rows
    from audit, (values (60000::bigint), (3600000)) as widths (width) group by 1, 2, 3, 4;
  create unique index on by_class (width, starts_at, decision, ms_class);
  insert into audit_histograms (organisation, width_ms, starts_at, decision, counts)
    select 'personal', width, starts_at, decision, array(
      select coalesce(known.rows, 0) from generate_series(0, 39) as class left join by_class as known
        on (known.width, known.starts_at, known.decision, known.ms_class) = (counted.width, counted.starts_at, counted.decision, class)
      order by class
    )
    from (select distinct width, starts_at, decision from by_class) as counted;
  analyze;`;
