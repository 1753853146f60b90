import { simulatedFeishu } from "./feishu.fixture.ts";
import type { SimulatedPlatform } from "./platform.fixture.ts";
import { simulatedSlack } from "./slack.fixture.ts";
import { simulatedWebhook } from "./webhook.fixture.ts";
import { simulatedWecom } from "./wecom.fixture.ts";

/** One of each type. */
export const channelsFor = (): [string, () => Promise<SimulatedPlatform>][] => [
  ["Feishu", () => simulatedFeishu()],
  ["Slack", simulatedSlack],
  ["WeCom", simulatedWecom],
  ["Webhook", simulatedWebhook],
];
