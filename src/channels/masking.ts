/** Credentials leave only as a mask, and a mask that comes back never replaces one. */
import { type ChannelConfig, settingsOf } from "./settings.ts";

export const MASK = "••••••••";

/** The settings as people and programs may see them. What we do not know is taken for a secret. */
export function maskConfig(type: string, config: ChannelConfig): ChannelConfig {
  const settings = settingsOf(type);
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => {
      const setting = Object.hasOwn(settings, key) ? settings[key] : undefined;
      return [key, setting && !setting.isSecret ? value : MASK];
    }),
  );
}

/** A change to the settings: what it does not name stays, a mask stays what it hides, null takes a setting away. */
export function mergeConfig(
  type: string,
  config: ChannelConfig,
  change: Readonly<Record<string, string | null>>,
): ChannelConfig {
  settingsOf(type);
  const merged = { ...config };
  for (const [key, value] of Object.entries(change)) {
    if (value === null) delete merged[key];
    else if (!isMask(value)) merged[key] = value;
  }
  return merged;
}

/** Also a mask somebody else drew: no credential is all dots or asterisks. */
const isMask = (value: string) => /^[•*]+$/.test(value);
