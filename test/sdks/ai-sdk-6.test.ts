import { aiSdkDriver } from "./ai-sdk-driver.ts";
import { aiSdkTraps } from "./ai-sdk-traps.ts";
import { conformance } from "./conformance.ts";

conformance(aiSdkDriver("ai-6"));
aiSdkTraps("ai-6");
