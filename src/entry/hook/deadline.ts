/** Our answer always comes before the host gives up on us: many hosts run the tool when a hook times out. */
import type { Abortable } from "../../engine/judge.ts";
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

const found = new WeakMap<Host["support"], Map<string, Deadlines>>();

export function deadlinesOf({ support }: Pick<Host, "support">, nativeEvent: string): Deadlines {
  const known = found.get(support) ?? new Map<string, Deadlines>();
  found.set(support, known);
  const deadlines = known.get(nativeEvent) ?? findDeadlines(support, nativeEvent);
  // Whoever sends us other names than there are does not fill our memory.
  if (known.size < MAX_EVENTS) known.set(nativeEvent, deadlines);
  return deadlines;
}

const MAX_EVENTS = 100;

function findDeadlines(support: Host["support"], nativeEvent: string): Deadlines {
  const rows = supportRows(support);
  const named = rows.filter(({ native }) => native.some((name) => name.toLowerCase() === nativeEvent.toLowerCase()));
  // How long an unknown event was registered for, nobody here knows.
  const hostMs = Math.min(...(named.length > 0 ? named : rows).map(({ timeoutMs }) => timeoutMs));
  const hardMs = Math.max(hostMs - MARGIN_MS, Math.round(hostMs / 2));
  return { hardMs, softMs: Math.max(hardMs - GRACE_MS, Math.round(hardMs / 2)) };
}

export function beforeDeadline<T>(
  { softMs, hardMs }: Deadlines,
  work: (abort: Abortable) => Promise<T>,
  elapsedMs = process.uptime() * 1000,
  ending?: Ending,
): Promise<T> {
  const beganMs = performance.now();
  const controller = new AbortController();
  const deaf = ending?.whenOver(() => controller.abort());
  let soft: NodeJS.Timeout | undefined;
  let hard: NodeJS.Timeout | undefined;
  return new Promise<T>((resolve, reject) => {
    // Nearly every call is decided in the turn of the event loop it begins in, and no timer fires before that is over.
    const setTimers = setImmediate(() => {
      const goneMs = elapsedMs + performance.now() - beganMs;
      // Both from now: one that begins with the other's end slips by whatever held up the event loop until then.
      soft = setTimeout(() => controller.abort(), Math.max(0, softMs - goneMs));
      hard = setTimeout(
        () => {
          end();
          reject(new Error(`no decision after ${Math.round(hardMs / 1000)} s`));
        },
        Math.max(0, hardMs - goneMs),
      );
    });
    const end = () => {
      deaf?.();
      clearImmediate(setTimers);
      clearTimeout(soft);
      clearTimeout(hard);
    };
    work(controller).then(
      (value) => {
        end();
        resolve(value);
      },
      (error: unknown) => {
        end();
        reject(error);
      },
    );
  });
}
