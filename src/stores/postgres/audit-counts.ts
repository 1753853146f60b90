import { sql } from "kysely";
import type { Counted, CountedIn } from "../sql/audit-reads.ts";

/** As text: arrays would be taken apart twice. */
export const countedIn: CountedIn = async (db, { organisation, width, fromMs, toMs }) => {
  const counted = await db
    .selectFrom("audit_histograms")
    .select(["starts_at", "decision"])
    .select(sql<string>`array_to_string(counts, ',')`.as("counts"))
    .where("organisation", "=", organisation)
    .where("width_ms", "=", width)
    .where("starts_at", ">=", fromMs)
    .where("starts_at", "<", toMs)
    .orderBy("starts_at")
    .orderBy("decision")
    .execute();
  return counted.map(({ starts_at, decision, counts }) => ({
    startsAt: starts_at,
    decision,
    classes: classesIn(counts),
  }));
};

/** Most are empty: nothing is made of those. */
function classesIn(counts: string): Counted["classes"] {
  const classes: { msClass: number; rows: number }[] = [];
  for (const [msClass, rows] of counts.split(",").entries())
    if (rows !== "0") classes.push({ msClass, rows: Number(rows) });
  return classes;
}
