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
    counts: countsIn(classes),
  }));
};

/** `3:10,5:2`. By hand: a chart of a day has two hundred thousand of these pairs. */
function countsIn(pairs: string): number[] {
  const counts: number[] = [];
  let msClass = 0;
  let number = 0;
  const put = () => {
    while (counts.length <= msClass) counts.push(0);
    counts[msClass] = number;
  };
  for (let at = 0; at < pairs.length; at++) {
    const character = pairs.charCodeAt(at);
    if (character === COLON) msClass = number;
    if (character === COMMA) put();
    number = character === COLON || character === COMMA ? 0 : 10 * number + character - ZERO;
  }
  put();
  return counts;
}

const [ZERO, COLON, COMMA] = [48, 58, 44];
