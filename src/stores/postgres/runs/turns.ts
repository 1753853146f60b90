/** A word among editors of a run's tasks, not a lock: nothing depends on it but who comes first. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Query } from "./database.ts";

/** Longer than that nobody's hooks are waited for. */
const LONGEST = "interval '2 seconds'";
const LONGEST_MS = 2_000;
const LOOK_EVERY_MS = 25;

export async function takeTurn(query: Query, run: string): Promise<{ release(): void } | undefined> {
  const token = randomUUID();
  const taken = await query(
    `insert into turns (run, token, at) values ($1, $2, clock_timestamp())
     on conflict (run) do update set token = excluded.token, at = excluded.at
       where turns.at < clock_timestamp() - ${LONGEST} returning run`,
    [run, token],
  );
  if (taken.length === 0) return undefined;
  // One that is not taken back is over soon all the same.
  const release = () => void query("delete from turns where run = $1 and token = $2", [run, token]).catch(() => {});
  return { release };
}

export async function letOthersTurn(query: Query, run: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < LONGEST_MS; waitedMs += LOOK_EVERY_MS) {
    const sql = `select from turns where run = $1 and at >= clock_timestamp() - ${LONGEST}`;
    if ((await query(sql, [run])).length === 0) return;
    await sleep(LOOK_EVERY_MS);
  }
}
