/** Which channel people are asked in. */
import { isChannelType } from "./channel.ts";
import type { StoredChannel } from "./store.ts";

export interface Wishes {
  /** What the rule names: an id, a name, or `<type>:<name>`; null: nothing. */
  readonly explicit: string | null;
  /** Where the agent tells of its ends; null: nowhere. */
  readonly completion: string | null;
}

/**
 * The explicit one, else the completion channel, else the oldest of the organisation; of each only what is active and the
 * organisation's own. One of a type that nobody can send to counts as none. `channels`: the oldest first.
 */
export function chooseChannel(
  organisation: string,
  channels: readonly StoredChannel[],
  { explicit, completion }: Wishes,
): StoredChannel | undefined {
  const usable = channels.filter((channel) => channel.organisation === organisation && channel.isActive);
  const named = (wish: string | null) => (wish === null ? undefined : usable.find((channel) => isMeant(channel, wish)));
  const chosen = named(explicit) ?? named(completion) ?? usable[0];
  return chosen && isChannelType(chosen.type) ? chosen : undefined;
}

/** Whether somebody who writes this means it: its id, its name, or `<type>:<name>`. */
export const isMeant = ({ id, type, name }: StoredChannel, wish: string) =>
  wish === id || wish === name || wish === `${type}:${name}`;
