/** Whether whoever says again and again that they live has fallen silent. */
import { processScope } from "./process-scope.ts";

/**
 * A time to come is that of a clock that was set back, as when a machine starts with none. Whoever is of this start of this
 * machine can be looked for, and is waited for; of anybody else it is nobody's word, and would be waited for until then.
 */
export function isSilent(heardAtMs: number, nowMs: number, limitMs: number, scope: string | undefined): boolean {
  const sinceMs = nowMs - heardAtMs;
  return !(sinceMs < limitMs) || (sinceMs <= -limitMs && scope !== processScope());
}
