/** Database clients: SQL they are given, and commands that empty whole databases. */
import { type Arg, isKnown, texts } from "../arg.ts";
import type { CommandEffect, DatabaseDeed } from "../effect.ts";
import type { Invocation } from "../invocation.ts";
import { has, type OptionShape, type Options, readOptions } from "../options.ts";
import type { Program, Programs } from "../programs.ts";
import { sqlEffects } from "../sql.ts";

const database = (deed: DatabaseDeed, detail: string): CommandEffect => ({
  type: "database",
  deed,
  detail: detail.slice(0, 80),
});
const line = (program: string, args: readonly Arg[]) => `${program} ${texts(args).join(" ")}`.trim();

interface SqlClient extends OptionShape {
  /** Options whose value is SQL. */
  readonly sql: readonly string[];
  /** Operands after this many hold SQL; -1: none do. */
  readonly from?: number;
  /** Words before the SQL: `bq query`. */
  readonly verb?: string;
}

const PSQL: SqlClient = {
  sql: ["c", "command"],
  valued: [
    "c",
    "command",
    "d",
    "dbname",
    "f",
    "file",
    "h",
    "host",
    "p",
    "port",
    "U",
    "username",
    "v",
    "set",
    "variable",
    "o",
    "output",
    "F",
    "P",
    "pset",
    "R",
    "T",
    "L",
  ],
};
const MYSQL: SqlClient = {
  sql: ["e", "execute", "init-command"],
  valued: [
    "e",
    "execute",
    "init-command",
    "h",
    "host",
    "u",
    "user",
    "P",
    "port",
    "D",
    "database",
    "S",
    "socket",
    "defaults-file",
  ],
};

const client =
  ({ sql, from = -1, verb, ...shape }: SqlClient): Program =>
  (invocation, { input, target }) => {
    const { program, args } = invocation;
    const start = verb ? args.findIndex(({ text }) => text === verb) + 1 : 0;
    if (verb && start === 0) return [];
    const words = args.slice(start);
    const options = readOptions(words, shape);
    if (program === "sqlite3" && options.operands[0]?.text === ":memory:") return [];
    const given = sql.flatMap((name) => [
      ...repeated(words, name),
      ...(options.values.has(name) ? [options.values.get(name)?.text ?? ""] : []),
    ]);
    const operands = from >= 0 ? options.operands.slice(from).map(({ text }) => text) : [];
    const all = [...new Set([...given, ...operands])];
    const reads = given.length === 0 && operands.length === 0;
    return [
      ...[...all, ...(reads && input !== undefined ? [input] : [])].flatMap(sqlEffects),
      ...sqlFiles(invocation, options, reads).map(
        (file): CommandEffect => ({ type: "run-script", path: target(file), interpreter: "sql" }),
      ),
    ];
  };

/** Files of SQL that the client would run: `-f file`, `< file`, `cat file |`. */
function sqlFiles({ stdin }: Invocation, { values }: Options, readsInput: boolean): Arg[] {
  const named = ["f", "file", "i", "input-file"].flatMap((name) => values.get(name) ?? []);
  if (!readsInput) return named;
  if (stdin.type === "file") return [...named, stdin.path];
  const last = stdin.type === "pipe" ? stdin.producers.at(-1) : undefined;
  const piped = last?.program === "cat" ? last.args.filter(({ text }) => !text.startsWith("-")) : [];
  return [...named, ...piped].filter(isKnown);
}

/** `-c one -c two`: options keep the last only. */
const repeated = (args: readonly Arg[], name: string) =>
  args.flatMap((item, index) => {
    const flag = name.length === 1 ? `-${name}` : `--${name}`;
    if (item.text === flag) return args[index + 1] ? [(args[index + 1] as Arg).text] : [];
    return item.text.startsWith(`${flag}=`) ? [item.text.slice(flag.length + 1)] : [];
  });

const REDIS =
  /^(flushall|flushdb|shutdown|debug|script|function|cluster|slaveof|replicaof|config|swapdb|failover|reset)$/;
