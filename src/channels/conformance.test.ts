import { channelConformance } from "./conformance.fixture.ts";
import { simulatedFeishu } from "./platforms/feishu.fixture.ts";
import { simulatedSlack } from "./platforms/slack.fixture.ts";
import { simulatedWebhook } from "./platforms/webhook.fixture.ts";
import { simulatedWecom } from "./platforms/wecom.fixture.ts";

channelConformance("Feishu", () => simulatedFeishu());
channelConformance("Feishu with a token alone", () => simulatedFeishu({ secrets: ["verification_token"] }));
channelConformance("Feishu with a key alone", () => simulatedFeishu({ secrets: ["encrypt_key"] }));
channelConformance("Feishu with old callbacks", () => simulatedFeishu({ callbacks: "legacy" }));
channelConformance("Slack", () => simulatedSlack());
channelConformance("WeCom", () => simulatedWecom());
channelConformance("Webhook", () => simulatedWebhook());
