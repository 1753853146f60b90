/** Our answer always comes before the host gives up on us: many hosts run the tool when a hook times out. */
import { type Host, supportRows } from "../../hosts/host.ts";
import type { Ending } from "./ending.ts";

/** In milliseconds since the call began; for a process of its own, since that did, as the host counts. */
export interface Deadlines {
  /** Hooks are told to end and take their on_error path. */
  readonly softMs: number;
  /** The answer goes out, whatever they do. */
  readonly hardMs: number;
}

const MARGIN_MS = 3_000;
const GRACE_MS = 2_000;

export function deadlinesOf(host: Pick<Host, "support">, nativeEvent: string): Deadlines {
  const rows = supportRows(host.support);
  const named = rows.filter(({ native }) => native.some((name) => name.toLowerCase() === nativeEvent.toLowerCase()));
  // How long an unknown event was registered for, nobody here knows.
  const hostMs = Math.min(...(named.length > 0 ? named : rows).map(({ timeoutMs }) => timeoutMs));
  const hardMs = Math.max(hostMs - MARGIN_MS, Math.round(hostMs / 2));
  return { hardMs, softMs: Math.max(hardMs - GRACE_MS, Math.round(hardMs / 2)) };
}

export async function beforeDeadline<T>(
  { softMs, hardMs }: Deadlines,
  /** The signal is made where it is asked for: most hooks never do. */
  work: (hooks: { readonly signal: AbortSignal }) => Promise<T>,
  elapsedMs = performance.now(),
  ending?: Ending,
): Promise<T> {
  const controller = new AbortController();
  const deaf = ending?.whenOver(() => controller.abort());
  const soft = setTimeout(() => controller.abort(), Math.max(0, softMs - elapsedMs));
  let hard: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new Error(`no decision after ${Math.round(hardMs / 1000)} s`);
    hard = setTimeout(() => reject(error), Math.max(0, hardMs - elapsedMs));
  });
  try {
    return await Promise.race([work(controller), late]);
  } finally {
    deaf?.();
    clearTimeout(soft);
    clearTimeout(hard);
  }
}
