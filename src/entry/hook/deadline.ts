import { type Host, supportRows } from "../../hosts/host.ts";

const MARGIN_MS = 3_000;
const GRACE_MS = 2_000;
const UNKNOWN_EVENT_MS = 30_000;

/** soft: hooks are told to end and take their on_error path. hard: the answer goes out, whatever they do. */
export function deadlinesOf(host: Pick<Host, "support">, nativeEvent: string): { softMs: number; hardMs: number } {
  const times = supportRows(host.support)
    .filter(({ native }) => native.includes(nativeEvent))
    .map(({ timeoutMs }) => timeoutMs);
  const hostMs = times.length > 0 ? Math.min(...times) : UNKNOWN_EVENT_MS;
  const hardMs = Math.max(hostMs - MARGIN_MS, Math.round(hostMs / 2));
  return { hardMs, softMs: Math.max(hardMs - GRACE_MS, Math.round(hardMs / 2)) };
}
