/** Channels made, changed and shown by whoever administers them. Whether somebody may is for the caller to know. */
import { randomBytes } from "node:crypto";
import type { StoredChannel } from "../approvals/store.ts";
import { type Keyring, openConfig, sealConfig } from "./credentials.ts";
import { maskConfig, mergeConfig } from "./masking.ts";
import { type ChannelConfig, checkedConfig } from "./settings.ts";

export interface ChannelDraft {
  readonly organisation: string;
  readonly type: string;
  readonly name: string;
  readonly config: ChannelConfig;
}

/** Throws where the settings cannot work, or anybody could forge a click with them. */
export function newChannel(
  { organisation, type, name, config }: ChannelDraft,
  keyring: Keyring,
  now: Date,
): StoredChannel {
  const id = `C-${randomBytes(8).toString("hex")}`;
  const sealedConfig = sealConfig(checkedConfig(type, config), { id, organisation, type }, keyring);
  const at = now.toISOString();
  return { id, organisation, type, name, isActive: true, sealedConfig, createdAt: at, updatedAt: at };
}

export interface ChannelChange {
  readonly name?: string;
  readonly isActive?: boolean;
  /** Merged: what is not named stays, a mask stays what it hides, null takes a setting away. */
  readonly config?: Readonly<Record<string, string | null>>;
}

export function changedChannel(
  stored: StoredChannel,
  change: ChannelChange,
  keyring: Keyring,
  now: Date,
): StoredChannel {
  const { name = stored.name, isActive = stored.isActive, config } = change;
  const updatedAt = now.toISOString();
  if (!config) return { ...stored, name, isActive, updatedAt };
  const merged = mergeConfig(stored.type, openConfig(stored.sealedConfig, stored, keyring), config);
  const sealedConfig = sealConfig(checkedConfig(stored.type, merged), stored, keyring);
  return { ...stored, name, isActive, sealedConfig, updatedAt };
}

export interface ShownChannel extends Omit<StoredChannel, "sealedConfig"> {
  readonly config: ChannelConfig;
  /** Why its settings cannot be shown; else null. */
  readonly problem: string | null;
}

/** Without any credential. */
export function shownChannel(stored: StoredChannel, keyring: Keyring): ShownChannel {
  const { sealedConfig, ...rest } = stored;
  try {
    return { ...rest, config: maskConfig(stored.type, openConfig(sealedConfig, stored, keyring)), problem: null };
  } catch (error) {
    return { ...rest, config: {}, problem: error instanceof Error ? error.message : String(error) };
  }
}
