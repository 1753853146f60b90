import { type Message, readConversation } from "../conversation.ts";
import { sendEvents, sendJson } from "../reply.ts";
import type { Answer, ToolResult, Wire } from "../wire.ts";

/** OpenAI's chat completions, as far as a host needs them. */
export const chatCompletionsWire: Wire = {
  name: "chat completions",
  carries: [],

  readTurn({ path, body }) {
    if (!path.endsWith("/chat/completions")) return undefined;
    const { tools = [], messages } = body as ChatRequest;
    return {
      offersTools: tools.length > 0,
      ...readConversation(messages.map(messageOf)),
      toolResults: messages.flatMap(toolResultsOf),
    };
  },

  sendAnswer(response, { body }, answer) {
    const { model, stream } = body as ChatRequest;
    if (stream) {
      const chunks = streamOf(model, answer).map((chunk) => ({ data: JSON.stringify(chunk) }));
      sendEvents(response, [...chunks, { data: "[DONE]" }]);
    } else sendJson(response, completionOf(model, answer));
  },

  answerOther(path) {
    return path.endsWith("/models")
      ? { object: "list", data: [{ id: "scripted", object: "model", created: 0, owned_by: "holdfast" }] }
      : undefined;
  },
};

interface ChatRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly tools?: readonly unknown[];
  readonly messages: readonly RequestMessage[];
}

interface RequestMessage {
  readonly role: string;
  readonly content?: string | null | readonly { readonly text?: string }[];
  readonly tool_call_id?: string;
}

const speakers: Readonly<Record<string, Message["from"]>> = { assistant: "model", user: "user" };

function messageOf(message: RequestMessage): Message {
  return { from: speakers[message.role] ?? "host", texts: textsOf(message) };
}

function textsOf({ content }: RequestMessage): string[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return [content];
  return content.flatMap(({ text }) => (text === undefined ? [] : [text]));
}

/** Whether a tool failed has no field here: hosts say so in the text. */
function toolResultsOf(message: RequestMessage): ToolResult[] {
  return message.role === "tool" && message.tool_call_id !== undefined
    ? [{ toolUseId: message.tool_call_id, isError: false, text: textsOf(message).join("\n") }]
    : [];
}

const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

function completionOf(model: string, answer: Answer): object {
  const calls = toolCallsOf(answer);
  const message = {
    role: "assistant",
    content: answer.text ?? null,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  return {
    id: answer.id,
    object: "chat.completion",
    created: 0,
    model,
    choices: [{ index: 0, message, finish_reason: finishOf(answer) }],
    usage,
  };
}

function streamOf(model: string, answer: Answer): object[] {
  const head = { id: answer.id, object: "chat.completion.chunk", created: 0, model };
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason }],
  });
  return [
    chunk({ role: "assistant", content: "" }),
    ...(answer.text === undefined ? [] : [chunk({ content: answer.text })]),
    ...toolCallsOf(answer).map((call, index) => chunk({ tool_calls: [{ index, ...call }] })),
    chunk({}, finishOf(answer)),
    { ...head, choices: [], usage },
  ];
}

function toolCallsOf({ tools }: Answer): object[] {
  return tools.map(({ id, name, input }) => ({
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }));
}

function finishOf({ tools }: Answer): string {
  return tools.length > 0 ? "tool_calls" : "stop";
}
