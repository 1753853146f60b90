import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { anthropicWire } from "./anthropic-wire.ts";
import type { Answer, ToolCall, ToolResult, Turn, Wire } from "./wire.ts";

/** What the model answers to one request. */
export type Step = { readonly text: string } | { readonly text?: string; readonly tools: readonly ToolCall[] };

export interface ModelScript {
  /** The conversation with the person. */
  readonly script: readonly Step[];
  /** Conversations that sub-agents open: each is known by a text in its first user message. */
  readonly subAgents?: readonly { readonly opening: string; readonly script: readonly Step[] }[];
}

export interface RecordedRequest {
  readonly path: string;
  /** main, the opening of a sub-agent's conversation, side (a turn without tools) or other (no turn). */
  readonly lane: string;
  readonly body: unknown;
  readonly turn?: Turn;
  readonly answer?: Answer;
}

export interface ScriptedModel {
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  /** What the model was told about its tool calls, by the id of the call, over all conversations. */
  toolResults(): ReadonlyMap<string, ToolResult>;
  /** Each text the model was given, once, in order: of one lane, or of every conversation. */
  textsSentToModel(lane?: string): readonly string[];
  close(): Promise<void>;
}

/** A model on loopback that plays a script and remembers all it was told. */
export async function startScriptedModel(script: ModelScript, wire: Wire = anthropicWire): Promise<ScriptedModel> {
  const requests: RecordedRequest[] = [];
  const play = player(script);

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error as Error));
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? "/", "http://loopback").pathname;
    const raw = await text(request);
    const body: unknown = raw === "" ? undefined : JSON.parse(raw);
    const turn = body === undefined ? undefined : wire.readTurn(path, body);
    if (turn === undefined) {
      requests.push({ path, lane: "other", body });
      const other = wire.answerOther(path);
      response.writeHead(other ? 200 : 404, { "content-type": "application/json" }).end(JSON.stringify(other ?? {}));
      return;
    }
    const { lane, answer } = play(turn);
    requests.push({ path, lane, body, turn, answer });
    wire.sendAnswer(response, body, answer);
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const turns = () => requests.flatMap(({ lane, turn }) => (turn ? [{ lane, turn }] : []));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    toolResults: () =>
      new Map(turns().flatMap(({ turn }) => turn.toolResults.map((result) => [result.toolUseId, result]))),
    textsSentToModel: (only) => [
      ...new Set(turns().flatMap(({ lane, turn }) => (only === undefined || lane === only ? turn.texts : []))),
    ],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Each lane goes through its own steps; a side request gets "ok" and moves nothing on. */
function player({ script, subAgents = [] }: ModelScript): (turn: Turn) => { lane: string; answer: Answer } {
  const played = new Map<string, number>();
  let messages = 0;
  let calls = 0;

  function answerWith(step: Step): Answer {
    const tools = "tools" in step ? step.tools : [];
    return {
      id: `msg_${++messages}`,
      ...(step.text === undefined ? {} : { text: step.text }),
      tools: tools.map((call) => ({ ...call, id: call.id ?? `toolu_${++calls}` })),
    };
  }

  return (turn) => {
    if (!turn.offersTools) return { lane: "side", answer: answerWith({ text: "ok" }) };
    const subAgent = subAgents.find(({ opening }) => turn.opening.includes(opening));
    const lane = subAgent?.opening ?? "main";
    const index = played.get(lane) ?? 0;
    played.set(lane, index + 1);
    const step = (subAgent?.script ?? script)[index] ?? { text: "(the script is over)" };
    return { lane, answer: answerWith(step) };
  };
}
