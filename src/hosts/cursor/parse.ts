import type { AgentEvent, EventContext, EventOf } from "../../core/event.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import {
  parseWith,
  preCompaction,
  preToolUse,
  type Reading,
  sessionEnd,
  sessionStart,
  userPrompt,
} from "../event-readers.ts";
import type { Moment, Native } from "../host.ts";
import { countOrNull, filledOr, requiredText, textOr, unusable } from "../payload.ts";
import { PASSED, spell } from "./support.ts";
import { delegating, mcpToolName, tools } from "./tools.ts";

const HOST = "cursor";

export function parse(payload: JsonObject, moment: Moment): Native {
  const { hook_event_name: event } = payload;
  // Other hosts have events of these names, too.
  const named =
    isCursors(payload) && typeof event === "string" ? { ...payload, hook_event_name: spell(event) } : payload;
  const native = read(named, moment);
  const [call] = native.events;
  const isNameless = native.event === "beforeMCPExecution" && call && "tool" in call && serverOf(payload) === "";
  return { ...native, payload, ...(isNameless ? { namelessTool: call.tool.name } : {}) };
}

/** Every event says the version; the environment says nothing, as other hosts run in Cursor's terminal. */
export const isCursors = ({ cursor_version: version }: JsonObject): boolean => typeof version === "string";

/** The input of a tool, which Cursor also sends as JSON in a text. */
export function inputOf(payload: JsonObject): JsonObject {
  const { tool_input: input } = payload;
  if (input === undefined || input === "") return {};
  const value = typeof input === "string" ? fromJson(input) : input;
  if (isJsonObject(value)) return value;
  throw unusable(HOST, `"tool_input" must be an object`);
}

const read = parseWith({
  host: HOST,
  tools,
  delegating,
  passed: PASSED,
  contextOf,
  readers: {
    sessionStart,
    sessionEnd,
    beforeSubmitPrompt: userPrompt,
    preToolUse: (reading) => preToolUse(withInput(reading)).map((event) => inShellDirectory(event)),
    beforeMCPExecution,
    beforeShellExecution: ({ payload, context }) => {
      const input = payload.command === undefined ? {} : { command: payload.command };
      return [{ name: "pre_tool_use", ...context, tool: tools.read("Shell", input, undefined) }];
    },
    beforeReadFile: ({ payload, context }) => {
      const input = { file_path: requiredText(payload, "file_path", HOST) };
      return [{ name: "pre_tool_use", ...context, tool: tools.read("Read", input, undefined) }];
    },
    postToolUse,
    postToolUseFailure,
    preCompact: (reading) => preCompaction(reading).map((event) => ({ ...event, ...contextSize(reading.payload) })),
    subagentStart,
    subagentStop,
    // What a person broke off, or an error, is not the agent's wish to end: no hook may continue it.
    stop: ({ payload, context }) =>
      filledOr(payload.status, "completed") === "completed"
        ? [
            {
              name: "stop",
              ...context,
              stopReason: "end_turn",
              lastAssistantMessage: null,
              continuations: countOrNull(payload.loop_count) ?? 0,
            },
          ]
        : [],
  },
});

function contextOf(payload: JsonObject, { id, at, env, cwd }: Moment): EventContext {
  const roots = Array.isArray(payload.workspace_roots) ? payload.workspace_roots : [];
  return {
    id,
    at,
    host: HOST,
    session: filledOr(payload.session_id, textOr(payload.conversation_id, "")),
    turn: textOr(payload.generation_id, ""),
    agent: null,
    parentAgent: null,
    // A person's own hooks are started in ~/.cursor, and the documented field is often empty.
    cwd: filledOr(payload.cwd, filledOr(roots[0], env.CURSOR_PROJECT_DIR || cwd)),
    permissionMode: "default",
    model: textOr(payload.model, ""),
    transcriptPath: filledOr(payload.transcript_path, null),
  };
}

const withInput = (reading: Reading): Reading => ({
  ...reading,
  payload: { ...reading.payload, tool_input: inputOf(reading.payload) },
});

