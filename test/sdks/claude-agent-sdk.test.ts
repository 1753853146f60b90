import { conformance } from "./conformance.ts";
import { claudeAgentSdk } from "./claude-agent-sdk.driver.ts";

conformance(claudeAgentSdk);
