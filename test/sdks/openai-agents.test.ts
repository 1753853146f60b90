import { conformance } from "./conformance.ts";
import { openAiAgents } from "./openai-agents-driver.ts";

conformance(openAiAgents);
