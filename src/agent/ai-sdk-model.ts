/** Any model of the Vercel AI SDK (`ai` 6 or 7, an optional peer), one step at a time: the loop stays ours. */
import { randomUUID } from "node:crypto";
import type { JsonObject } from "../core/json.ts";
import { inputOf, type Message } from "./message.ts";
import type { Model, OfferedTool } from "./model.ts";

/** The part of `ai` that is used. */
export interface AiSdk {
  generateText(options: Record<string, unknown>): Promise<GeneratedText>;
  jsonSchema(schema: object): unknown;
}

interface GeneratedText {
  readonly text: string;
  readonly toolCalls: readonly { readonly toolCallId: string; readonly toolName: string; readonly input: unknown }[];
}

/** A model object of any provider package, or an id that the SDK resolves itself. */
export type LanguageModel = string | { readonly modelId: string };

/** `sdk`: the module itself, where `ai` cannot be found from here. */
export function aiSdkModel(model: LanguageModel, { sdk }: { readonly sdk?: AiSdk } = {}): Model {
  let loaded = sdk;
  return {
    id: typeof model === "string" ? model : model.modelId,
    async answer({ messages, tools, signal }) {
      loaded ??= await loadSdk();
      const { text, toolCalls } = await loaded.generateText({
        model,
        ...promptOf(messages),
        ...(tools.length > 0 ? { tools: offered(tools, loaded) } : {}),
        abortSignal: signal,
      });
      const calls = toolCalls.map(({ toolCallId, toolName, input }) => ({
        id: toolCallId || randomUUID(),
        name: toolName,
        input: inputOf(input),
      }));
      return { text, calls };
    },
  };
}

/** In a variable: the compiler need not have the package, and neither need those who bring a model of their own. */
const PACKAGE = "ai";

async function loadSdk(): Promise<AiSdk> {
  try {
    return (await import(PACKAGE)) as AiSdk;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`the package "ai" cannot be loaded: npm install ai, or pass { sdk } (${why})`);
  }
}

/** Without `execute`: the SDK hands the calls back, and they go through our gate. */
const offered = (tools: readonly OfferedTool[], sdk: AiSdk) =>
  Object.fromEntries(
    tools.map(({ name, description, schema }) => [name, { description, inputSchema: sdk.jsonSchema(schema) }]),
  );

function promptOf(messages: readonly Message[]): JsonObject {
  const system = messages.flatMap((message) => (message.role === "system" ? [message.text] : []));
  return {
    ...(system.length > 0 ? { system: system.join("\n\n") } : {}),
    messages: messages.flatMap(asModelMessage),
  };
}

function asModelMessage(message: Message): JsonObject[] {
  switch (message.role) {
    case "system":
      return [];
    case "user":
      return [{ role: "user", content: message.text }];
    case "assistant": {
      const calls = message.calls.map(({ id, name, input }) => ({
        type: "tool-call",
        toolCallId: id,
        toolName: name,
        input,
      }));
      const text = message.text === "" && calls.length > 0 ? [] : [{ type: "text", text: message.text }];
      return [{ role: "assistant", content: [...text, ...calls] }];
    }
    case "tool": {
      const output = { type: message.failed ? "error-text" : "text", value: message.text };
      const { callId: toolCallId, name: toolName } = message;
      return [{ role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] }];
    }
  }
}
