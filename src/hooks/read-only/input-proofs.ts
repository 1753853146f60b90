/**
 * What SQL or an HTTP method in a tool's input proves. That it writes, always. That it reads, only of a tool whose name says
 * that this is what it takes: the model writes the input, and a `query` beside it makes no deletion a question.
 */
import type { Json, JsonObject } from "../../core/json.ts";
import type { ToolCall } from "../../core/tool.ts";
import { type SqlUse, sqlUse } from "../../shell/sql-use.ts";
import { saysAny, words, wordsOf } from "../said-words.ts";
import { connectorOf } from "../tool-glob.ts";

/** `why`: how a person is told that it writes. */
export type Proof = { readonly use: "reads" | "unknown" } | { readonly use: "writes"; readonly why: string };

export function proofOf(tool: ToolCall): Proof {
  const { input } = tool;
  const sql = sqlIn(input);
  if (sql === "writes") return { use: "writes", why: "this SQL writes" };
  const method = writingMethod(input);
  if (method !== undefined) return { use: "writes", why: `an HTTP ${method} writes` };
  if (sql === "reads" && isNamedFor(tool, SQL)) {
    return textsIn(input).some((text) => sqlUse(text) === "writes") ? { use: "writes", why: "this SQL writes" } : READS;
  }
  return isReadingRequest(input) && isNamedFor(tool, HTTP) ? READS : UNKNOWN;
}

const READS: Proof = { use: "reads" };
const UNKNOWN: Proof = { use: "unknown" };

const SQL_FIELDS: ReadonlySet<string> = new Set(["sql", "query", "statement", "statements", "queries", "command"]);

/** All of it must be understood before it counts as reading. */
function sqlIn(input: JsonObject): SqlUse {
  let found: SqlUse | undefined;
  for (const field in input) {
    if (!SQL_FIELDS.has(field)) continue;
    for (const use of usesIn(input[field] as Json)) {
      if (use === "writes") return "writes";
      found = found === "unknown" ? found : use;
    }
  }
  return found ?? "unknown";
}

function usesIn(value: Json): readonly SqlUse[] {
  if (typeof value === "string") return [sqlUse(value)];
  return Array.isArray(value) ? value.flatMap(usesIn) : ["unknown"];
}

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "QUERY"]);
const METHODS = new Set([...SAFE_METHODS, "POST", "PUT", "PATCH", "DELETE", "CONNECT"]);
const ADDRESS_FIELDS = ["url", "uri", "path", "endpoint", "route"];

/** `method`, `http_method`, `httpMethod`, `X-HTTP-Method-Override`. */
const NAMES_METHOD = /method|^verb$/i;

/** However deep, and however it is spelled. */
function writingMethod(value: Json): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const key in value) {
    const item = (value as JsonObject)[key] as Json;
    const method = typeof item === "string" && NAMES_METHOD.test(key) ? item.trim().toUpperCase() : undefined;
    if (method !== undefined && METHODS.has(method) && !SAFE_METHODS.has(method)) return method;
    const below = writingMethod(item);
    if (below !== undefined) return below;
  }
  return undefined;
}

/** Only beside an address: elsewhere `method` may mean anything. */
function isReadingRequest(input: JsonObject): boolean {
  const { method = input.http_method ?? input.httpMethod } = input;
  if (typeof method !== "string" || !SAFE_METHODS.has(method.trim().toUpperCase())) return false;
  return ADDRESS_FIELDS.some((field) => typeof input[field] === "string");
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return (Array.isArray(value) ? value : Object.values(value)).flatMap((item) => textsIn(item));
}

/** Nothing else is in its name, of which the server's is a part. */
function isNamedFor(tool: ToolCall, about: ReadonlySet<string>): boolean {
  const server = connectorOf(tool);
  const name = tool.kind === "mcp" ? tool.method : server === undefined ? tool.name : tool.name.slice(server.length);
  const own = wordsOf(name).filter((word) => word !== "");
  return (
    own.every((word) => about.has(word) || SAYS_NOTHING.has(word)) &&
    (saysAny(own, about) || (server !== undefined && saysAny(wordsOf(server), about)))
  );
}

const SQL = words(
  "sql query queries select db database databases statement statements postgres postgresql pg psql mysql mariadb sqlite sqlite3 mssql duckdb bigquery snowflake redshift clickhouse oracle warehouse supabase",
);
const HTTP = words("http https rest api request requests fetch get url urls web curl");
const SAYS_NOTHING = words("run execute exec do call invoke read readonly only raw tool data on in from the a");
