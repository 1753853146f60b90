/** The result of a call as hooks left it. */
import type { Json } from "../core/json.ts";
import { reminder } from "./reminder.ts";
import type { AfterToolCall, StrandsSdk } from "./strands-shapes.ts";
import { isInBlocks, type ToolResult } from "./strands-values.ts";

export const errorResult = (
  { TextBlock, ToolResultBlock }: StrandsSdk,
  toolUseId: string,
  reason: string,
): ToolResult => new ToolResultBlock({ toolUseId, status: "error", content: [new TextBlock(`Error: ${reason}`)] });

export function replaceResult(sdk: StrandsSdk, event: AfterToolCall, output: Json, failed: boolean): void {
  const { JsonBlock, TextBlock, ToolResultBlock } = sdk;
  const blocks = isInBlocks(event.result) ? blocksOf(sdk, event, output) : undefined;
  const content = blocks ?? [typeof output === "string" ? new TextBlock(output) : new JsonBlock({ json: output })];
  const { toolUseId } = event.toolUse;
  event.result = new ToolResultBlock({ toolUseId, status: failed ? "error" : "success", content });
}

/** F-15: a rewrite of blocks stays in blocks, where it is still made of such. */
function blocksOf({ ToolResultBlock }: StrandsSdk, { toolUse }: AfterToolCall, output: Json): unknown {
  if (!Array.isArray(output)) return undefined;
  const { toolUseId } = toolUse;
  try {
    return ToolResultBlock.fromJSON({ toolResult: { toolUseId, status: "success", content: output } }).content;
  } catch {
    return undefined;
  }
}

export function addContext(sdk: StrandsSdk, event: AfterToolCall, context: readonly string[]): void {
  if (context.length === 0) return;
  const { TextBlock, ToolResultBlock } = sdk;
  const { status, content } = event.result;
  const { toolUseId } = event.toolUse;
  const told = [...content, new TextBlock(reminder(context))];
  event.result = new ToolResultBlock({ toolUseId, status, content: told });
}