const redis: Program = ({ program, args }, { input }) => {
  const options = readOptions(args, {
    valued: ["h", "p", "s", "a", "u", "n", "r", "i", "user", "pass", "x", "X", "d"].filter((name) => name !== "x"),
    stopAtOperand: true,
  });
  const lines = [
    texts(options.operands),
    ...(options.operands.length === 0 ? (input ?? "").split("\n").map((text) => text.trim().split(/\s+/)) : []),
  ];
  return lines.flatMap(([verb = "", second = "", third = ""]): CommandEffect[] => {
    const name = verb.toLowerCase();
    if (name === "flushall" || name === "flushdb" || name === "swapdb")
      return [database("flush", `${program} ${verb}`)];
    if (name === "config" && /^(set|rewrite|resetstat)$/i.test(second))
      return /^(resetstat)$/i.test(second) ? [] : [database("reset", `${program} ${verb} ${second} ${third}`)];
    if (
      REDIS.test(name) &&
      /^(flush|reset|delete|failover|forget|segfault|sleep|restart|no|nosave|save|)$/i.test(second) &&
      (second !== "" || name === "shutdown")
    )
      return [database("flush", `${program} ${verb} ${second}`)];
    if (name === "eval" && /flush(all|db)/i.test(`${second} ${third}`))
      return [database("flush", `${program} ${verb}`)];
    if ((name === "del" || name === "unlink") && options.operands[1]?.from?.some((from) => from.program === program))
      return [database("delete-all", `${program} ${verb}`)];
    return (name === "del" || name === "unlink") && /[*]/.test(second)
      ? [database("delete-all", `${program} ${verb} ${second}`)]
      : [];
  });
};

/** MongoDB's shell: JavaScript that drops. */
const mongo: Program = ({ args }, { input }) => {
  const options = readOptions(args, {
    valued: ["eval", "f", "file", "host", "port", "u", "p", "username", "password", "authenticationDatabase"],
  });
  const code =
    [...repeated(args, "eval"), ...(input === undefined ? [] : [input])].join("\n") ||
    options.values.get("eval")?.text ||
    "";
  return mongoEffects(code);
};

