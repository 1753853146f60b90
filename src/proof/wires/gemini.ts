import { isDeepStrictEqual } from "node:util";
import { type Message, readConversation } from "../conversation.ts";
import { sendEvents, sendJson } from "../reply.ts";
import type { Answer, IdentifiedCall, ToolResult, Wire } from "../wire.ts";

/** The Gemini API, as far as a host needs it. */
export const geminiWire: Wire = {
  name: "Gemini",
  carries: [],

  readTurn({ path, body }, callsMade) {
    if (!/:(streamGenerate|generate)Content$/.test(path)) return undefined;
    const { systemInstruction, tools = [], contents } = body as GenerateRequest;
    const conversation = readConversation([
      { from: "host", texts: systemInstruction === undefined ? [] : textsOf(systemInstruction) },
      ...contents.map(messageOf),
    ]);
    return {
      offersTools: tools.length > 0,
      ...conversation,
      toolResults: toolResultsOf(contents, callsMade(conversation.opening)),
    };
  },

  sendAnswer(response, { path }, answer) {
    const body = generatedFrom(answer);
    if (path.endsWith(":streamGenerateContent")) sendEvents(response, [{ data: JSON.stringify(body) }]);
    else sendJson(response, body);
  },

  answerOther(path) {
    return path.endsWith(":countTokens") ? { totalTokens: 100 } : undefined;
  },
};

interface GenerateRequest {
  readonly systemInstruction?: Content;
  readonly tools?: readonly unknown[];
  readonly contents: readonly Content[];
}

interface Content {
  readonly role?: string;
  readonly parts: readonly Part[];
}

interface Part {
  readonly text?: string;
  readonly functionCall?: FunctionCall;
  readonly functionResponse?: FunctionResponse;
}

/** The ids are the host's own, made up on its side; it may send none. */
interface FunctionCall {
  readonly id?: string;
  readonly name: string;
  readonly args?: object;
}

interface FunctionResponse {
  readonly id?: string;
  readonly name: string;
  readonly response: Readonly<Record<string, unknown>>;
}

function messageOf(content: Content): Message {
  return { from: content.role === "model" ? "model" : "user", texts: textsOf(content) };
}

function textsOf({ parts }: Content): string[] {
  return parts.flatMap(({ text, functionResponse }) => {
    if (text !== undefined) return [text];
    return functionResponse === undefined ? [] : [textOfResponse(functionResponse)];
  });
}

function textOfResponse({ response }: FunctionResponse): string {
  return Object.values(response)
    .map((value) => (typeof value === "string" ? value : JSON.stringify(value)))
    .join("\n");
}

/** The script's ids never went out: they are found again by what was called, in the order it was called. */
function toolResultsOf(contents: readonly Content[], made: readonly IdentifiedCall[]): ToolResult[] {
  const unseen = [...made];
  const open: OpenCall[] = [];
  const results: ToolResult[] = [];
  for (const { functionCall, functionResponse } of contents.flatMap(({ parts }) => parts)) {
    if (functionCall) {
      const { id: hostId, name } = functionCall;
      open.push({ hostId, name, id: takeCall(unseen, functionCall)?.id ?? hostId ?? name });
    }
    if (functionResponse) {
      results.push({
        toolUseId: takeOpen(open, functionResponse)?.id ?? functionResponse.id ?? functionResponse.name,
        isError: "error" in functionResponse.response,
        text: textOfResponse(functionResponse),
      });
    }
  }
  return results;
}

interface OpenCall {
  readonly id: string;
  readonly hostId: string | undefined;
  readonly name: string;
}

/** By name alone when no input fits: a hook may have changed it. */
function takeCall(unseen: IdentifiedCall[], { name, args = {} }: FunctionCall): IdentifiedCall | undefined {
  return (
    takeFirst(unseen, (call) => call.name === name && isDeepStrictEqual(call.input, args)) ??
    takeFirst(unseen, (call) => call.name === name)
  );
}

function takeOpen(open: OpenCall[], { id, name }: FunctionResponse): OpenCall | undefined {
  return (
    takeFirst(open, ({ hostId }) => id !== undefined && hostId === id) ?? takeFirst(open, (call) => call.name === name)
  );
}

function takeFirst<Item>(items: Item[], matches: (item: Item) => boolean): Item | undefined {
  const index = items.findIndex(matches);
  return index === -1 ? undefined : items.splice(index, 1)[0];
}

function generatedFrom({ text, tools }: Answer): object {
  const calls = tools.map(({ name, input }) => ({ functionCall: { name, args: input } }));
  const parts = text === undefined ? calls : [{ text }, ...calls];
  return {
    candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 },
    modelVersion: "scripted",
  };
}
