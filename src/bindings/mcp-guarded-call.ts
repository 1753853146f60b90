/** One call of an MCP tool, from the first hook to the last: what its client is answered. */
import { isJsonObject, type Json, type JsonObject, sameJson } from "../core/json.ts";
import type { Session } from "../embed/session.ts";
import { type JudgedCall, type PersonAnswer, type Question, ToolFailure } from "../embed/tool-call.ts";
import type { KnownTool } from "./mcp-catalogue.ts";
import { errorResult, isTooDeep, rewrittenResult, withContext } from "./mcp-result.ts";
import { InputNeeded, isElsewhere, questionFor, type Round, serversNeed } from "./mcp-rounds.ts";

export interface McpCall {
  readonly session: Session;
  /** What rules call the server. */
  readonly server: string;
  readonly tool: string;
  /** As the server describes it; undefined: it does not. */
  readonly known: KnownTool | undefined;
  readonly round: Round;
  readonly signal: AbortSignal;
  /** What hooks told when the session began with this call. */
  readonly told: readonly string[];
  /** Asks the client's person while the call waits; undefined: it cannot. */
  readonly elicit: ((question: Question) => Promise<PersonAnswer>) | undefined;
  /** Makes the call: it waits for no person any more. */
  run(params: JsonObject): Promise<ServerAnswer>;
}

export interface ServerAnswer {
  readonly result?: Json;
  readonly error?: Json;
}

export type ClientAnswer = { readonly result: JsonObject } | { readonly error: Json };

export async function guardedCall(call: McpCall): Promise<ClientAnswer> {
  const { session, server, tool, known, round, signal } = call;
  const { params } = round;
  const given = isJsonObject(params.arguments) ? params.arguments : {};
  let answered: ServerAnswer = {};
  const called = {
    name: `mcp__${server}__${tool}`,
    mcp: { server, method: tool },
    input: given,
    id: round.callId,
    signal,
    ...(known?.inputProblem ? { problem: known.inputProblem } : {}),
  };
  try {
    const judged = await session.judgeTool(called);
    const ask = asking(call, judged);
    const outcome = await session.callTool({
      ...called,
      judged,
      ...(ask ? { ask } : {}),
      ...(round.answered ? { answered: round.answered } : {}),
      isSuspension: (error) => error instanceof InputNeeded,
      run: async (input) => {
        const answer = await call.run(sameJson(input, given) ? params : { ...params, arguments: input });
        if (isTooDeep([answer.result ?? null, answer.error ?? null])) throw new Error(TOO_DEEP);
        answered = answer;
        return outputOf(answered, round);
      },
    });
    const context = [...call.told, ...outcome.context];
    if (outcome.status === "blocked") return { result: withContext(errorResult(outcome.reason), context) };
    return seenAs(answered, outcome, known, context);
  } catch (error) {
    if (error instanceof InputNeeded) return { result: error.result };
    throw error;
  }
}

/** Since 2026-07-28 a question ends the round; before, the client is asked while the call waits. */
function asking({ session, round, elicit }: McpCall, judged: JudgedCall): typeof elicit {
  if (!round.canAsk) return elicit;
  return (question) => {
    session.suspendedWith(judged);
    throw questionFor(question, round);
  };
}

const ELSEWHERE =
  "The tool was called, but its result comes later by a way that no hook sees (as of a task), so it is withheld.";

const TOO_DEEP = "The tool was called, but its result is nested deeper than hooks can look, so it is withheld.";

function outputOf({ error, result }: ServerAnswer, round: Round): Json {
  const need = serversNeed(result, round);
  if (need) throw need;
  if (isElsewhere(result, round)) throw new Error(ELSEWHERE);
  if (error !== undefined) throw new ToolFailure(seenOf(error));
  if (isJsonObject(result) && result.isError === true) throw new ToolFailure(result);
  return result ?? {};
}

/** An error that is no more than its message is shown as that; of any other all that would reach the client. */
function seenOf(error: Json): Json {
  if (!isJsonObject(error)) return error;
  const { code: _code, message, ...more } = error;
  return typeof message === "string" && Object.keys(more).length === 0 ? message : error;
}

function seenAs(
  { error, result }: ServerAnswer,
  { output, failed }: { readonly output: Json; readonly failed: boolean },
  known: KnownTool | undefined,
  context: readonly string[],
): ClientAnswer {
  if (isJsonObject(error)) {
    const same = sameJson(output, seenOf(error));
    return same ? { error } : { result: withContext(rewrittenResult({}, output, true, undefined), context) };
  }
  const original = isJsonObject(result) ? result : {};
  return { result: withContext(rewrittenResult(original, output, failed, known?.outputProblem), context) };
}
