/**
 * Hooks in front of an MCP server. Messages pass as they are, ids included, so that progress, cancellation, resources,
 * prompts and whatever comes later work untouched; only calls of tools, and what must be known for them, are looked at.
 */
import { randomUUID } from "node:crypto";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { isJsonObject, type Json, type JsonObject, sameJson } from "../core/json.ts";
import type { Session } from "../embed/session.ts";
import { type PersonAnswer, type Question, ToolFailure } from "../embed/tool-call.ts";
import { catalogue } from "./mcp-catalogue.ts";
import { errorResult, rewrittenResult, textContent } from "./mcp-result.ts";
import {
  complete,
  elicitation,
  envelopeOf,
  InputNeeded,
  personAnswer,
  questionFor,
  type Round,
  roundOf,
  serverNameIn,
  serversNeed,
} from "./mcp-rounds.ts";
import type { SupportTable } from "./support.ts";

export const support: SupportTable = {
  session_start: {
    how: "enforced",
    note: "when the client initializes, or discovers the server; context is added to the server's instructions",
  },
  session_end: { how: "enforced", note: "when either side closes" },
  pre_tool_use: { how: "enforced", note: "block is a result with isError; a rewrite must fit the tool's inputSchema" },
  "pre_tool_use: ask": {
    how: "enforced",
    note: "by elicitation, where the client has it (since 2026-07-28 as an `input_required` result); otherwise blocked. A pending approval holds the call, with progress where the client asks for it",
  },
  permission_request: { how: "enforced", note: "before the person is asked" },
  post_tool_use: { how: "enforced", note: "content and structuredContent are rewritten together" },
  "post_tool_use: rewrite": {
    how: "stricter",
    note: "a rewrite that no longer fits the tool's outputSchema reaches the model as an error without structure",
  },
  "post_tool_use: context": { how: "enforced", note: "as a further text in the result" },
  user_prompt_submit: { how: "never", note: "a server does not hear of prompts" },
  stop: { how: "never", note: "a server does not hear of turns" },
  pre_delegation: { how: "never", note: "a server does not hear of sub-agents" },
  pre_compaction: { how: "never", note: "a server does not hear of compaction" },
};

export interface McpProxyOptions {
  readonly session: Session;
  /** Towards the client, not started. */
  readonly client: Transport;
  /** Towards the server, not started. */
  readonly server: Transport;
  /** What rules and records call the server; default the name it gives itself. */
  readonly name?: string;
  /** Hears of messages that could not be read or delivered. */
  readonly onRemark?: (remark: string) => void;
  /** While people think, the client hears so often that the call is alive; default every ten seconds. */
  readonly progressMs?: number;
}

type Id = string | number;
type Message = { readonly [key: string]: Json };

const PROGRESS_MS = 10_000;

/** Runs until one side closes; says which. */
export async function proxyMcp(options: McpProxyOptions): Promise<"client" | "server"> {
  const proxy = new McpProxy(options);
  return proxy.run();
}

class McpProxy {
  readonly #options: McpProxyOptions;
  readonly #tools = catalogue();
  /** Answers of the server that are not passed on as they are. */
  readonly #awaited = new Map<Id, (answer: Message) => void>();
  /** Answers of the client to questions of ours. */
  readonly #asked = new Map<Id, (answer: Message) => void>();
  readonly #calls = new Map<Id, AbortController>();
  #server: string;
  #canAsk = false;

  constructor(options: McpProxyOptions) {
    this.#options = options;
    this.#server = options.name ?? "server";
  }

  async run(): Promise<"client" | "server"> {
    const { client, server, session } = this.#options;
    const closed = new Promise<"client" | "server">((resolve) => {
      client.onclose = () => resolve("client");
      server.onclose = () => resolve("server");
    });
    client.onerror = (error) => this.#remark(`from the client: ${error.message}`);
    server.onerror = (error) => this.#remark(`from the server: ${error.message}`);
    client.onmessage = (message) => this.#fromClient(message as unknown as Message);
    server.onmessage = (message) => this.#fromServer(message as unknown as Message);
    await server.start();
    await client.start();
    const who = await closed;
    for (const call of this.#calls.values()) call.abort();
    await (who === "client" ? server : client).close();
    await session.fire("session_end", { reason: `the ${who} closed` });
    return who;
  }

  #fromClient(message: Message): void {
    const { id, method, params } = message;
    if (method === undefined && this.#take(this.#asked, message)) return;
    if (isId(id) && (method === "initialize" || method === "server/discover")) return this.#initialize(id, message);
    if (isId(id) && method === "tools/call") return void this.#call(id, message);
    if (isId(id) && method === "tools/list") {
      this.#awaited.set(id, (answer) => {
        this.#tools.learn(answer.result);
        this.#toClient(answer);
      });
    }
    if (method === "notifications/cancelled" && isJsonObject(params) && isId(params.requestId)) {
      const call = this.#calls.get(params.requestId);
      call?.abort();
      // The server has not heard of a call that hooks still look at.
      if (call && !this.#awaited.has(params.requestId)) return;
      this.#awaited.delete(params.requestId);
    }
    this.#toServer(message);
  }

