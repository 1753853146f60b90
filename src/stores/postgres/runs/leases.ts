/** Who drives a run, by the database's clock: a process that says again and again that it still does. */
import type { LeaseTimes } from "../../../runs/files/lease.ts";
import { identityOf, inWords, isAlive, type ProcessIdentity } from "../../../runs/files/process-identity.ts";
import type { Lease } from "../../../runs/store.ts";
import type { Query, RunDatabase } from "./database.ts";

interface Held {
  readonly token: string;
  readonly owner: string;
  readonly is_over: boolean;
}

/** In words, unless it is held by `own`; undefined: nobody who is alive. Nobody is asked twice: a process of this machine that is dead is dead at once. */
export async function holderOf(query: Query, run: string, own?: string): Promise<string | undefined> {
  const [held] = await query<Held>(
    "select token, owner, expires_at <= clock_timestamp() as is_over from leases where run = $1",
    [run],
  );
  if (!held || held.is_over || held.token === own) return undefined;
  const owner = JSON.parse(held.owner) as ProcessIdentity;
  return isAlive(owner) === false ? undefined : inWords(owner);
}

/** Within the transaction that has seen that nobody holds it. The token is made outside: it may be tried again. */
export async function writeLease(query: Query, run: string, token: string, times: LeaseTimes): Promise<void> {
  await query(
    `insert into leases (run, token, owner, expires_at)
     values ($1, $2, $3, clock_timestamp() + $4 * interval '1 millisecond')
     on conflict (run) do update set token = excluded.token, owner = excluded.owner, expires_at = excluded.expires_at, stop_by = null`,
    [run, token, JSON.stringify(identityOf(process.pid)), times.silentMs],
  );
}

/** Those of processes of this machine that died: they need not be waited for. */
export async function dropDeadLeases(query: Query): Promise<void> {
  const held = await query<{ run: string; token: string; owner: string }>("select run, token, owner from leases");
  const dead = held.filter(({ owner }) => isAlive(JSON.parse(owner) as ProcessIdentity) === false);
  if (dead.length === 0) return;
  await query("delete from leases where token = any($1)", [dead.map(({ token }) => token)]);
}

const LOOK_FOR_STOP_MS = 1_000;

export function keepLease(database: RunDatabase, run: string, token: string, times: LeaseTimes): Lease {
  const lost = new AbortController();
  const stopping = new AbortController();
  const end = () => {
    clearInterval(timer);
    clearInterval(stopTimer);
  };
  const lose = (reason: string) => {
    end();
    lost.abort(new Error(reason));
  };
  let renewedAt = performance.now();
  let isRenewing = false;
  const renew = async () => {
    // Before others take it for abandoned: a database that cannot be reached from here may be reached by them.
    if (performance.now() - renewedAt > times.silentMs * 0.8) return lose("the database did not answer for too long");
    if (isRenewing) return;
    isRenewing = true;
    try {
      const askedAt = performance.now();
      const kept = await database.query<{ run: string }>(
        `update leases set expires_at = clock_timestamp() + $3 * interval '1 millisecond'
         where run = $1 and token = $2 returning run`,
        [run, token, times.silentMs],
      );
      if (kept.length === 0) return lose("another process drives this run now");
      renewedAt = askedAt;
    } catch {
      // There is time for more tries before silence.
    } finally {
      isRenewing = false;
    }
  };
  let isLooking = false;
  const lookForStop = async () => {
    if (isLooking) return;
    isLooking = true;
    const wish = "select run from leases where run = $1 and token = $2 and stop_by is not null";
    // Away for a moment: the next look finds it.
    const wished = await database.query(wish, [run, token]).catch(() => []);
    isLooking = false;
    if (wished.length === 0) return;
    clearInterval(stopTimer);
    stopping.abort(new Error("it was stopped"));
  };
  const timer = setInterval(renew, times.renewMs);
  const stopTimer = setInterval(lookForStop, LOOK_FOR_STOP_MS);
  timer.unref();
  stopTimer.unref();
  return {
    token,
    lost: lost.signal,
    stopped: stopping.signal,
    async release() {
      end();
      await database.query("delete from leases where run = $1 and token = $2", [run, token]);
    },
  };
}
