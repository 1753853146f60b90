import { agentModelSuite } from "../agent-model.ts";

agentModelSuite("ai-7");