  #fromServer(message: Message): void {
    if (message.method === undefined && this.#take(this.#awaited, message)) return;
    if (message.method === "notifications/tools/list_changed") this.#tools.forget();
    this.#toClient(message);
  }

  #initialize(id: Id, message: Message): void {
    const { params } = message;
    // Since 2026-07-28 each call says it for itself.
    this.#canAsk = isJsonObject(params) && isJsonObject(params.capabilities) && "elicitation" in params.capabilities;
    this.#awaited.set(id, (answer) => void this.#initialized(answer));
    this.#toServer(message);
  }

  async #initialized(answer: Message): Promise<void> {
    const { result } = answer;
    if (!isJsonObject(result)) return this.#toClient(answer);
    const context = await this.#begin(result);
    const instructions = [result.instructions, ...context].filter((text) => typeof text === "string").join("\n\n");
    const told = context.length > 0 ? { ...result, instructions } : result;
    this.#toClient({ ...answer, result: withoutToolTasks(told) });
  }

  /** The session begins with the first that is heard of the server; what hooks tell then. */
  async #begin(server: JsonObject): Promise<readonly string[]> {
    const { name, session } = this.#options;
    const named = name === undefined ? serverNameIn(server) : undefined;
    if (named !== undefined) this.#server = named.replaceAll(/[^\w.-]+/g, "_");
    if (session.turn !== "") return [];
    session.startTurn();
    return (await session.fire("session_start", { source: "startup" })).context;
  }

  /** Since 2026-07-28 a connection may begin with a call: then nobody has said yet which server this is. */
  async #beginWithCall(params: JsonObject, signal: AbortSignal): Promise<readonly string[]> {
    const envelope = envelopeOf(params);
    if (!envelope || this.#options.session.turn !== "") return [];
    const id = `holdfast-${randomUUID()}`;
    const discover = { jsonrpc: "2.0", id, method: "server/discover", params: { _meta: envelope } };
    const { result } = await this.#request(id, discover, signal);
    if (!isJsonObject(result)) throw new Error(NAMELESS);
    return this.#begin(result);
  }

  async #call(id: Id, message: Message): Promise<void> {
    const { params } = message;
    if (!isJsonObject(params) || typeof params.name !== "string") return this.#toServer(message);
    if (params.task !== undefined) {
      const why = "holdfast mcp-proxy cannot look at the result of a tool that runs as a task; call it without task";
      return this.#toClient({ jsonrpc: "2.0", id, error: { code: -32602, message: why } });
    }
    const call = new AbortController();
    this.#calls.set(id, call);
    const round = roundOf(id, params);
    const whole = (result: JsonObject) => (round.isModern ? complete(result) : result);
    try {
      const answer = await this.#guarded(id, message, round, params.name, call.signal);
      const told = "result" in answer ? { result: whole(answer.result) } : answer;
      if (!call.signal.aborted) this.#toClient({ jsonrpc: "2.0", id, ...told });
    } catch (error) {
      // Closed: what was not judged did not run, or its output is not known to be harmless.
      const why = error instanceof Error ? error.message : String(error);
      this.#remark(`${params.name}: ${why}`);
      const result = whole(errorResult(`Holdfast could not judge this call: ${why}`));
      if (!call.signal.aborted) this.#toClient({ jsonrpc: "2.0", id, result });
    } finally {
      this.#calls.delete(id);
      this.#awaited.delete(id);
    }
  }

  /** The answer to a call as hooks left it. */
  async #guarded(
    id: Id,
    message: Message,
    round: Round,
    name: string,
    signal: AbortSignal,
  ): Promise<{ readonly result: JsonObject } | { readonly error: Json }> {
    const { params } = round;
    const { session } = this.#options;
    const told = await this.#beginWithCall(params, signal);
    await this.#tools.load((cursor) => this.#listTools(cursor, envelopeOf(params), signal));
    const given = isJsonObject(params.arguments) ? params.arguments : {};
    const inputProblem = this.#tools.tool(name)?.inputProblem;
    let answered: Message = {};
    // Before it runs it may wait for people, in approvals or an elicitation; a client gives up on what is silent.
    const alive = this.#keepAlive(params);
    const call = {
      name: `mcp__${this.#server}__${name}`,
      input: given,
      id: round.callId,
      signal,
      ...(inputProblem ? { problem: inputProblem } : {}),
    };
    const calling = session.judgeTool(call).then((judged) =>
      session.callTool({
        ...call,
        judged,
        ...(this.#canAsk ? { ask: (question: Question) => this.#elicit(question, signal) } : {}),
        ...(round.canAsk
          ? {
              ask: (question: Question) => {
                session.suspendedWith(judged);
                throw questionFor(question, round);
              },
            }
          : {}),
        ...(round.answered ? { answered: round.answered } : {}),
        isSuspension: (error) => error instanceof InputNeeded,
        run: async (input) => {
          clearInterval(alive);
          const isSame = sameJson(input, given);
          const changed = { ...message, params: isSame ? params : { ...params, arguments: input } };
          answered = await this.#request(id, changed, signal);
          const { error, result } = answered;
          const need = serversNeed(result, round);
          if (need) throw need;
          if (error !== undefined) throw new ToolFailure(isJsonObject(error) ? (error.message ?? error) : error);
          if (isJsonObject(result) && result.isError === true) throw new ToolFailure(result);
          return result ?? {};
        },
      }),
    );
    const outcome = await calling
      .catch((error: unknown) => {
        if (error instanceof InputNeeded) return error;
        throw error;
      })
      .finally(() => clearInterval(alive));
    if (outcome instanceof InputNeeded) return { result: outcome.result };
    const context = [...told, ...outcome.context];
    if (outcome.status === "blocked") return { result: withContext(errorResult(outcome.reason), context) };
    const { output, failed } = outcome;
    const { error, result } = answered;
    if (isJsonObject(error)) {
      const same = sameJson(output, error.message ?? error);
      return same ? { error } : { result: withContext(rewrittenResult({}, output, true, undefined), context) };
    }
    const original = isJsonObject(result) ? result : {};
    const rewritten = rewrittenResult(original, output, failed, this.#tools.tool(name)?.outputProblem);
    return { result: withContext(rewritten, context) };
  }

  async #listTools(
    cursor: string | undefined,
    envelope: JsonObject | undefined,
    signal: AbortSignal,
  ): Promise<Json | undefined> {
    const id = `holdfast-${randomUUID()}`;
    const params = { ...(cursor === undefined ? {} : { cursor }), ...(envelope ? { _meta: envelope } : {}) };
    const { result } = await this.#request(id, { jsonrpc: "2.0", id, method: "tools/list", params }, signal);
    return result;
  }

  #request(id: Id, message: Message, signal: AbortSignal): Promise<Message> {
    return answerTo(this.#awaited, id, signal, () => this.#toServer(message));
  }

  async #elicit(question: Question, signal: AbortSignal): Promise<PersonAnswer> {
    const id = `holdfast-${randomUUID()}`;
    const { result } = await answerTo(this.#asked, id, signal, () =>
      this.#toClient({ jsonrpc: "2.0", id, method: "elicitation/create", params: elicitation(question) }),
    );
    return personAnswer(result);
  }

  #keepAlive({ _meta: meta }: JsonObject): NodeJS.Timeout | undefined {
    const progressToken = isJsonObject(meta) ? meta.progressToken : undefined;
    if (progressToken === undefined) return undefined;
    let progress = 0;
    return setInterval(() => {
      progress += 1;
      const params = { progressToken, progress: progress / 1_000_000, message: "waiting for a person" };
      this.#toClient({ jsonrpc: "2.0", method: "notifications/progress", params });
    }, this.#options.progressMs ?? PROGRESS_MS);
  }

  #take(waiting: Map<Id, (answer: Message) => void>, message: Message): boolean {
    const { id } = message;
    const taken = isId(id) ? waiting.get(id) : undefined;
    if (!isId(id) || !taken) return false;
    waiting.delete(id);
    taken(message);
    return true;
  }

  #toClient(message: Message): void {
    this.#send(this.#options.client, message, "the client");
  }

  #toServer(message: Message): void {
    this.#send(this.#options.server, message, "the server");
  }

  #send(transport: Transport, message: Message, whom: string): void {
    transport
      .send(message as unknown as JSONRPCMessage)
      .catch((error: Error) => this.#remark(`to ${whom}: ${error.message}`));
  }

  #remark(remark: string): void {
    this.#options.onRemark?.(remark);
  }
}

