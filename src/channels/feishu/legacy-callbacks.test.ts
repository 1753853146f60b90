/** The older form of Feishu's callbacks, which many apps still get. */
import { clickConformance } from "../conformance.fixture.ts";
import { simulatedFeishu } from "../platforms/feishu.fixture.ts";

clickConformance("Feishu with old callbacks", () => simulatedFeishu({ callbacks: "legacy" }));
clickConformance("Feishu with old callbacks and a token alone", () =>
  simulatedFeishu({ callbacks: "legacy", secrets: ["verification_token"] }),
);
