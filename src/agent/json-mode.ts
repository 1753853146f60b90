/** Tool calls for models that have none of their own: written as JSON in the text. */
import { randomUUID } from "node:crypto";
import { isJsonObject, type Json } from "../core/json.ts";
import { inputOf, type Message, type ToolRequest } from "./message.ts";
import type { Model, OfferedTool } from "./model.ts";

/** The same model, its calls read from its words. What it is shown and asked for is text alone. */
export function jsonMode(model: Model): Model {
  return {
    id: model.id,
    async answer({ messages, tools, signal }) {
      const shown: Message[] = [{ role: "system", text: instructions(tools) }, ...messages.map(asPlainText)];
      const { text } = await model.answer({ messages: shown, tools: [], signal });
      return read(text);
    },
  };
}

const instructions = (tools: readonly OfferedTool[]) =>
  [
    'To use tools, answer with one JSON object and nothing else: {"calls":[{"tool":"<name>","input":{…}}]}.',
    "Calls of one answer run in parallel. When you are done, answer in plain words.",
    "The tools:",
    ...tools.map(({ name, description, schema }) => `- ${name}: ${description} Input: ${JSON.stringify(schema)}`),
  ].join("\n");

function asPlainText(message: Message): Message {
  if (message.role === "tool") {
    const state = message.failed ? "failed" : "returned";
    return { role: "user", from: "agent", text: `${message.name} (${message.callId}) ${state}:\n${message.text}` };
  }
  if (message.role !== "assistant" || message.calls.length === 0) return message;
  const calls = message.calls.map(({ id, name, input }) => ({ id, tool: name, input }));
  return { role: "assistant", text: withText(message.text, JSON.stringify({ calls })), calls: [] };
}

const withText = (text: string, json: string) => (text === "" ? json : `${text}\n${json}`);

function read(text: string): { text: string; calls: readonly ToolRequest[] } {
  const calls = callsIn(text);
  return calls ? { text: "", calls } : { text, calls: [] };
}

/** undefined: the text is words, or JSON that asks for nothing we know. */
function callsIn(text: string): readonly ToolRequest[] | undefined {
  const [, fenced] = /^```(?:json)?\s*\n([\s\S]*?)\n```$/.exec(text.trim()) ?? [];
  let value: Json;
  try {
    value = JSON.parse(fenced ?? text) as Json;
  } catch {
    return undefined;
  }
  const asked = isJsonObject(value) ? (Array.isArray(value.calls) ? value.calls : [value]) : [];
  const calls = asked.flatMap((call: Json): ToolRequest[] =>
    isJsonObject(call) && typeof call.tool === "string"
      ? [{ id: randomUUID(), name: call.tool, input: call.input === undefined ? {} : inputOf(call.input) }]
      : [],
  );
  return calls.length > 0 && calls.length === asked.length ? calls : undefined;
}
