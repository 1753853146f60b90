/** Channels as they are stored, opened: adapters, each kept as long as its settings are the same, with its access token. */
import type { Channel } from "../approvals/channel.ts";
import type { ChannelStore, StoredChannel } from "../approvals/store.ts";
import { HoldfastError } from "../core/errors.ts";
import { type Keyring, openConfig } from "./credentials.ts";
import { channelOf } from "./registry.ts";

export interface OpenChannel {
  readonly stored: StoredChannel;
  readonly channel: Channel;
}

export class OpenChannels {
  readonly #store: ChannelStore;
  readonly #keyring: Keyring;
  readonly #open = new Map<string, OpenChannel>();

  constructor(store: ChannelStore, keyring: Keyring) {
    this.#store = store;
    this.#keyring = keyring;
  }

  /** Undefined: there is none. Throws where its credentials cannot be opened or used. */
  async open(id: string): Promise<OpenChannel | undefined> {
    const stored = await this.#store.channel(id);
    if (!stored) {
      this.#open.delete(id);
      return undefined;
    }
    const known = this.#open.get(id);
    const isSame = known?.stored.sealedConfig === stored.sealedConfig;
    const channel = isSame
      ? known.channel
      : channelOf(stored.type, openConfig(stored.sealedConfig, stored, this.#keyring), id);
    const opened = { stored, channel };
    this.#open.set(id, opened);
    return opened;
  }

  /** For something of this organisation: throws where the channel is gone, switched off, or another organisation's. */
  async openFor(organisation: string, id: string): Promise<OpenChannel> {
    const opened = await this.open(id);
    if (!opened) throw new HoldfastError("HF936", `there is no channel ${id}`);
    const { stored } = opened;
    if (stored.organisation !== organisation)
      throw new HoldfastError("HF936", `channel ${id} belongs to another organisation`);
    if (!stored.isActive) throw new HoldfastError("HF936", `channel ${stored.name} is switched off`);
    return opened;
  }
}
