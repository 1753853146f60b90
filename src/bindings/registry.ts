/** Every binding, for whoever shows what they can do. */
import { support as aiSdk } from "./ai-sdk-support.ts";
import { support as claudeAgentSdk } from "./claude-agent-sdk-support.ts";
import { support as langchain } from "./langchain-support.ts";
import { support as mcpProxy } from "./mcp-proxy-support.ts";
import { support as openAiAgents } from "./openai-agents-support.ts";
import { support as strands } from "./strands-support.ts";
import type { SupportTable } from "./support.ts";

export interface Binding {
  readonly title: string;
  /** What a program imports. */
  readonly module: string;
  /** Versions the conformance suite runs on. */
  readonly proven: string;
  readonly support: SupportTable;
}

export const BINDINGS: readonly Binding[] = [
  { title: "Vercel AI SDK", module: "holdfast/ai-sdk", proven: "ai 6.0.326 and 7.0.169", support: aiSdk },
  {
    title: "LangChain and LangGraph",
    module: "holdfast/langchain",
    proven: "langchain 1.5.14, @langchain/langgraph 1.4.18",
    support: langchain,
  },
  {
    title: "OpenAI Agents",
    module: "holdfast/openai-agents",
    proven: "@openai/agents 0.20.0",
    support: openAiAgents,
  },
  {
    title: "Claude Agent SDK",
    module: "holdfast/claude-agent-sdk",
    proven: "@anthropic-ai/claude-agent-sdk 0.3.325",
    support: claudeAgentSdk,
  },
  { title: "Strands", module: "holdfast/strands", proven: "@strands-agents/sdk 1.19.0", support: strands },
  {
    title: "MCP proxy",
    module: "holdfast/mcp-proxy",
    proven: "@modelcontextprotocol/sdk 1.32.2",
    support: mcpProxy,
  },
];
