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

const isModern = (meta: Json | undefined): meta is JsonObject =>
  isJsonObject(meta) && typeof meta[`${META}protocolVersion`] === "string";

export function roundOf(id: string | number, params: JsonObject): Round {
  const { _meta: meta } = params;
  if (!isModern(meta)) return { callId: String(id), isModern: false, canAsk: false, params };
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
  isModern(meta) ? Object.fromEntries(Object.entries(meta).filter(([key]) => key.startsWith(META))) : undefined;

/** How a server of either revision names itself. */
export function serverNameIn({ serverInfo, _meta: meta }: JsonObject): string | undefined {
  const info = serverInfo ?? (isJsonObject(meta) ? meta[`${META}serverInfo`] : undefined);
  return isJsonObject(info) && typeof info.name === "string" && info.name !== "" ? info.name : undefined;
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
export function serversNeed(result: Json | undefined, round: Round): InputNeeded | undefined {
  const { callId, answered } = round;
  if (!round.isModern || !isJsonObject(result) || result.resultType !== "input_required") return undefined;
  const { resultType, inputRequests } = result;
  if (inputRequests !== undefined && !isJsonObject(inputRequests)) throw new Error(NO_REQUESTS);
  if (inputRequests && KEY in inputRequests) throw new Error(OUR_KEY);
  const allowed = answered?.allow === true;
  const requestState = stateOf({ call: callId, allowed, server: result.requestState });
  // Nothing else: output beside it would pass by every hook that looks at output.
  return new InputNeeded({ resultType, ...(inputRequests === undefined ? {} : { inputRequests }), requestState });
}

const NO_REQUESTS =
  "the server says that it needs input, but not by name what it asks for: that may be output, and no hook has seen it";

const OUR_KEY = `the server asks under the name "${KEY}", which is ours: what is said to it would be read as said to hooks`;

/** A result that only says where the output will be. */
export function isElsewhere(result: Json | undefined, round: Round): boolean {
  if (!isJsonObject(result)) return false;
  if (round.isModern && result.resultType !== undefined && result.resultType !== "complete") return true;
  // How 2025-11-25 says it; a tool's own output may well be about tasks.
  return isJsonObject(result.task) && result.content === undefined;
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
