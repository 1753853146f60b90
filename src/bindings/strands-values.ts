/** Prompts, answers and results as the Strands SDK passes them. */
import type { Json } from "../core/json.ts";
import type { PersonAnswer } from "../embed/tool-call.ts";

export interface ToolResult {
  readonly status: "success" | "error";
  readonly content: readonly { readonly type: string; readonly text?: string; readonly json?: Json }[];
}

export const isPlain = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** The text of a prompt: of all messages, which are all new. Undefined where the arguments answer an interrupt or resume a checkpoint. */
export function promptOf(args: unknown): string | undefined {
  if (typeof args === "string") return args;
  if (!Array.isArray(args)) return undefined;
  if (args.some((item) => isRecord(item) && "interruptResponse" in item)) return undefined;
  const blocks = args.flatMap((item: unknown): readonly unknown[] => {
    if (!isRecord(item) || !Array.isArray(item.content)) return [item];
    return item.role === "assistant" ? [] : item.content;
  });
  return blocks.flatMap((block) => (isRecord(block) && typeof block.text === "string" ? [block.text] : [])).join("\n");
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** Only a plain yes is one. */
export function answerOf(response: unknown): PersonAnswer {
  if (response === true || (isRecord(response) && response.allow === true)) return { allow: true };
  const reason = isRecord(response) && typeof response.reason === "string" ? response.reason : undefined;
  return reason === undefined ? { allow: false } : { allow: false, reason };
}

/** One text or one value as itself; anything else as the blocks it is made of. */
export function responseOf(result: ToolResult): Json {
  if (isInBlocks(result)) return JSON.parse(JSON.stringify(result.content)) as Json;
  const [only] = result.content;
  return only?.json === undefined ? result.content.map(({ text }) => text).join("\n") : only.json;
}

/** Hooks then see the blocks, a picture among them, and may change one. */
export function isInBlocks({ content }: ToolResult): boolean {
  const [only] = content;
  if (only && content.length === 1 && only.json !== undefined) return false;
  return content.some(({ text }) => text === undefined);
}
