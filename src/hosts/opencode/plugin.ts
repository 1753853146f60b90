/** Holdfast inside OpenCode: its calls become payloads, and the engine's answers are obeyed. */
import { resolve } from "node:path";
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { filledOr, textOr } from "../payload.ts";
import type { Ask, Asked, HostPlugin } from "../plugin.ts";
import type { BusEvent, Hooks, PluginContext } from "./plugin-api.ts";
import { addToOutput, addToPrompt, replaceFields, replaceOutput, textOf } from "./plugin-deeds.ts";
import { type Session, sessionBook } from "./plugin-sessions.ts";
import { spelledTool } from "./tools.ts";

/** Registered for the project and for the person, we are loaded twice with one context: the second has nothing to do. */
export const plugin: HostPlugin =
  (connect) =>
  async (context: PluginContext): Promise<Partial<Hooks>> => {
    const served = servedContexts();
    if (served.has(context)) return {};
    const hooks = hooksFor(context, connect(context.directory));
    served.add(context);
    return hooks;
  };

/** Two builds of Holdfast in one process do not share a module. */
function servedContexts(): WeakSet<object> {
  const holder = globalThis as { [SERVED]?: WeakSet<object> };
  holder[SERVED] ??= new WeakSet();
  return holder[SERVED];
}

const SERVED = Symbol.for("holdfast.opencode.served");

/** `opencode run` ends with its only turn, within milliseconds: what hooks say about that is waited for on the spot. */
const ENDS_WITH_TURN = process.argv[2] === "run";

interface Call {
  readonly name: string;
  readonly input: JsonObject;
  readonly startedAt: number;
}

