/**
 * Hooks in front of an MCP server. Messages pass as they are, ids included, so that progress, cancellation, resources,
 * prompts and whatever comes later work untouched; only calls of tools, and what must be known for them, are looked at.
 */
import { randomUUID } from "node:crypto";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import type { Session } from "../embed/session.ts";
import type { PersonAnswer, Question } from "../embed/tool-call.ts";
import { messagesIn } from "./mcp-batch.ts";
import { catalogue } from "./mcp-catalogue.ts";
import { type ClientAnswer, guardedCall } from "./mcp-guarded-call.ts";
import { type Id, isId, type Message, PendingAnswers } from "./mcp-pending-answers.ts";
import { errorResult } from "./mcp-result.ts";
import { complete, elicitation, envelopeOf, personAnswer, type Round, roundOf, serverNameIn } from "./mcp-rounds.ts";

export { support } from "./mcp-proxy-support.ts";

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

const PROGRESS_MS = 10_000;

/** Runs until one side closes; says which. */
export async function proxyMcp(options: McpProxyOptions): Promise<"client" | "server"> {
  const proxy = new McpProxy(options);
  return proxy.run();
}

class McpProxy {
  readonly #options: McpProxyOptions;
  readonly #tools = catalogue((remark) => this.#remark(remark));
  /** Answers of the server that are not passed on as they are. */
  readonly #awaited = new PendingAnswers();
  /** Answers of the client to questions of ours. */
  readonly #asked = new PendingAnswers();
  readonly #calls = new Map<Id, AbortController>();
  /** Calls and the beginning of the session, until they are over: the session ends after them. */
  readonly #underWay = new Set<Promise<void>>();
  /** What all calls share hangs on none of them. */
  readonly #closing = new AbortController();
  /** Requests of the client whose answers are passed on as they are. Any other answer may be output that no hook saw. */
  readonly #passed = new Set<Id>();
  /** What rules call the server; undefined: nobody has said it yet. */
  #server: string | undefined;
  #canAsk = false;

  constructor(options: McpProxyOptions) {
    this.#options = options;
    this.#server = options.name || undefined;
  }

  async run(): Promise<"client" | "server"> {
    const { client, server, session } = this.#options;
    const closed = new Promise<"client" | "server">((resolve) => {
      client.onclose = () => resolve("client");
      server.onclose = () => resolve("server");
    });
    client.onerror = (error) => this.#remark(`from the client: ${error.message}`);
    server.onerror = (error) => this.#remark(`from the server: ${error.message}`);
    client.onmessage = (given) => {
      const drop = (remark: string) => this.#remark(`from the client: ${remark}`);
      for (const message of messagesIn(given, drop)) this.#fromClient(message);
    };
    server.onmessage = (given) => {
      const drop = (remark: string) => this.#remark(`from the server: ${remark}`);
      for (const message of messagesIn(given, drop)) this.#fromServer(message);
    };
    await server.start();
    await client.start();
    const who = await closed;
    this.#closing.abort();
    for (const call of this.#calls.values()) call.abort();
    await (who === "client" ? server : client).close();
    await Promise.all(this.#underWay);
    await session.fire("session_end", { reason: `the ${who} closed` });
    return who;
  }

  #fromClient(message: Message): void {
    const { id, method, params } = message;
    if (method === undefined && this.#asked.take(message)) return;
    if (isId(id) && method !== undefined && this.#isInUse(id)) return this.#refuseReused(id);
    if (isId(id) && (method === "initialize" || method === "server/discover")) return this.#initialize(id, message);
    if (method === "tools/call") return isId(id) ? this.#begun(this.#call(id, message)) : this.#remark(UNANSWERABLE);
    if (isId(id) && method === "tools/list") {
      this.#awaited.expect(id, (answer) => {
        this.#tools.learn(answer.result);
        this.#toClient(answer);
      });
    } else if (isId(id) && method !== undefined) this.#passed.add(id);
    if (method === "notifications/cancelled" && isJsonObject(params) && isId(params.requestId)) {
      const call = this.#calls.get(params.requestId);
      call?.abort();
      // The server has not heard of a call that hooks still look at.
      if (call && !this.#awaited.has(params.requestId)) return;
      this.#awaited.forget(params.requestId);
      this.#passed.delete(params.requestId);
    }
    this.#toServer(message);
  }

  #fromServer(message: Message): void {
    const { id, method } = message;
    if (method === undefined && this.#awaited.take(message)) return;
    if (method === undefined && !(isId(id) && this.#passed.delete(id))) return this.#remark(unasked(id));
    if (method === "notifications/tools/list_changed") this.#tools.forget();
    this.#toClient(message);
  }

  #begun(work: Promise<void>): void {
    const watched = work
      .catch((error) => this.#remark(`unexpected: ${error instanceof Error ? error.message : error}`))
      .finally(() => this.#underWay.delete(watched));
    this.#underWay.add(watched);
  }

  #isInUse(id: Id): boolean {
    return this.#calls.has(id) || this.#awaited.has(id) || this.#passed.has(id);
  }

  #refuseReused(id: Id): void {
    const why = `a request was refused: its id ${JSON.stringify(id)} is that of another one which is not answered yet`;
    this.#remark(why);
    this.#toClient({
      jsonrpc: "2.0",
      id,
      error: { code: -32600, message: `holdfast mcp-proxy: ${why}; take a new id` },
    });
  }

  #initialize(id: Id, message: Message): void {
    const { params } = message;
    // Since 2026-07-28 each call says it for itself.
    this.#canAsk = isJsonObject(params) && isJsonObject(params.capabilities) && "elicitation" in params.capabilities;
    this.#awaited.expect(id, (answer) => this.#begun(this.#initialized(answer)));
    this.#toServer(message);
  }

