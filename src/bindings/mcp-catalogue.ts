/** The tools of an MCP server as it last described them. */
import { isJsonObject, type Json, type JsonObject, sameJson } from "../core/json.ts";
import { type SchemaProblem, schemaProblem } from "./json-schema.ts";
import { isTooDeep } from "./mcp-result.ts";

export interface KnownTool {
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

/** `onChange` hears of tools that are not described as they were: whoever agreed to one agreed to what it said then. */
export function catalogue(onChange: (remark: string) => void): Catalogue {
  const tools = new Map<string, KnownTool>();
  /** Also of tools that were forgotten: a list that changed is no reason to say nothing. */
  const descriptions = new Map<string, JsonObject>();
  let loading: Promise<void> | undefined;

  function remarkOnChange(name: string, before: JsonObject, now: JsonObject): void {
    if (isTooDeep([before, now])) return onChange(tooDeepTool(name));
    const changed = differing(before, now);
    if (changed.length > 0) onChange(changedTool(name, changed));
  }

  const learn: Catalogue["learn"] = (result) => {
    if (!isJsonObject(result) || !Array.isArray(result.tools)) return;
    for (const tool of result.tools) {
      if (!isJsonObject(tool) || typeof tool.name !== "string") continue;
      const before = descriptions.get(tool.name);
      if (before) remarkOnChange(tool.name, before, tool);
      descriptions.set(tool.name, tool);
      tools.set(tool.name, described(tool));
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

const differing = (before: JsonObject, now: JsonObject): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(now)])]
    .filter((key) => !sameJson(before[key] ?? null, now[key] ?? null))
    .sort();

const changedTool = (name: string, changed: readonly string[]) =>
  `the server says something else of its tool ${JSON.stringify(name)} than when it was listed before (${changed.join(", ")}): look at it again before you go on trusting it`;

const tooDeepTool = (name: string) =>
  `what the server says of its tool ${JSON.stringify(name)} is nested too deep to be compared with what it said before: look at it yourself before you go on trusting it`;

const described = ({ inputSchema, outputSchema }: JsonObject): KnownTool => ({
  inputProblem: isJsonObject(inputSchema) ? schemaProblem(inputSchema) : undefined,
  outputProblem: isJsonObject(outputSchema) ? schemaProblem(outputSchema) : undefined,
});
