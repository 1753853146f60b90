/** A person is told once an hour what needs them, however many sessions begin. */
import { join } from "node:path";
import { isJsonObject, type Json } from "../../core/json.ts";
import { readIfThere, writePrivately } from "../background/private-file.ts";
import type { TakeLock } from "../lock.ts";
import type { KnowledgePlaces } from "../places.ts";

const HOUR_MS = 60 * 60_000;

const stateFile = ({ stateDir }: KnowledgePlaces) => join(stateDir, "attention.json");

/** True at most once an hour, to one of all who ask. */
export async function takesItsHour(places: KnowledgePlaces, now: Date, takeLock: TakeLock): Promise<boolean> {
  const lock = await takeLock(join(places.stateDir, "locks", "attention.lock"));
  try {
    const last = lastToldAt(places);
    // A time to come is a clock that was wrong.
    if (last !== undefined && last <= now.getTime() && now.getTime() - last < HOUR_MS) return false;
    writePrivately(stateFile(places), `${JSON.stringify({ schema_version: 1, last_told_at: now.toISOString() })}\n`);
    return true;
  } finally {
    lock.release();
  }
}

function lastToldAt(places: KnowledgePlaces): number | undefined {
  try {
    const value = JSON.parse(readIfThere(stateFile(places)) ?? "null") as Json;
    const at =
      isJsonObject(value) && typeof value.last_told_at === "string" ? Date.parse(value.last_told_at) : Number.NaN;
    return Number.isNaN(at) ? undefined : at;
  } catch {
    return undefined;
  }
}
