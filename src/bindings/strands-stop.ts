/**
 * How a turn comes to its end. Mostly by the model's last words; but tools end one too, without another word of the model:
 * an agent asked with `delegate: true`, a hook of the program's, or an answer in the structure that was asked for.
 */
import type { Json } from "../core/json.ts";

interface Block {
  readonly type?: string;
  readonly text?: string;
}

/** How a request to the model ended. */
export interface ModelStop {
  readonly stopReason: string;
  readonly message: { readonly content: readonly Block[] };
}

export interface NewMessage {
  readonly role: string;
  readonly content: readonly Block[];
}

/** Where a message ends a turn in which the model asked for tools last: as if the model had said it. */
export function stopByTools(last: ModelStop | undefined, added: NewMessage): ModelStop | undefined {
  if (last?.stopReason !== "toolUse") return undefined;
  if (added.role === "assistant" && !added.content.some(isToolUse)) return { stopReason: "endTurn", message: added };
  const structure = structureIn(last, added);
  if (structure === undefined) return undefined;
  return { stopReason: "endTurn", message: { content: [{ text: JSON.stringify(structure) }] } };
}

/** As the SDK finds it: only then does it end the turn. */
function structureIn(last: ModelStop, added: NewMessage): Json | undefined {
  const asked = last.message.content.filter(isToolUse).find(({ name }) => name === "strands_structured_output");
  const given = added.content
    .filter(isToolResult)
    .find(({ toolUseId, status }) => toolUseId === asked?.toolUseId && status === "success");
  return given?.content[0]?.json;
}

const isToolUse = (block: Block): block is ToolUse => block.type === "toolUseBlock";
interface ToolUse extends Block {
  readonly name: string;
  readonly toolUseId: string;
}

const isToolResult = (block: Block): block is ToolResult => block.type === "toolResultBlock";
interface ToolResult extends Block {
  readonly toolUseId: string;
  readonly status: string;
  readonly content: readonly { readonly json?: Json }[];
}