function hooksFor({ client, directory }: PluginContext, ask: Ask): Hooks {
  const sessions = sessionBook();
  /** Calls that we let pass and that have not ended. */
  const running = new Map<string, Call>();
  /** Permissions that OpenCode asks for, by the call they are about. */
  const asked = new Map<string, string>();
  const unfinished = new Set<Promise<void>>();
  let servers: readonly string[] = [];

  const BUS: Readonly<Record<string, (properties: BusEvent["properties"]) => Promise<void> | undefined>> = {
    "session.created"({ info }) {
      if (!isJsonObject(info) || typeof info.id !== "string") return undefined;
      const session = sessions.of(info.id);
      session.created = true;
      if (typeof info.parentID === "string") session.parent = info.parentID;
      return undefined;
    },
    async "session.compacted"({ sessionID }) {
      const session = sessions.of(textOr(sessionID, ""));
      session.compacting = false;
      hold(session, await put("session.compacted", sessions.actor(session.id)));
    },
    "permission.asked": permissionAsked,
    "permission.replied"({ requestID, reply }) {
      const callID = asked.get(textOr(requestID, ""));
      asked.delete(textOr(requestID, ""));
      // A call that was refused has not run, although it ends as a failed one.
      if (callID !== undefined && reply === "reject") running.delete(callID);
      return undefined;
    },
    "message.part.updated"({ part }) {
      if (!isJsonObject(part)) return undefined;
      if (part.type === "step-finish" && part.reason === "stop") return turnEnds(part);
      return part.type === "tool" && isJsonObject(part.state) && part.state.status === "error"
        ? callFailed(part, part.state)
        : undefined;
    },
  };

  return {
    async config({ mcp }) {
      servers = Object.keys(mcp ?? {});
    },

    async "chat.message"({ sessionID }, output) {
      const session = sessions.of(sessionID);
      const { agent, model } = output.message;
      session.voice = { ...(agent ? { agent } : {}), ...(model ? { model } : {}) };
      session.compacting = false;
      const prompt = promptOf(output.parts);
      const fields = { prompt, message_id: output.message.id, model: model?.modelID ?? "", agent_type: agent ?? "" };
      if (!session.started) {
        session.started = true;
        const source = session.created ? "startup" : "resume";
        hold(session, await put("session.created", { ...sessions.actor(sessionID), ...fields, source }));
      }
      const byPerson = session.parent === undefined && !session.queued.delete(prompt);
      if (byPerson) hold(session, await put("chat.message", { ...sessions.actor(sessionID), ...fields }));
      addToPrompt(sessionID, output, release(session));
    },

    async "tool.execute.before"({ tool, sessionID, callID }, output) {
      const call: Call = { name: spelledTool(tool, servers), input: plain(output.args), startedAt: performance.now() };
      const { args, ...answer } = await put("tool.execute.before", {
        ...sessions.actor(sessionID),
        ...named(callID, call),
      });
      const rewritten = isJsonObject(args) ? args : undefined;
      if (rewritten) replaceFields(output.args, rewritten);
      running.set(callID, { ...call, input: rewritten ?? call.input });
      hold(sessions.of(sessionID), answer);
    },

    async "tool.execute.after"({ tool, sessionID, callID, args }, output) {
      const call = running.get(callID) ?? {
        name: spelledTool(tool, servers),
        input: plain(args),
        startedAt: Number.NaN,
      };
      running.delete(callID);
      const session = sessions.of(sessionID);
      const { exit, sessionId } = isJsonObject(output.metadata) ? output.metadata : {};
      const answer = await put("tool.execute.after", {
        ...sessions.actor(sessionID),
        ...named(callID, call),
        tool_response: textOf(output),
        duration_ms: performance.now() - call.startedAt,
        exit_code: exit ?? null,
        child_session_id: sessionId ?? "",
      });
      if (typeof answer.output === "string") replaceOutput(output, answer.output);
      hold(session, answer);
      addToOutput(output, release(session));
    },

    async "experimental.session.compacting"({ sessionID }, output) {
      sessions.of(sessionID).compacting = true;
      const { context } = await put("experimental.session.compacting", sessions.actor(sessionID));
      if (typeof context === "string") output.context.push(context);
    },

    async "experimental.text.complete"({ sessionID }, { text }) {
      sessions.of(sessionID).lastText = text;
    },

    /** OpenCode waits for none of these: what they lead to is waited for in dispose. */
    async event({ event }) {
      const heed = Object.hasOwn(BUS, event.type) ? BUS[event.type] : undefined;
      const deed = heed?.(event.properties);
      if (!deed) return;
      const logged = deed.catch((error: unknown) => log(`${event.type}: ${String(error)}`, "error"));
      unfinished.add(logged);
      await logged;
      unfinished.delete(logged);
    },

    async dispose() {
      await Promise.all(unfinished);
      for (const { id, started, parent } of sessions.all()) {
        if (started && parent === undefined) await put("dispose", { session_id: id, reason: "dispose" });
      }
    },
  };

  /** A shell call may name the directory it runs in: there its paths begin. */
  function named(id: string, { name, input }: Call): JsonObject {
    const workdir =
      name === "bash" && typeof input.workdir === "string" ? resolve(directory, input.workdir) : undefined;
    return { tool_name: name, tool_input: input, tool_use_id: id, ...(workdir === undefined ? {} : { workdir }) };
  }

  async function put(event: string, fields: JsonObject): Promise<JsonObject> {
    return obeyed(await ask({ hook_event_name: event, cwd: directory, ...fields }));
  }

  /** Throws what is blocked. */
  function obeyed({ stdout, stderr, exitCode, remarks }: Asked): JsonObject {
    for (const remark of remarks) log(remark);
    if (exitCode === 2) throw new Error(stderr);
    if (exitCode !== 0) log(stderr, "error");
    return stdout === "" ? {} : (JSON.parse(stdout) as JsonObject);
  }

  /** Never on the screen: a byte there spoils what OpenCode draws or prints. */
  function log(message: string, level: "warn" | "error" = "warn"): void {
    // Nobody is left to be told that telling failed.
    void client.app.log({ body: { service: "holdfast", level, message } }).catch(() => {});
  }

  async function permissionAsked({ id, sessionID, permission, metadata, tool }: JsonObject): Promise<void> {
    const callID = isJsonObject(tool) ? textOr(tool.callID, "") : "";
    asked.set(textOr(id, ""), callID);
    const session = sessions.of(textOr(sessionID, ""));
    const input = isJsonObject(metadata) ? metadata : {};
    const call = running.get(callID) ?? {
      name: spelledTool(textOr(permission, ""), servers),
      input,
      startedAt: Number.NaN,
    };
    const answer = await put("permission.asked", { ...sessions.actor(session.id), ...named(callID, call) });
    const { permission: response, message } = answer;
    if (response !== "once" && response !== "reject") return;
    // OpenCode tells the model only that a person said no.
    if (typeof message === "string") hold(session, { context: message });
    await client.postSessionIdPermissionsPermissionId({
      path: { id: session.id, permissionID: textOr(id, "") },
      body: { response },
    });
  }

  async function callFailed({ sessionID, callID, id }: JsonObject, { error }: JsonObject): Promise<void> {
    const key = [textOr(callID, ""), textOr(id, "")].find((candidate) => running.has(candidate));
    const call = key === undefined ? undefined : running.get(key);
    if (key === undefined || !call) return;
    running.delete(key);
    const session = sessions.of(textOr(sessionID, ""));
    const answer = await put("message.part.updated", {
      ...sessions.actor(session.id),
      ...named(key, call),
      error: textOr(error, ""),
      duration_ms: performance.now() - call.startedAt,
    });
    hold(session, answer);
  }

  async function turnEnds({ sessionID, messageID }: JsonObject): Promise<void> {
    const session = sessions.of(textOr(sessionID, ""));
    // A sub-agent's turn is the task's to end, and a summary is no turn.
    if (session.parent !== undefined || session.compacting || !session.started) return;
    const payload = {
      ...{ hook_event_name: "step-finish", cwd: directory },
      ...sessions.actor(session.id),
      message_id: filledOr(messageID, ""),
      last_assistant_message: session.lastText,
    };
    const { prompt } = obeyed((ENDS_WITH_TURN ? ask.now(payload) : undefined) ?? (await ask(payload)));
    if (typeof prompt !== "string") return;
    session.queued.add(prompt);
    const parts = [{ type: "text", text: prompt } as const];
    await client.session.promptAsync({ path: { id: session.id }, body: { ...session.voice, parts } });
  }
}

/** What cannot be told now goes with the next thing the model is told. */
function hold(session: Session, { context }: JsonObject): void {
  if (typeof context === "string") session.waiting = [...session.waiting, context];
}

function release(session: Session): readonly string[] {
  const { waiting } = session;
  session.waiting = [];
  return waiting;
}

/** What the person wrote. `opencode run "two words"` hands it on with the quotes around it. */
function promptOf(
  parts: readonly { readonly type: string; readonly text?: string; readonly synthetic?: boolean }[],
): string {
  const texts = parts
    .filter(({ type, synthetic }) => type === "text" && synthetic !== true)
    .map(({ text = "" }) => text);
  const prompt = texts.join("\n");
  return /^"[^"]*"$/.test(prompt) ? prompt.slice(1, -1) : prompt;
}

/** As JSON would carry it: what is undefined is not there. */
function plain(value: unknown): JsonObject {
  const copy = JSON.parse(JSON.stringify(value ?? {})) as Json;
  return isJsonObject(copy) ? copy : {};
}
