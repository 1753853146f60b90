/** Every type of channel there is: the only list. */
import type { Channel, ChannelType } from "../approvals/channel.ts";
import { feishuChannel } from "./feishu/channel.ts";
import { type ChannelConfig, checkedConfig } from "./settings.ts";
import { slackChannel } from "./slack/channel.ts";
import { webhookChannel } from "./webhook/channel.ts";
import { wecomChannel } from "./wecom/channel.ts";

const TYPES: Readonly<Record<ChannelType, (config: ChannelConfig, id: string) => Channel>> = {
  feishu: (config) => feishuChannel(config),
  slack: (config) => slackChannel(config),
  wecom: (config) => wecomChannel(config),
  webhook: (config, id) => webhookChannel(config, id),
};

/** Refuses settings that cannot work, and such that anybody could forge a click with. */
export function channelOf(type: string, config: ChannelConfig, id: string): Channel {
  const checked = checkedConfig(type, config);
  return TYPES[type as ChannelType](checked, id);
}
