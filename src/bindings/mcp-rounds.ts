/**
 * Calls of MCP's revision 2026-07-28. There is no handshake and no question from the server: each request says which
 * revision it is of and what its client can, and what is missing is answered by the same call, made once more.
 */
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import type { PersonAnswer, Question } from "../embed/tool-call.ts";

export interface Round {
  /** The call's, the same in each of its rounds. */
  readonly callId: string;
  readonly isModern: boolean;
  /** Modern: whether its client can ask a person. */
  readonly canAsk: boolean;
  /** What the person said in this round or an earlier one. */
  readonly answered?: PersonAnswer;
  /** The call as the server is to see it: without what is ours. */
  readonly params: JsonObject;
}

const META = "io.modelcontextprotocol/";
const KEY = "holdfast";

export function roundOf(id: string | number, params: JsonObject): Round {
  const meta = isJsonObject(params._meta) ? params._meta : {};
  if (typeof meta[`${META}protocolVersion`] !== "string")
    return { callId: String(id), isModern: false, canAsk: false, params };
  const capabilities = meta[`${META}clientCapabilities`];
  const canAsk = isJsonObject(capabilities) && "elicitation" in capabilities;
  const kept = keptIn(params.requestState);
  if (!kept) return { callId: String(id), isModern: true, canAsk, params };
  const { inputResponses, requestState: _ours, ...rest } = params;
  const { [KEY]: said, ...others } = isJsonObject(inputResponses) ? inputResponses : {};
  return {
    callId: kept.call,
    isModern: true,
    canAsk,
    ...(isJsonObject(said) ? { answered: personAnswer(said) } : kept.allowed ? { answered: { allow: true } } : {}),
    params: {
      ...rest,
      ...(Object.keys(others).length > 0 ? { inputResponses: others } : {}),
      ...(kept.server === undefined ? {} : { requestState: kept.server }),
    },
  };
}

/** What of a client's request every other one to the same server must carry too. */
export const envelopeOf = ({ _meta: meta }: JsonObject): JsonObject | undefined =>
  isJsonObject(meta) && `${META}protocolVersion` in meta
    ? Object.fromEntries(Object.entries(meta).filter(([key]) => key.startsWith(META)))
    : undefined;

/** How a server of either revision names itself. */
export function serverNameIn({ serverInfo, _meta: meta }: JsonObject): string | undefined {
  const info = serverInfo ?? (isJsonObject(meta) ? meta[`${META}serverInfo`] : undefined);
  return isJsonObject(info) && typeof info.name === "string" ? info.name : undefined;
}

/** Ends this round of a call: its client has to find something out first. */
export class InputNeeded extends Error {
  readonly result: JsonObject;
  constructor(result: JsonObject) {
    super("input is needed");
    this.result = result;
  }
}

export const elicitation = ({ reason, tool }: Pick<Question, "reason" | "tool">): JsonObject => ({
  message: `${reason}\n\n${tool.name} ${JSON.stringify(tool.input)}`,
  requestedSchema: { type: "object", properties: {} },
});

export const personAnswer = (result: Json | undefined): PersonAnswer =>
  isJsonObject(result) && result.action === "accept" ? { allow: true } : { allow: false };

export function questionFor(question: Question, { callId, params }: Round): InputNeeded {
  const inputRequests = { [KEY]: { method: "elicitation/create", params: elicitation(question) } };
  const requestState = stateOf({ call: callId, server: params.requestState });
  return new InputNeeded({ resultType: "input_required", inputRequests, requestState });
}

/** What the server itself needs: passed on, with what we must know of the call when it comes again. */
export function serversNeed(result: Json | undefined, { isModern, callId, answered }: Round): InputNeeded | undefined {
  if (!isModern || !isJsonObject(result) || result.resultType !== "input_required") return undefined;
  // Output beside it would pass by every hook that looks at output.
  const { content: _content, structuredContent: _structured, ...need } = result;
  const allowed = answered?.allow === true;
  return new InputNeeded({ ...need, requestState: stateOf({ call: callId, allowed, server: result.requestState }) });
}

/** A client of the revision takes no result without it. */
export const complete = (result: JsonObject): JsonObject =>
  result.resultType === undefined ? { ...result, resultType: "complete" } : result;

interface Kept {
  readonly call: string;
  readonly allowed?: boolean;
  readonly server?: Json | undefined;
}

const stateOf = (kept: Kept): string => JSON.stringify({ [KEY]: kept });

/** Whoever makes it up gains nothing: what a yes was to is kept here, not there. */
function keptIn(state: Json | undefined): Kept | undefined {
  try {
    const kept = typeof state === "string" ? JSON.parse(state)?.[KEY] : undefined;
    return isJsonObject(kept) && typeof kept.call === "string" ? (kept as unknown as Kept) : undefined;
  } catch {
    return undefined;
  }
}
