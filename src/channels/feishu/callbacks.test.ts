/** The other secrets that an app of Feishu can have. */
import { clickConformance } from "../conformance.fixture.ts";
import { simulatedFeishu } from "../platforms/feishu.fixture.ts";

clickConformance("Feishu with a token alone", () => simulatedFeishu({ secrets: ["verification_token"] }));
clickConformance("Feishu with a key alone", () => simulatedFeishu({ secrets: ["encrypt_key"] }));
