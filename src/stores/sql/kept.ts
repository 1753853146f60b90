/** What is kept for a while. Each is one statement, so that of two at once one wins. */
import { type Kysely, sql } from "kysely";
import type { DirectoryWrites, KeptStore } from "../../approvals/store.ts";
import type { Tables } from "./tables.ts";

export function kept(db: Kysely<Tables>, now: () => Date): Omit<KeptStore, keyof DirectoryWrites> {
  return {
    async keepNew(key, value, expiresAt) {
      const row = { key, value, expires_at: expiresAt.getTime() };
      const stored = await db
        .insertInto("kept")
        .values(row)
        .onConflict((conflict) =>
          conflict.column("key").doUpdateSet(row).where("kept.expires_at", "<=", now().getTime()),
        )
        .returning("key")
        .execute();
      return stored.length > 0;
    },
    async kept(key) {
      const row = await db
        .selectFrom("kept")
        .select("value")
        .where("key", "=", key)
        .where("expires_at", ">", now().getTime())
        .executeTakeFirst();
      return row?.value;
    },
    async keptUnder(prefix) {
      // Not LIKE, to which some characters of a key mean something.
      const beginning = sql<string>`substr(key, 1, ${sql.lit(prefix.length)})`;
      return await db
        .selectFrom("kept")
        .select(["key", "value"])
        .where(beginning, "=", prefix)
        .where("expires_at", ">", now().getTime())
        .execute();
    },
    async count(key, windowMs) {
      const at = now().getTime();
      const fresh = { key, value: "1", expires_at: at + windowMs };
      const isOver = sql<boolean>`kept.expires_at <= ${at}`;
      const row = await db
        .insertInto("kept")
        .values(fresh)
        .onConflict((conflict) =>
          conflict.column("key").doUpdateSet({
            value: sql<string>`case when ${isOver} then '1' else cast(cast(kept.value as integer) + 1 as text) end`,
            expires_at: sql<number>`case when ${isOver} then excluded.expires_at else kept.expires_at end`,
          }),
        )
        .returning("value")
        .executeTakeFirstOrThrow();
      return Number(row.value);
    },
    async sweep() {
      return (await db.deleteFrom("kept").where("expires_at", "<=", now().getTime()).returning("key").execute()).length;
    },
  };
}
