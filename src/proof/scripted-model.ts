import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { sendJson } from "./reply.ts";
import { type RequestBody, readBody } from "./request-body.ts";
import { type ModelScript, playScript, rejectWhatCannotBeSent } from "./script.ts";
import type { Answer, CallsMade, ToolResult, Turn, Wire } from "./wire.ts";

export interface RecordedRequest {
  readonly path: string;
  /** main, the opening of a sub-agent's conversation, side (a turn without tools), other (no turn) or unreadable. */
  readonly lane: string;
  /** The JSON of the request; of an unreadable one the text. */
  readonly body: unknown;
  readonly turn?: Turn;
  readonly answer?: Answer;
  /** Why the request was unreadable. */
  readonly problem?: string;
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
export async function startScriptedModel(script: ModelScript, wire: Wire): Promise<ScriptedModel> {
  rejectWhatCannotBeSent(script, wire);
  const requests: RecordedRequest[] = [];
  const player = playScript(script);

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error as Error));
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? "/", "http://loopback").pathname;
    const reading = readRequest(wire, path, await readBody(request), player.callsMade);
    if (reading.kind === "unreadable") {
      requests.push({ path, lane: "unreadable", body: reading.body, problem: reading.problem });
      sendJson(response, { error: { message: reading.problem } }, 400);
      return;
    }
    if (reading.kind === "other") {
      requests.push({ path, lane: "other", body: reading.body });
      const other = wire.answerOther(path);
      if (other) sendJson(response, other);
      else sendJson(response, { error: { message: `The scripted model has nothing at ${path}.` } }, 404);
      return;
    }
    const { turn, body } = reading;
    const { lane, answer } = player.answer(turn);
    requests.push({ path, lane, body, turn, answer });
    wire.sendAnswer(response, { path, body }, answer);
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

type Reading =
  | { readonly kind: "turn"; readonly body: unknown; readonly turn: Turn }
  | { readonly kind: "other"; readonly body: unknown }
  | { readonly kind: "unreadable"; readonly body: unknown; readonly problem: string };

function readRequest(wire: Wire, path: string, body: RequestBody, callsMade: CallsMade): Reading {
  if (body.kind === "empty") return { kind: "other", body: undefined };
  if (body.kind === "unreadable") return { kind: "unreadable", body: body.raw, problem: body.problem };
  try {
    const turn = wire.readTurn({ path, body: body.json }, callsMade);
    return turn ? { kind: "turn", body: body.json, turn } : { kind: "other", body: body.json };
  } catch (error) {
    // JSON of another shape than the wire's: the host must hear of it, as it would from the real API.
    return { kind: "unreadable", body: body.json, problem: String(error) };
  }
}