function mongoEffects(code: string): CommandEffect[] {
  const found: CommandEffect[] = [];
  const bare = code.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, "''");
  if (/\.dropDatabase\s*\(/.test(bare)) found.push(database("drop", "dropDatabase()"));
  if (/\.(drop|dropIndexes|dropIndex|dropUser|dropAllUsersFromDatabase|dropCollection)\s*\(/.test(bare))
    found.push(database("drop", "drop()"));
  if (/\.(deleteMany|remove)\s*\(\s*(\{\s*\}\s*)?[,)]/.test(bare)) found.push(database("delete-all", "deleteMany({})"));
  if (/\.updateMany\s*\(\s*\{\s*\}/.test(bare)) found.push(database("update-all", "updateMany({})"));
  if (/\.(shutdownServer|fsyncLock)\s*\(/.test(bare)) found.push(database("flush", "shutdownServer()"));
  return found;
}

/** Tools that rebuild a database from nothing. Matched on their words. */
const resets =
  (pattern: RegExp, deed: DatabaseDeed = "reset", unless = /--(help|dry-run|pretend)\b|(^| )-h( |$)/): Program =>
  ({ program, args }) => {
    const words = texts(args).join(" ");
    return pattern.test(words) && !unless.test(words) ? [database(deed, line(program, args))] : [];
  };

const DB_TASK =
  /(^| )db:(drop|reset|purge|wipe|setup:reset|migrate:reset|schema:load|rollback:all|structure:load|truncate_all|drop:all|drop:_unsafe|seed:replant)\b/;

/** `php artisan …`, `python manage.py …`: an interpreter with a script that is a tool. */
const scriptTool =
  (script: RegExp, pattern: RegExp): Program =>
  ({ program, args }) => {
    const at = args.findIndex(({ text }) => script.test(text));
    if (at < 0) return [];
    const words = texts(args.slice(at + 1)).join(" ");
    return pattern.test(words) && !/--(help|dry-run|pretend)\b/.test(words)
      ? [database("reset", line(program, args))]
      : [];
  };

const ARTISAN = /^(migrate:(fresh|reset|refresh)|db:wipe|schema:dump.*--prune|migrate:rollback.*--step=(\d{2,}|all))/;
const DJANGO = /^(flush|reset_db|sqlflush|migrate \S+ zero|drop_test_database)/;
const CONSOLE = /(doctrine:(database:drop|schema:drop|fixtures:load)|d:d:d)(?!.*--append)/;

/** SQL typed at a shell prompt, as K-7 has it: nothing that any shell runs, so nothing is lost by stopping it. */
const sqlAtPrompt: Program = ({ program, args, source }) =>
  args.length > 0 && args.every(isKnown)
    ? sqlEffects(/^\s*(\w+)/.exec(source)?.[1]?.toLowerCase() === program ? line(program, args) : "")
    : [];

const etcd: Program = ({ program, args }) => {
  const options = readOptions(args, { valued: ["endpoints", "cacert", "cert", "key", "user"] });
  const [verb, first] = texts(options.operands);
  if ((verb === "del" && (has(options, "prefix", "from-key") || first === "")) || verb === "rmdir")
    return [database("delete-all", line(program, args))];
  return verb === "member" && first === "remove" ? [database("drop", line(program, args))] : [];
};

/** `curl -XDELETE http://…:9200/index`, `_delete_by_query`. */
const curl: Program = ({ program, args }) => {
  const words = texts(args);
  const all = words.join(" ");
  const url = words.find((word) => /(:9200|elastic|opensearch|:5984|:8086|:8123|:6333|:8983)/.test(word)) ?? "";
  if (url === "") return [];
  const deletes = /(^| )(-X ?|--request[ =])DELETE\b/i.test(all);
  const path = url.replace(/^\w+:\/\/[^/]+/, "");
  const oneDocument = /\/_doc\/[^/]+/.test(path) || /\/_search\/scroll/.test(path);
  if (
    (deletes && !oneDocument && path.length > 1) ||
    (deletes && /_all|\*/.test(path)) ||
    /_delete_by_query.*match_all/.test(all)
  )
    return [database("drop", line(program, args))];
  return /:8123/.test(url) ? words.flatMap((word) => sqlEffects(word)) : [];
};

const RAILS: Programs = Object.fromEntries(["rails", "rake", "bin/rails"].map((name) => [name, resets(DB_TASK)]));

export const DATABASE: Programs = {
  psql: client(PSQL),
  pgcli: client(PSQL),
  mysql: client(MYSQL),
  mariadb: client(MYSQL),
  mycli: client(MYSQL),
  sqlite3: client({
    sql: ["cmd"],
    from: 1,
    singleDash: true,
    valued: ["cmd", "init", "separator", "newline", "nullvalue"],
  }),
  sqlite: client({ sql: ["cmd"], from: 1, singleDash: true, valued: ["cmd", "init"] }),
  duckdb: client({ sql: ["c", "s"], from: 1, valued: ["c", "s", "cmd", "init"] }),
  sqlcmd: client({ sql: ["Q", "q", "query"], valued: ["Q", "q", "S", "U", "P", "d", "i", "o"] }),
  "clickhouse-client": client({
    sql: ["q", "query"],
    valued: ["q", "query", "h", "host", "port", "u", "user", "password", "d", "database"],
  }),
  clickhouse: client({
    sql: ["q", "query"],
    valued: ["q", "query", "h", "host", "port", "u", "user", "password", "d", "database"],
  }),
  bq: ({ program, args, ...rest }, context) => [
    ...client({ sql: [], verb: "query", from: 0, singleDash: false })({ program, args, ...rest }, context),
    ...(args.some(({ text }) => text === "rm") ? [database("drop", line(program, args))] : []),
  ],
  cockroach: client({
    sql: ["e", "execute"],
    verb: "sql",
    valued: ["e", "execute", "host", "url", "certs-dir", "database", "d"],
  }),
  cqlsh: client({ sql: ["e", "execute"], valued: ["e", "execute", "u", "p", "k", "f"] }),
  snowsql: client({ sql: ["q", "query"], valued: ["q", "query", "c", "a", "u", "d", "s", "w"] }),
  trino: client({ sql: ["execute"], valued: ["execute", "server", "catalog", "schema", "user"] }),
  presto: client({ sql: ["execute"], valued: ["execute", "server", "catalog", "schema", "user"] }),
  hive: client({ sql: ["e"], valued: ["e", "f", "database"] }),
  beeline: client({ sql: ["e"], valued: ["e", "u", "n", "p", "f"] }),
  impala: client({ sql: ["q"], valued: ["q", "i"] }),
  "spark-sql": client({ sql: ["e"], valued: ["e", "f"] }),
  isql: client({ sql: ["q"], valued: ["q"] }),
  sqlplus: client({ sql: [] }),
  turso: client({ sql: [], verb: "shell", from: 1 }),
  wrangler: ({ program, args, ...rest }, context) =>
    args[0]?.text === "d1"
      ? [
          ...client({ sql: ["command"], valued: ["command", "file"] })({ program, args, ...rest }, context),
          ...(args[1]?.text === "delete" ? [database("drop", line(program, args))] : []),
        ]
      : [],
  "redis-cli": redis,
  "valkey-cli": redis,
  "keydb-cli": redis,
  mongo,
  mongosh,
  mongorestore: resets(/--drop\b/, "drop"),
  pg_restore: ({ program, args }) => {
    const options = readOptions(args, { valued: ["d", "dbname", "h", "U", "p", "f", "j", "n", "t"] });
    return has(options, "c", "clean", "create") && has(options, "c", "clean")
      ? [database("drop", line(program, args))]
      : [];
  },
  dropdb: ({ program, args }) =>
    args.length > 0 && !args.some(({ text }) => /^(--help|-\?|--version)$/.test(text))
      ? [database("drop", line(program, args))]
      : [],
  pg_dropcluster: ({ program, args }) => (args.length > 0 ? [database("drop", line(program, args))] : []),
  dropuser: ({ program, args }) =>
    args.length > 0 && !args.some(({ text }) => text === "--help") ? [database("drop-part", line(program, args))] : [],
  mysqladmin: resets(/(^| )(drop|shutdown|flush-\S+)( |$)/, "drop"),
  initdb: () => [],
  pg_ctl: () => [],
  pg_resetwal: resets(/./, "reset"),
  ...RAILS,
  prisma: resets(/migrate reset|db push.*(--force-reset|--accept-data-loss)|db execute.*drop/i),
  "drizzle-kit": resets(/(^| )drop( |$)|push.*--force/),
  knex: resets(/migrate:rollback.*--all|migrate:reset/),
  sequelize: resets(/db:drop|db:migrate:undo:all/),
  "sequelize-cli": resets(/db:drop|db:migrate:undo:all/),
  typeorm: resets(/schema:drop|database:drop|(^| )cache:clear/),
  "typeorm-ts-node-commonjs": resets(/schema:drop/),
  "mikro-orm": resets(/schema:(drop|fresh)|database:drop|migration:fresh/),
  artisan: resets(ARTISAN),
  php: (call, context) => [
    ...scriptTool(/(^|\/)artisan$/, ARTISAN)(call, context),
    ...scriptTool(/(^|\/)bin\/console$|(^|\/)console$/, CONSOLE)(call, context),
  ],
  console: resets(CONSOLE),
  "manage.py": resets(DJANGO),
  ...Object.fromEntries(
    ["python", "python3", "python2", "py"].map((name) => [name, scriptTool(/(^|\/)manage\.py$/, DJANGO)]),
  ),
  "django-admin": resets(DJANGO),
  alembic: resets(/downgrade base/),
  flask: resets(/db downgrade base/),
  supabase: resets(/db reset|(^| )projects delete/),
  influx: resets(/^(delete|bucket delete|org delete)/, "delete-all"),
  hasura: resets(/migrate apply.*--down all|metadata clear/),
  flyway: resets(/(^| )clean( |$)/),
  liquibase: resets(/(^| )(drop-all|dropAll|rollback-count \d{2,})/),
  goose: resets(/(^| )reset$|(^| )down-to 0/),
  migrate: resets(/(^| )(drop|down -all)( |$)|(^| )drop -f/),
  dbmate: resets(/(^| )drop( |$)/),
  diesel: resets(/database (reset|drop)|migration redo --all/),
  sqlx: resets(/database (drop|reset)|migrate revert --target-version 0/),
  "sea-orm-cli": resets(/migrate (fresh|reset|refresh)/),
  mix: resets(/ecto\.(drop|reset)|ecto\.rollback.*--all/),
  ecto: resets(/ecto\.(drop|reset)/),
  dotnet: resets(/ef database drop/),
  "dotnet-ef": resets(/database drop/),
  nodetool: resets(/^(decommission|removenode|assassinate|clearsnapshot)/),
  etcdctl: etcd,
  curl,
  wp: resets(/^db (reset|drop|clean)|^site empty/),
  drush: resets(/sql[:-](drop|sanitize)|site-install/),
  neo4j: () => [],
  "cypher-shell": ({ program, args }, { input }) =>
    /DETACH\s+DELETE|DROP\s+DATABASE/i.test(`${texts(args).join(" ")} ${input ?? ""}`)
      ? [database("delete-all", line(program, args))]
      : [],
  dynamodb: () => [],
  consul: resets(/kv delete.*-recurse|^leave/),
  drop: sqlAtPrompt,
  truncate: ({ source, ...rest }, context) =>
    /^\s*truncate\s+table\s/i.test(source) ? sqlAtPrompt({ source, ...rest }, context) : [],
};

function mongosh(...[invocation, context]: Parameters<Program>): readonly CommandEffect[] {
  return mongo(invocation, context);
}
