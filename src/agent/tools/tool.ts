/** A tool of the agent: what it is for, what it takes, what it does. */
import { checkFields, type Fields, toJsonSchema } from "../../core/fields.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { ToolDescription } from "../../embed/tools.ts";
import type { OfferedTool } from "../model.ts";

export interface Tool {
  readonly name: string;
  /** For the model. */
  readonly description: string;
  /** What it does, for hooks. Absent: something else; tools called `mcp__server__tool` are known by their name. */
  readonly does?: Omit<ToolDescription, "problem">;
  readonly input: Fields;
  /** Whether the agent asks before it runs this; absent: by what it does and the permission mode. */
  readonly needsPermission?: boolean;
  /** Throws where it fails. */
  run(input: JsonObject, at: ToolPlace): Promise<Json> | Json;
}

/** Where a call runs. */
export interface ToolPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly callId: string;
  /** For a tool whose input is changed while it runs: what it ran with in the end. */
  ranWith(input: JsonObject): void;
}

export function inputProblem({ input: fields }: Tool, input: JsonObject): string | undefined {
  const problems = checkFields(input, fields).map(({ path, message }) => `${path.join(".")}: ${message}`);
  return problems.length === 0 ? undefined : problems.slice(0, 3).join("; ");
}

export const describedForHooks = (tool: Tool): ToolDescription => ({
  kind: "other",
  ...tool.does,
  problem: (input) => inputProblem(tool, input),
});

export const offeredToModel = ({ name, description, input }: Tool): OfferedTool => ({
  name,
  description,
  schema: toJsonSchema(input) as JsonObject,
});