/** A command runs where its call says, if it says so. */
function inShellDirectory<E extends AgentEvent>(event: E): E {
  if (!("tool" in event) || event.tool.kind !== "shell") return event;
  const { working_directory: named, cwd } = event.tool.input;
  const directory = filledOr(named, filledOr(cwd, ""));
  if (directory === "") return event;
  const absolute = /^(?:[/\\]|[A-Za-z]:)/.test(directory);
  return { ...event, cwd: absolute ? directory : `${event.cwd}/${directory}` };
}

function toolOf(payload: JsonObject) {
  const name = requiredText(payload, "tool_name", HOST);
  return tools.read(name, inputOf(payload), filledOr(payload.tool_use_id, undefined));
}

function beforeMCPExecution({ payload, context }: Reading): readonly AgentEvent[] {
  const name = mcpToolName(serverOf(payload), requiredText(payload, "tool_name", HOST));
  const tool = tools.read(name, inputOf(payload), filledOr(payload.tool_use_id, undefined));
  return [{ name: "pre_tool_use", ...context, tool }];
}

/** Servers of a project have been seen as `project-0-<folder>-<name>`; rules are written for the name in mcp.json. */
function serverOf({ mcp_server_name: name, workspace_roots: roots }: JsonObject): string {
  const server = textOr(name, "").replaceAll("/", "-");
  const folders = (Array.isArray(roots) ? roots : []).flatMap((root) =>
    typeof root === "string" ? [root.split(/[\\/]/).filter(Boolean).at(-1) ?? ""] : [],
  );
  const [, rest] = /^project-\d+-(.+)$/.exec(server) ?? [];
  const folder = folders.find((name) => name !== "" && rest?.startsWith(`${name}-`));
  return folder === undefined ? server : (rest?.slice(folder.length + 1) ?? server);
}

/** Successful calls only; a command that failed comes as a failure. */
function postToolUse({ payload, context }: Reading): readonly AgentEvent[] {
  const response = outputOf(payload.tool_output);
  const failed = isJsonObject(response) && typeof response.exitCode === "number" && response.exitCode !== 0;
  return [{ ...ran(payload, context), response, failed }];
}

function postToolUseFailure({ payload, context }: Reading): readonly AgentEvent[] {
  // Cursor reports a call that was denied as a failure, too; it has not run.
  if (payload.failure_type === "permission_denied") return [];
  return [{ ...ran(payload, context), response: textOr(payload.error_message, ""), failed: true }];
}

function ran(payload: JsonObject, context: EventContext): EventOf<"post_tool_use"> {
  const durationMs = countOrNull(payload.duration);
  const event = {
    name: "post_tool_use",
    ...context,
    tool: toolOf(payload),
    response: null,
    failed: false,
    outcomeUnknown: false,
    durationMs,
  };
  return inShellDirectory(event as EventOf<"post_tool_use">);
}

/** Documented as JSON in a text. */
const outputOf = (output: Json | undefined): Json =>
  typeof output === "string" ? (fromJson(output) ?? output) : (output ?? null);

const contextSize = (payload: JsonObject) => ({
  tokenEstimate: countOrNull(payload.context_tokens),
  messageCount: countOrNull(payload.message_count),
});

function subagentStart({ payload, context }: Reading): readonly AgentEvent[] {
  return [
    {
      name: "delegation_start",
      ...context,
      delegationId: delegationId(payload),
      targetAgentId: textOr(payload.subagent_type, ""),
      objective: textOr(payload.task, ""),
      context: null,
      constraints: null,
      expectedOutput: null,
      status: "requested",
    },
  ];
}

function subagentStop({ payload, context }: Reading): readonly AgentEvent[] {
  const request = {
    ...context,
    delegationId: delegationId(payload),
    targetAgentId: textOr(payload.subagent_type, ""),
    objective: textOr(payload.task, ""),
  };
  const status = filledOr(payload.status, "completed");
  const summary = textOr(payload.summary, "");
  if (status === "completed") {
    const childSessionId = delegationId(payload);
    return [
      { ...request, name: "post_delegation", childSessionId, status: "complete", summary, verificationPassed: false },
    ];
  }
  const errorType = status === "aborted" ? "Interrupted" : "Unknown Error";
  const error = filledOr(payload.error_message, filledOr(summary, status));
  return [{ ...request, name: "delegation_failure", status: "failed", error, errorType }];
}

const delegationId = (payload: JsonObject) => filledOr(payload.subagent_id, textOr(payload.tool_call_id, ""));

function fromJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
