/** Where the server's runs come from: this machine's files, or a store that several machines share. */
import type { Unwatch } from "../../../approvals/store.ts";
import type { RunStore } from "../../../runs/store.ts";

export interface RunSource {
  /** Undefined: nothing of this organisation is kept there. */
  storeOf(organisation: string): RunStore | undefined;
  /** Calls back soon after the run (or, with null, any run) was changed by any process. A hint, never the news itself. */
  watch(organisation: string, run: string | null, onChange: () => void): Unwatch;
}
