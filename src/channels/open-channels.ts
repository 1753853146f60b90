/** Channels as they are stored, opened: adapters, each kept as long as its settings are the same, with its access token. */
import type { Channel } from "../approvals/channel.ts";
import type { ChannelStore, StoredChannel } from "../approvals/store.ts";
import { HoldfastError } from "../core/errors.ts";
import { type Keyring, type Owner, openConfig } from "./credentials.ts";
import { channelOf } from "./registry.ts";
import { assertReach, type ChannelConfig } from "./settings.ts";

export interface OpenChannel {
  readonly stored: StoredChannel;
  readonly channel: Channel;
}

export class OpenChannels {
  readonly #store: ChannelStore;
  readonly #keyring: Keyring;
  readonly #open = new Map<string, OpenChannel>();
  readonly #mayReachHere: (organisation: string) => boolean;

  /** `mayReachHere`: which organisations have channels on this machine. */
  constructor(store: ChannelStore, keyring: Keyring, mayReachHere: (organisation: string) => boolean = () => true) {
    this.#store = store;
    this.#keyring = keyring;
    this.#mayReachHere = mayReachHere;
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
      : this.adapter(stored, openConfig(stored.sealedConfig, stored, this.#keyring));
    const opened = { stored, channel };
    this.#open.set(id, opened);
    return opened;
  }

  /** With these settings. Throws where they cannot be used, or lead where the organisation may not. */
  adapter({ type, organisation, id }: Owner, config: ChannelConfig): Channel {
    assertReach(type, config, this.#mayReachHere(organisation));
    return channelOf(type, config, id);
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
