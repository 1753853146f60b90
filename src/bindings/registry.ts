/** Every binding, for whoever shows what they can do. */
import { support as aiSdk } from "./ai-sdk.ts";
import { support as langchain } from "./langchain.ts";
import { support as mcpProxy } from "./mcp-proxy.ts";
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
    title: "MCP proxy",
    module: "holdfast/mcp-proxy",
    proven: "@modelcontextprotocol/sdk 1.32.2",
    support: mcpProxy,
  },
];
