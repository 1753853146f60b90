import { sql } from "kysely";
import type { CountedIn } from "../sql/audit-reads.ts";

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
    counts: countsIn(counts),
  }));
};

/** `0,3,12`. By hand: a chart of a day has two hundred thousand of these numbers. */
function countsIn(text: string): number[] {
  const counts: number[] = [];
  let number = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === COMMA) counts.push(number);
    number = character === COMMA ? 0 : 10 * number + character - ZERO;
  }
  counts.push(number);
  return counts;
}

const [ZERO, COMMA] = [48, 44];
