import { type Message, readConversation } from "../conversation.ts";
import { type ServerSentEvent, sendEvents, sendJson } from "../reply.ts";
import type { Answer, IdentifiedCall, ToolResult, Wire } from "../wire.ts";

/** OpenAI's Responses API, as far as Codex needs it. */
export const responsesWire: Wire = {
  name: "Responses",
  carries: ["namespace", "freeform"],

  readTurn({ path, body }) {
    if (!path.endsWith("/responses")) return undefined;
    const { instructions, tools = [], input } = body as ResponsesRequest;
    const items = typeof input === "string" ? [{ role: "user", content: input }] : input;
    return {
      offersTools: tools.length > 0 || items.some(({ type }) => type === "additional_tools"),
      ...readConversation([{ from: "host", texts: textsOf(instructions) }, ...items.map(messageOf)]),
      toolResults: items.flatMap(toolResultsOf),
    };
  },

  sendAnswer(response, { body }, answer) {
    const { model, stream } = body as ResponsesRequest;
    if (stream) sendEvents(response, streamOf(model, answer));
    else sendJson(response, responseOf(model, answer, "completed"));
  },

  answerOther(path) {
    if (path.endsWith("/responses/compact")) return { output: [{ type: "compaction", encrypted_content: "scripted" }] };
    return path.endsWith("/models") ? { object: "list", data: [], models: [] } : undefined;
  },
};

interface ResponsesRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly instructions?: string;
  readonly tools?: readonly unknown[];
  readonly input: string | readonly RequestItem[];
}

interface RequestItem {
  /** A message may leave it out. */
  readonly type?: string;
  readonly role?: string;
  readonly call_id?: string;
  readonly content?: Content;
  readonly output?: Content;
}

type Content = string | readonly { readonly text?: string }[];

function messageOf(item: RequestItem): Message {
  if (item.role === "user") return { from: "user", texts: textsOf(item.content) };
  if (isOutput(item)) return { from: "host", texts: textsOf(item.output) };
  // What has no role is the model's own: its calls and its reasoning.
  if (item.role === undefined && item.type !== "additional_tools") return { from: "model", texts: [] };
  return { from: item.role === "assistant" ? "model" : "host", texts: textsOf(item.content) };
}

function isOutput({ type }: RequestItem): boolean {
  return type?.endsWith("_call_output") === true;
}

function textsOf(content: Content | null | undefined): string[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return [content];
  return content.flatMap(({ text }) => (text === undefined ? [] : [text]));
}

/** Whether a tool failed has no field here: hosts say so in the text. */
function toolResultsOf(item: RequestItem): ToolResult[] {
  return isOutput(item) && item.call_id !== undefined
    ? [{ toolUseId: item.call_id, isError: false, text: textsOf(item.output).join("\n") }]
    : [];
}

const usage = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 120,
};

function responseOf(model: string, answer: Answer, status: "in_progress" | "completed"): object {
  const ended = status === "completed";
  return {
    id: `resp_${answer.id}`,
    object: "response",
    created_at: 0,
    status,
    model,
    output: ended ? itemsOf(answer) : [],
    ...(ended ? { usage } : {}),
  };
}

type AnswerItem =
  | { readonly type: "message"; readonly id: string; readonly content: readonly [OutputText]; readonly role: string }
  | { readonly type: "function_call"; readonly id: string; readonly arguments: string }
  | { readonly type: "custom_tool_call"; readonly id: string; readonly input: string };

interface OutputText {
  readonly type: "output_text";
  readonly text: string;
  readonly annotations: readonly [];
}

function itemsOf({ id, text, tools }: Answer): AnswerItem[] {
  const calls = tools.map(callItem);
  if (text === undefined) return calls;
  return [{ type: "message", id, role: "assistant", content: [outputText(text)], ...completed }, ...calls];
}

const completed = { status: "completed" };

function outputText(text: string): OutputText {
  return { type: "output_text", text, annotations: [] };
}

function callItem({ id, name, namespace, input, freeform }: IdentifiedCall): AnswerItem {
  const call = { call_id: id, name, ...(namespace === undefined ? {} : { namespace }), ...completed };
  return freeform === undefined
    ? { type: "function_call", id: `fc_${id}`, ...call, arguments: JSON.stringify(input) }
    : { type: "custom_tool_call", id: `ctc_${id}`, ...call, input: freeform };
}

function streamOf(model: string, answer: Answer): ServerSentEvent[] {
  const events = [
    { type: "response.created", response: responseOf(model, answer, "in_progress") },
    ...itemsOf(answer).flatMap(itemEvents),
    { type: "response.completed", response: responseOf(model, answer, "completed") },
  ];
  return events.map((event, sequence_number) => ({
    event: event.type,
    data: JSON.stringify({ ...event, sequence_number }),
  }));
}

type StreamEvent = { readonly type: string; readonly [field: string]: unknown };

/** An item opens empty, is filled by a delta and comes once more whole: that is how the API streams. */
function itemEvents(item: AnswerItem, output_index: number): StreamEvent[] {
  const { empty, filling } = openingAndFilling(item);
  const place = { item_id: item.id, output_index };
  return [
    { type: "response.output_item.added", output_index, item: { ...item, ...empty, status: "in_progress" } },
    ...filling.map((event) => ({ ...event, ...place })),
    { type: "response.output_item.done", output_index, item },
  ];
}

function openingAndFilling(item: AnswerItem): { readonly empty: object; readonly filling: readonly StreamEvent[] } {
  switch (item.type) {
    case "message": {
      const [part] = item.content;
      return {
        empty: { content: [] },
        filling: [
          { type: "response.content_part.added", content_index: 0, part: outputText("") },
          { type: "response.output_text.delta", content_index: 0, delta: part.text },
          { type: "response.output_text.done", content_index: 0, text: part.text },
          { type: "response.content_part.done", content_index: 0, part },
        ],
      };
    }
    case "function_call":
      return {
        empty: { arguments: "" },
        filling: [
          { type: "response.function_call_arguments.delta", delta: item.arguments },
          { type: "response.function_call_arguments.done", arguments: item.arguments },
        ],
      };
    case "custom_tool_call":
      return {
        empty: { input: "" },
        filling: [
          { type: "response.custom_tool_call_input.delta", delta: item.input },
          { type: "response.custom_tool_call_input.done", input: item.input },
        ],
      };
  }
}
