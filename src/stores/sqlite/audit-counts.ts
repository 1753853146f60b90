import { sql } from "kysely";
import type { CountedIn } from "../sql/audit-reads.ts";

/** A row per class of latency, brought together by the database: rows are what costs. */
export const countedIn: CountedIn = async (db, { organisation, width, fromMs, toMs }) => {
  const counted = await db
    .selectFrom("audit_counts")
    .select(["starts_at", "decision"])
    .select(sql<string>`string_agg(ms_class || ':' || rows, ',')`.as("classes"))
    .where("organisation", "=", organisation)
    .where("width_ms", "=", width)
    .where("starts_at", ">=", fromMs)
    .where("starts_at", "<", toMs)
    .groupBy(["starts_at", "decision"])
    .orderBy("starts_at")
    .orderBy("decision")
    .execute();
  return counted.map(({ starts_at, decision, classes }) => ({
    startsAt: starts_at,
    decision,
    classes: classes.split(",").map((pair) => {
      const [msClass = 0, rows = 0] = pair.split(":").map(Number);
      return { msClass, rows };
    }),
  }));
};
