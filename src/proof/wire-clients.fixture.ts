import type { Wire } from "./wire.ts";
import { anthropicWire } from "./wires/anthropic.ts";
import { chatCompletionsWire } from "./wires/chat-completions.ts";
import { geminiWire } from "./wires/gemini.ts";
import { responsesWire } from "./wires/responses.ts";

/** One message of a conversation, in no wire's words. */
export type Said =
  | { readonly by: "host" | "user" | "model"; readonly text: string }
  | { readonly by: "model"; readonly call: CallHeard }
  | { readonly by: "tool"; readonly call: CallHeard; readonly text: string; readonly failed: boolean };

export interface CallHeard {
  readonly id: string;
  readonly name: string;
  readonly input: object;
}

export interface AnswerHeard {
  readonly text: string;
  readonly calls: readonly CallHeard[];
}

/** The host's side of a wire: how it asks, and what it makes of the answer. */
export interface WireClient {
  readonly wire: Wire;
  /** Whether the wire has a field for a tool's failure. */
  readonly knowsFailures: boolean;
  path(stream: boolean): string;
  body(said: readonly Said[], tools: readonly object[]): object;
  /** The whole answer, or the events of a stream. */
  readAnswer(parts: readonly unknown[]): AnswerHeard;
}

const anthropic: WireClient = {
  wire: anthropicWire,
  knowsFailures: true,
  path: () => "/v1/messages",
  body: (said, tools) => ({
    system: said.flatMap((part) => (part.by === "host" ? [{ type: "text", text: part.text }] : [])),
    tools,
    messages: said.filter(({ by }) => by !== "host").map(anthropicMessage),
  }),
  readAnswer(parts) {
    const [first] = parts as [{ content?: AnthropicBlock[] }];
    if (first.content) return gather(first.content.map(({ text, ...call }) => ({ text, call })));
    const events = parts as { type: string; index: number; content_block?: AnthropicBlock; delta?: AnthropicDelta }[];
    const starts = events.filter(({ type }) => type === "content_block_start");
    const deltas = events.filter(({ type }) => type === "content_block_delta");
    return gather(
      starts.map(({ index, content_block }) => {
        const delta = deltas.find((event) => event.index === index)?.delta;
        return { text: delta?.text, call: { ...content_block, input: JSON.parse(delta?.partial_json ?? "{}") } };
      }),
    );
  },
};

type AnthropicBlock = { text?: string } & Partial<CallHeard>;
type AnthropicDelta = { text?: string; partial_json?: string };

function anthropicMessage(part: Said): object {
  if (part.by === "tool") {
    const { call, text, failed } = part;
    const content = [{ type: "text", text }];
    return { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, is_error: failed, content }] };
  }
  if ("call" in part) return { role: "assistant", content: [{ type: "tool_use", ...part.call }] };
  return { role: part.by === "model" ? "assistant" : part.by, content: part.text };
}

const chatCompletions: WireClient = {
  wire: chatCompletionsWire,
  knowsFailures: false,
  path: () => "/v1/chat/completions",
  body: (said, tools) => ({ tools, messages: said.map(chatMessage) }),
  readAnswer(parts) {
    const choices = (parts as { choices: { message?: ChatMessage; delta?: ChatMessage }[] }[]).flatMap(
      (part) => part.choices,
    );
    return gather(
      choices.flatMap(({ message, delta }) => {
        const { content, tool_calls = [] } = message ?? delta ?? {};
        const calls = tool_calls.map(({ id, function: { name, arguments: input } }) => ({
          call: { id, name, input: JSON.parse(input) },
        }));
        return [{ text: content ?? undefined }, ...calls];
      }),
    );
  },
};

interface ChatMessage {
  readonly content?: string | null;
  readonly tool_calls?: { readonly id: string; readonly function: { name: string; arguments: string } }[];
}

function chatMessage(part: Said): object {
  if (part.by === "tool") return { role: "tool", tool_call_id: part.call.id, content: part.text };
  if ("call" in part) {
    const { id, name, input } = part.call;
    const call = { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
    return { role: "assistant", content: null, tool_calls: [call] };
  }
  const roles = { host: "system", user: "user", model: "assistant" };
  return { role: roles[part.by], content: part.by === "user" ? [{ type: "text", text: part.text }] : part.text };
}

const responses: WireClient = {
  wire: responsesWire,
  knowsFailures: false,
  path: () => "/v1/responses",
  body: (said, tools) => ({ tools, input: said.map(responsesItem) }),
  readAnswer(parts) {
    const [first] = parts as [{ output?: ResponsesItem[] }];
    const events = parts as { type: string; item: ResponsesItem }[];
    const streamed = events.filter(({ type }) => type === "response.output_item.done").map(({ item }) => item);
    return gather(
      (first.output ?? streamed).map(({ content, call_id, name, arguments: input = "{}" }) => ({
        text: content?.[0]?.text,
        call: { id: call_id, name, input: JSON.parse(input) },
      })),
    );
  },
};

interface ResponsesItem {
  readonly content?: { readonly text: string }[];
  readonly call_id?: string;
  readonly name?: string;
  readonly arguments?: string;
}

function responsesItem(part: Said): object {
  if (part.by === "tool") return { type: "function_call_output", call_id: part.call.id, output: part.text };
  if ("call" in part) {
    const { id, name, input } = part.call;
    return { type: "function_call", call_id: id, name, arguments: JSON.stringify(input) };
  }
  const roles = { host: "developer", user: "user", model: "assistant" };
  const type = part.by === "model" ? "output_text" : "input_text";
  return { type: "message", role: roles[part.by], content: [{ type, text: part.text }] };
}

const gemini: WireClient = {
  wire: geminiWire,
  knowsFailures: true,
  path: (stream) => `/v1beta/models/m:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
  body: (said, tools) => ({
    systemInstruction: { parts: said.flatMap((part) => (part.by === "host" ? [{ text: part.text }] : [])) },
    tools,
    contents: said.filter(({ by }) => by !== "host").map(geminiContent),
  }),
  readAnswer(parts) {
    const chunks = parts as { candidates: { content: { parts: GeminiPart[] } }[] }[];
    return gather(
      chunks
        .flatMap(({ candidates }) => candidates.flatMap(({ content }) => content.parts))
        .map(({ text, functionCall }) => ({
          text,
          call: { id: "", name: functionCall?.name, input: functionCall?.args },
        })),
    );
  },
};

interface GeminiPart {
  readonly text?: string;
  readonly functionCall?: { readonly name: string; readonly args: object };
}

function geminiContent(part: Said): object {
  if (part.by === "tool") {
    const response = { [part.failed ? "error" : "output"]: part.text };
    return { role: "user", parts: [{ functionResponse: { name: part.call.name, response } }] };
  }
  if ("call" in part) {
    return { role: "model", parts: [{ functionCall: { name: part.call.name, args: part.call.input } }] };
  }
  return { role: part.by, parts: [{ text: part.text }] };
}

interface Piece {
  readonly text?: string | undefined;
  readonly call?: { readonly [Field in keyof CallHeard]?: CallHeard[Field] | undefined };
}

function gather(pieces: readonly Piece[]): AnswerHeard {
  return {
    text: pieces.map(({ text = "" }) => text).join(""),
    calls: pieces.flatMap(({ call }) =>
      call?.name === undefined ? [] : [{ id: call.id ?? "", name: call.name, input: call.input ?? {} }],
    ),
  };
}

export const wireClients: readonly WireClient[] = [anthropic, chatCompletions, responses, gemini];
