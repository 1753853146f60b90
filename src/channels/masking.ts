/** Credentials leave only as a mask, and a mask that comes back never replaces one. */
import { HoldfastError } from "../core/errors.ts";
import { type ChannelConfig, type Setting, settingsOf } from "./settings.ts";

export const MASK = "••••••••";

/** The settings as people and programs may see them. What we do not know is taken for a secret. */
export function maskConfig(type: string, config: ChannelConfig): ChannelConfig {
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [key, isHidden(type, key) ? MASK : value]));
}

/** Whether a mask stands for the setting. */
export function isHidden(type: string, key: string): boolean {
  const settings = settingsOf(type);
  const setting = Object.hasOwn(settings, key) ? settings[key] : undefined;
  return !setting || setting.isSecret === true;
}

/**
 * A change to the settings: what it does not name stays, a mask stays what it hides, null takes a setting away. Secrets
 * that are not given anew are never sent to another address than before: whoever could do that could read them there.
 */
export function mergeConfig(
  type: string,
  config: ChannelConfig,
  change: Readonly<Record<string, string | null>>,
): ChannelConfig {
  const given = Object.entries(change).filter(([, value]) => value === null || !isMask(value));
  const merged = { ...config };
  for (const [key, value] of given) {
    if (value === null) delete merged[key];
    else merged[key] = value;
  }
  const isGiven = new Set(given.map(([key]) => key));
  const settings = Object.entries(settingsOf(type));
  const moved = settings.find(
    ([key, setting]) => setting.getsSecrets && addressOf(config, key, setting) !== addressOf(merged, key, setting),
  );
  const kept = settings.find(([key, { isSecret }]) => isSecret && config[key] !== undefined && !isGiven.has(key));
  if (moved && kept)
    throw new HoldfastError("HF933", `${moved[0]} changes, and ${kept[0]} would be sent there`, {
      hint: `Enter the secrets again together with ${moved[0]}.`,
    });
  return merged;
}

const addressOf = (config: ChannelConfig, key: string, setting: Setting) => config[key] || setting.default;

/** Also a mask somebody else drew: no credential is all dots or asterisks. */
const isMask = (value: string) => /^[•*]+$/.test(value);
