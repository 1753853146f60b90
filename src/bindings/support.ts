/** What a binding does with each answer to each event: data, for the guide and for people who must know. */
import type { EventName } from "../core/event.ts";

export interface Support {
  /**
   * enforced: as the hook said. stricter: something stronger happens instead. wrapped: by a function of ours that the
   * program calls. never: the SDK has no such moment.
   */
  readonly how: "enforced" | "stricter" | "wrapped" | "never";
  readonly note: string;
}

/** Rows are `event` or `event: answer`. */
export type SupportTable = Readonly<Partial<Record<EventName | `${EventName}: ${string}`, Support>>>;
