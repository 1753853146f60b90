/** The result of a call as hooks left it. */
import type { Json } from "../core/json.ts";
import { reminder } from "./reminder.ts";
import type { AfterToolCall, StrandsSdk } from "./strands-shapes.ts";
import type { ToolResult } from "./strands-values.ts";

export const errorResult = (
  { TextBlock, ToolResultBlock }: StrandsSdk,
  toolUseId: string,
  reason: string,
): ToolResult => new ToolResultBlock({ toolUseId, status: "error", content: [new TextBlock(`Error: ${reason}`)] });

export function replaceResult(sdk: StrandsSdk, event: AfterToolCall, output: Json, failed: boolean): void {
  const { JsonBlock, TextBlock, ToolResultBlock } = sdk;
  const content = [typeof output === "string" ? new TextBlock(output) : new JsonBlock({ json: output })];
  const { toolUseId } = event.toolUse;
  event.result = new ToolResultBlock({ toolUseId, status: failed ? "error" : "success", content });
}

export function addContext(sdk: StrandsSdk, event: AfterToolCall, context: readonly string[]): void {
  if (context.length === 0) return;
  const { TextBlock, ToolResultBlock } = sdk;
  const { status, content } = event.result;
  const { toolUseId } = event.toolUse;
  const told = [...content, new TextBlock(reminder(context))];
  event.result = new ToolResultBlock({ toolUseId, status, content: told });
}
