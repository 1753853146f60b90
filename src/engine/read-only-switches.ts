/** Whether organisations are switched to reading only, as their desk says; asked anew every other second at most. */
import type { Desk } from "../approvals/desk.ts";
import type { Machine } from "../hooks/builtin.ts";
import { monotonicMs } from "../records/monotonic.ts";

const KEPT_MS = 2_000;
/** Of whoever belongs to none; written out, because the module that names it is not for the hot path. */
const PERSONAL = "personal";

export function readOnlySwitches(desk: (() => Promise<Desk>) | undefined): Machine["isSwitchedReadOnly"] {
  const known = new Map<string, { readonly isOn: boolean; readonly untilMs: number }>();
  return async (organisation = PERSONAL) => {
    const kept = known.get(organisation);
    if (kept && kept.untilMs > monotonicMs()) return kept.isOn;
    if (!desk) throw new Error("nobody can say whether the organisation is switched to reading only");
    const { isReadOnly } = await (await desk()).settings(organisation);
    known.clear();
    known.set(organisation, { isOn: isReadOnly, untilMs: monotonicMs() + KEPT_MS });
    return isReadOnly;
  };
}
