/** Whether SQL text only reads. */
import { statements } from "./sql.ts";

/** `unknown`: it is no SQL, or none that is understood. */
export type SqlUse = "reads" | "writes" | "unknown";

const READS = new Set("SELECT SHOW DESCRIBE DESC EXPLAIN WITH VALUES TABLE".split(" "));
const WRITES = new Set(
  "INSERT UPDATE DELETE MERGE REPLACE UPSERT CREATE ALTER DROP TRUNCATE RENAME GRANT REVOKE COPY LOAD CALL EXEC EXECUTE DO VACUUM REINDEX CLUSTER ANALYZE LOCK IMPORT ATTACH DETACH COMMENT SET RESET BEGIN START COMMIT ROLLBACK PRAGMA REFRESH FLUSH OPTIMIZE REPAIR PURGE KILL HANDLER".split(
    " ",
  ),
);
/** Inside a statement that begins like a question. */
const WRITES_INSIDE = new Set("INSERT UPDATE DELETE MERGE INTO".split(" "));

export function sqlUse(text: string): SqlUse {
  const all = statements(text).map((words) => words.map((word) => word.toUpperCase()));
  if (all.length === 0) return "unknown";
  const uses = all.map(statementUse);
  if (uses.includes("writes")) return "writes";
  return uses.includes("unknown") ? "unknown" : "reads";
}

function statementUse(words: readonly string[]): SqlUse {
  const verb = words.find((word) => word !== "(") ?? "";
  if (WRITES.has(verb)) return words.length > 1 || STANDS_ALONE.has(verb) ? "writes" : "unknown";
  if (!READS.has(verb) || words.length < 2) return "unknown";
  if (verb === "EXPLAIN" && !words.slice(1, 6).includes("ANALYZE")) return "reads";
  return words.some((word, at) => WRITES_INSIDE.has(word) && !isLock(words, at)) ? "writes" : "reads";
}

const STANDS_ALONE = new Set("BEGIN COMMIT ROLLBACK VACUUM".split(" "));

/** `SELECT … FOR UPDATE` only locks. */
const isLock = (words: readonly string[], at: number) =>
  words[at] === "UPDATE" && (words[at - 1] === "FOR" || (words[at - 1] === "KEY" && words[at - 2] === "NO"));