  async #initialized(answer: Message): Promise<void> {
    const { result } = answer;
    if (!isJsonObject(result)) return this.#toClient(answer);
    // Advice only: a client that waits in vain for its answer would have less.
    const context = await this.#begin(result).catch((error) => {
      this.#remark(`at the start of the session: ${error instanceof Error ? error.message : error}`);
      return [];
    });
    const instructions = [result.instructions, ...context].filter((text) => typeof text === "string").join("\n\n");
    const told = context.length > 0 ? { ...result, instructions } : result;
    this.#toClient({ ...answer, result: withoutToolTasks(told) });
  }

  /** The session begins with the first that is heard of the server; what hooks tell then. */
  async #begin(server: JsonObject): Promise<readonly string[]> {
    const { session } = this.#options;
    // The first name stays: with another one a server would leave the rules that are written for it.
    this.#server ??= this.#nameOf(server);
    if (session.turn !== "") return [];
    session.startTurn();
    return (await session.fire("session_start", { source: "startup" })).context;
  }

  #nameOf(server: JsonObject): string | undefined {
    return this.#options.name || serverNameIn(server)?.replaceAll(/[^\w.-]+/g, "_");
  }

  /** Since 2026-07-28 a connection may begin with a call: then nobody has said yet which server this is. */
  async #beginWithCall(params: JsonObject, signal: AbortSignal): Promise<readonly string[]> {
    const envelope = envelopeOf(params);
    if (!envelope || this.#options.session.turn !== "") return [];
    const id = `holdfast-${randomUUID()}`;
    const discover = { jsonrpc: "2.0", id, method: "server/discover", params: { _meta: envelope } };
    const { result } = await this.#request(id, discover, signal);
    const server = isJsonObject(result) ? result : {};
    if (this.#nameOf(server) === undefined) throw new Error(NAMELESS);
    return this.#begin(server);
  }

  async #call(id: Id, message: Message): Promise<void> {
    const { params } = message;
    const refuse = (why: string) =>
      this.#toClient({ jsonrpc: "2.0", id, error: { code: -32602, message: `holdfast mcp-proxy ${why}` } });
    if (!isJsonObject(params) || typeof params.name !== "string") return refuse("cannot tell which tool is called");
    if (!isJsonObject(params.arguments ?? {}))
      return refuse("cannot look at arguments that are no object; pass them by name");
    if (params.task !== undefined)
      return refuse("cannot look at the result of a tool that runs as a task; call it without task");
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
      this.#awaited.forget(id);
    }
  }

  /** The answer to a call as hooks left it. */
  async #guarded(id: Id, message: Message, round: Round, tool: string, signal: AbortSignal): Promise<ClientAnswer> {
    const { params } = round;
    const { session } = this.#options;
    const told = await this.#beginWithCall(params, signal);
    if (this.#server === undefined) throw new Error(NAMELESS);
    await this.#tools.load((cursor) => this.#listTools(cursor, envelopeOf(params), this.#closing.signal));
    signal.throwIfAborted();
    // Before it runs it may wait for people, in approvals or an elicitation; a client gives up on what is silent.
    const alive = this.#keepAlive(params);
    return guardedCall({
      session,
      server: this.#server,
      tool,
      known: this.#tools.tool(tool),
      round,
      signal,
      told,
      elicit: this.#canAsk ? (question) => this.#elicit(question, signal) : undefined,
      run: (changed) => {
        clearInterval(alive);
        return this.#request(id, { ...message, params: changed }, signal);
      },
    }).finally(() => clearInterval(alive));
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
    return this.#awaited.answerTo(id, signal, () => this.#toServer(message));
  }

  async #elicit(question: Question, signal: AbortSignal): Promise<PersonAnswer> {
    const id = `holdfast-${randomUUID()}`;
    const { result } = await this.#asked.answerTo(id, signal, () =>
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
  "the server did not say which one it is, and rules go by its name: start holdfast mcp-proxy with --name, or give proxyMcp one";

const UNANSWERABLE = "a call of a tool without an id was dropped: nobody could be answered what hooks say of it";

const unasked = (id: Json | undefined) =>
  `an answer of the server was dropped: no request with its id (${JSON.stringify(id) ?? "none"}) waits for one, and it may be output that no hook has seen`;

/** The result of a task comes by another way than the call's: it is not offered, so that no output goes unseen. */
function withoutToolTasks(result: JsonObject): JsonObject {
  const { capabilities } = result;
  if (!isJsonObject(capabilities) || !isJsonObject(capabilities.tasks)) return result;
  const { requests } = capabilities.tasks;
  if (!isJsonObject(requests)) return result;
  const { tools: _unguarded, ...others } = requests;
  return { ...result, capabilities: { ...capabilities, tasks: { ...capabilities.tasks, requests: others } } };
}
