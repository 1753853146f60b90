/** The tools of an MCP server as it last described them. */
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { type SchemaProblem, schemaProblem } from "./json-schema.ts";

interface KnownTool {
  readonly inputProblem: SchemaProblem | undefined;
  readonly outputProblem: SchemaProblem | undefined;
}

export interface Catalogue {
  tool(name: string): KnownTool | undefined;
  /** Reads a page of tools/list on its way to the client. */
  learn(result: Json | undefined): void;
  /** Asks the server, once until it says that its tools changed. */
  load(list: (cursor: string | undefined) => Promise<Json | undefined>): Promise<void>;
  forget(): void;
}

const MAX_PAGES = 100;

export function catalogue(): Catalogue {
  const tools = new Map<string, KnownTool>();
  let loading: Promise<void> | undefined;

  const learn: Catalogue["learn"] = (result) => {
    if (!isJsonObject(result) || !Array.isArray(result.tools)) return;
    for (const tool of result.tools) {
      if (isJsonObject(tool) && typeof tool.name === "string") tools.set(tool.name, described(tool));
    }
  };

  async function loadAll(list: (cursor: string | undefined) => Promise<Json | undefined>): Promise<void> {
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const result = await list(cursor);
      learn(result);
      if (!isJsonObject(result) || typeof result.nextCursor !== "string") return;
      cursor = result.nextCursor;
    }
  }

  return {
    tool: (name) => tools.get(name),
    learn,
    load(list) {
      loading ??= loadAll(list).catch((error) => {
        loading = undefined;
        throw error;
      });
      return loading;
    },
    forget() {
      tools.clear();
      loading = undefined;
    },
  };
}

const described = ({ inputSchema, outputSchema }: JsonObject): KnownTool => ({
  inputProblem: isJsonObject(inputSchema) ? schemaProblem(inputSchema) : undefined,
  outputProblem: isJsonObject(outputSchema) ? schemaProblem(outputSchema) : undefined,
});
