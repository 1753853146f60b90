/** For hosts that load us into their own process: a plugin asks the engine with a payload and obeys the answer. */
import type { JsonObject } from "../core/json.ts";
import type { HostAnswer } from "./host.ts";

/** Never throws: our own failure is the host's closed answer. `hook_event_name` names the event; `cwd` where it happens. */
export interface Ask {
  (payload: JsonObject): Promise<Asked>;
  /** Holds the whole host up until the answer is there; undefined: there is none, ask in the other way. */
  now(payload: JsonObject): Asked | undefined;
}

export interface Asked extends HostAnswer {
  /** For the person, beside the answer; never on the screen of a running host. */
  readonly remarks: readonly string[];
}

/** What a host's plugin.ts exports: from a way to reach the engine to what the host takes for a plugin. */
export type HostPlugin = (connect: Connect) => unknown;

/** `cwd`: where the session stands. */
export type Connect = (cwd: string) => Ask;
