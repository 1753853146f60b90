/** How an answer is obeyed: OpenCode goes by what a hook leaves in the objects it was handed. */
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import type { MessageOutput, ToolOutput } from "./plugin-api.ts";

/** Another object in its place would be ignored: the fields of the one that is there count. */
export function replaceFields(target: Record<string, unknown>, fields: JsonObject): void {
  for (const key of Object.keys(target)) if (!Object.hasOwn(fields, key)) delete target[key];
  Object.assign(target, fields);
}

/** A part of its own below the person's; parts are sorted by their id. */
export function addToPrompt(sessionID: string, output: MessageOutput, texts: readonly string[]): void {
  for (const text of texts) {
    const id = `${output.parts.at(-1)?.id ?? `prt_${output.message.id}`}h`;
    output.parts.push({ id, sessionID, messageID: output.message.id, type: "text", text, synthetic: true });
  }
}

/** What the tool returned, as the model would read it. */
export function textOf({ output, content }: ToolOutput): string {
  if (typeof output === "string") return output;
  const items: readonly unknown[] = Array.isArray(content) ? content : [];
  return items.flatMap((item) => (isJsonObject(item) && typeof item.text === "string" ? [item.text] : [])).join("\n");
}

/** All of it: images and what only the screen shows go too. */
export function replaceOutput(target: ToolOutput, text: string): void {
  if (Array.isArray(target.content)) target.content = [{ type: "text", text }];
  if (typeof target.output === "string") target.output = text;
  delete target.attachments;
  const { metadata } = target;
  if (!isJsonObject(metadata)) return;
  const shown: Record<string, Json> = metadata;
  for (const key of ["output", "preview"]) if (typeof shown[key] === "string") shown[key] = text;
  delete shown.display;
}

export function addToOutput(target: ToolOutput, texts: readonly string[]): void {
  for (const text of texts) {
    if (typeof target.output === "string") target.output = `${target.output}\n\n${text}`;
    else if (Array.isArray(target.content)) target.content = [...target.content, { type: "text", text }];
  }
}
