/** The other ways in which an app of Feishu can be set up. */
import { channelConformance } from "../conformance.fixture.ts";
import { simulatedFeishu } from "../platforms/feishu.fixture.ts";

channelConformance("Feishu with a token alone", () => simulatedFeishu({ secrets: ["verification_token"] }));
channelConformance("Feishu with a key alone", () => simulatedFeishu({ secrets: ["encrypt_key"] }));
channelConformance("Feishu with old callbacks", () => simulatedFeishu({ callbacks: "legacy" }));
channelConformance("Feishu with old callbacks and a token alone", () =>
  simulatedFeishu({ callbacks: "legacy", secrets: ["verification_token"] }),
);
