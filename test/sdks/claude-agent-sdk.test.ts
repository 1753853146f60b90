import { claudeAgentSdk } from "./claude-agent-sdk-driver.ts";
import { conformance } from "./conformance.ts";

conformance(claudeAgentSdk);