const NAMELESS =
  "the server did not say which one it is, and rules go by its name: start holdfast mcp-proxy with --name";

const isId = (id: unknown): id is Id => typeof id === "string" || typeof id === "number";

function answerTo(
  waiting: Map<Id, (answer: Message) => void>,
  id: Id,
  signal: AbortSignal,
  send: () => void,
): Promise<Message> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new Error("the call was cancelled"));
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    waiting.set(id, (answer) => {
      signal.removeEventListener("abort", abort);
      resolve(answer);
    });
    send();
  });
}

const withContext = (result: JsonObject, context: readonly string[]): JsonObject =>
  context.length === 0
    ? result
    : { ...result, content: [...(Array.isArray(result.content) ? result.content : []), ...context.map(textContent)] };

/** The result of a task comes by another way than the call's: it is not offered, so that no output goes unseen. */
function withoutToolTasks(result: JsonObject): JsonObject {
  const { capabilities } = result;
  if (!isJsonObject(capabilities) || !isJsonObject(capabilities.tasks)) return result;
  const { requests } = capabilities.tasks;
  if (!isJsonObject(requests)) return result;
  const { tools: _unguarded, ...others } = requests;
  return { ...result, capabilities: { ...capabilities, tasks: { ...capabilities.tasks, requests: others } } };
}
