import { type Message, readConversation } from "../conversation.ts";
import { sendEvents, sendJson } from "../reply.ts";
import type { Answer, ToolResult, Wire } from "../wire.ts";

/** The Anthropic Messages API, as far as a host needs it. */
export const anthropicWire: Wire = {
  name: "Anthropic Messages",
  carries: [],

  readTurn({ path, body }) {
    if (!path.endsWith("/v1/messages")) return undefined;
    const { system, tools = [], messages } = body as MessagesRequest;
    return {
      offersTools: tools.length > 0,
      ...readConversation([{ from: "host", texts: textsOf(system) }, ...messages.map(messageOf)]),
      toolResults: messages.flatMap((message) => toolResultsOf(message.content)),
    };
  },

  sendAnswer(response, { body }, answer) {
    const { model, stream } = body as MessagesRequest;
    if (stream) {
      const events = streamOf(model, answer);
      sendEvents(
        response,
        events.map((event) => ({ event: event.type, data: JSON.stringify(event) })),
      );
    } else sendJson(response, { ...emptyMessage(model, answer), content: blocksOf(answer), ...stopOf(answer) });
  },

  answerOther(path) {
    return path.endsWith("/count_tokens") ? { input_tokens: 100 } : undefined;
  },
};

interface MessagesRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly system?: Content;
  readonly tools?: readonly unknown[];
  readonly messages: readonly RequestMessage[];
}

interface RequestMessage {
  readonly role: string;
  readonly content: Content;
}

type Content = string | readonly RequestBlock[];

interface RequestBlock {
  readonly type: string;
  readonly text?: string;
  readonly tool_use_id?: string;
  readonly is_error?: boolean;
  readonly content?: Content;
}

const speakers: Readonly<Record<string, Message["from"]>> = { assistant: "model", user: "user" };

function messageOf({ role, content }: RequestMessage): Message {
  return { from: speakers[role] ?? "host", texts: textsOf(content) };
}

function textsOf(content: Content | undefined): string[] {
  if (content === undefined) return [];
  if (typeof content === "string") return [content];
  return content.flatMap((block) => (block.text !== undefined ? [block.text] : textsOf(block.content)));
}

function textOf(content: Content | undefined): string {
  return textsOf(content).join("\n");
}

function toolResultsOf(content: Content): ToolResult[] {
  if (typeof content === "string") return [];
  return content.flatMap(({ type, tool_use_id, is_error, content: result }) =>
    type === "tool_result" && tool_use_id !== undefined
      ? [{ toolUseId: tool_use_id, isError: is_error === true, text: textOf(result) }]
      : [],
  );
}

type AnswerBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: object };

function blocksOf(answer: Answer): AnswerBlock[] {
  const calls = answer.tools.map(({ id, name, input }) => ({ type: "tool_use" as const, id, name, input }));
  return answer.text === undefined ? calls : [{ type: "text", text: answer.text }, ...calls];
}

function emptyMessage(model: string, answer: Answer): object {
  return {
    id: answer.id,
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 100, output_tokens: 20 },
  };
}

function stopOf(answer: Answer): { stop_reason: string } {
  return { stop_reason: answer.tools.length > 0 ? "tool_use" : "end_turn" };
}

type StreamEvent = { readonly type: string; readonly [field: string]: unknown };

function streamOf(model: string, answer: Answer): StreamEvent[] {
  return [
    { type: "message_start", message: emptyMessage(model, answer) },
    ...blocksOf(answer).flatMap(blockEvents),
    { type: "message_delta", delta: { ...stopOf(answer), stop_sequence: null }, usage: { output_tokens: 20 } },
    { type: "message_stop" },
  ];
}

/** A block opens empty and is filled by a delta: that is how the API streams. */
function blockEvents(block: AnswerBlock, index: number): StreamEvent[] {
  const [empty, delta] =
    block.type === "text"
      ? [
          { ...block, text: "" },
          { type: "text_delta", text: block.text },
        ]
      : [
          { ...block, input: {} },
          { type: "input_json_delta", partial_json: JSON.stringify(block.input) },
        ];
  return [
    { type: "content_block_start", index, content_block: empty },
    { type: "content_block_delta", index, delta },
    { type: "content_block_stop", index },
  ];
}
