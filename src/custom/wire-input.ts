/** What a command hook reads on stdin. Derived from the event table; the names are the predecessor's where it has them. */
import { type AgentEvent, CONTEXT_FIELDS, type EventName, eventRow, hasTool } from "../core/event.ts";
import { anyJson, type Field, type Fields, oneOf, text } from "../core/fields.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { TOOL_KINDS, type ToolCall } from "../core/tool.ts";

export function wireInputFields(event: EventName): Fields {
  return Object.fromEntries(wireRows(event).map(({ name, field }) => [name, field]));
}

export function wireInput(event: AgentEvent): JsonObject {
  return Object.fromEntries(
    wireRows(event.name).flatMap(({ name, read }): [string, Json][] => {
      const value = read(event);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** One field on the wire, in the order they are written. */
interface WireRow {
  readonly name: string;
  readonly field: Field;
  readonly read: (event: AgentEvent) => Json | undefined;
}

function wireRows(event: EventName): readonly WireRow[] {
  const { payload, tool } = eventRow(event);
  const common = event === "session_start" ? COMMON.filter(({ name }) => name !== "turn_id") : COMMON;
  const payloadRows = Object.entries(payload).map(
    ([key, field]): WireRow => ({
      name: RENAMED[key] ?? snakeCase(key),
      field,
      read: (event) => (event as unknown as { [key: string]: Json | undefined })[key],
    }),
  );
  const rows = tool
    ? [
        ...common,
        TOOL.name,
        TOOL.input,
        ...payloadRows,
        ...(event === "permission_request" ? [] : [TOOL.id]),
        ...OURS,
        TOOL.kind,
      ]
    : [...common, ...payloadRows, ...OURS];
  return rows.map((row) => (row.name === "hook_event_name" ? { ...row, field: oneOf([event], row.field.doc) } : row));
}

const row = (name: string, field: Field, read: WireRow["read"]): WireRow => ({ name, field, read });

const COMMON: readonly WireRow[] = [
  row("session_id", CONTEXT_FIELDS.session, ({ session }) => session),
  row("turn_id", CONTEXT_FIELDS.turn, ({ turn }) => turn),
  row("transcript_path", CONTEXT_FIELDS.transcriptPath, ({ transcriptPath }) => transcriptPath),
  row("cwd", CONTEXT_FIELDS.cwd, ({ cwd }) => cwd || "."),
  row("hook_event_name", text("the event"), ({ name }) => name),
  row("model", CONTEXT_FIELDS.model, ({ model }) => model),
  row("permission_mode", CONTEXT_FIELDS.permissionMode, ({ permissionMode }) => permissionMode),
];

/** What the predecessor does not send; after everything it does. */
const OURS: readonly WireRow[] = [
  row("host", CONTEXT_FIELDS.host, ({ host }) => host),
  row("agent_id", CONTEXT_FIELDS.agent, ({ agent }) => agent),
];

const toolRow = (name: string, field: Field, read: (tool: ToolCall) => Json): WireRow =>
  row(name, field, (event) => (hasTool(event) ? read(event.tool) : undefined));

const TOOL = {
  name: toolRow("tool_name", text("the host's own name of the tool"), ({ name }) => name),
  input: toolRow("tool_input", anyJson("the host's own arguments, as rewritten so far"), ({ input }) => input),
  id: toolRow("tool_use_id", text("the host's id of the call; empty where it gives none"), ({ id }) => id ?? ""),
  kind: toolRow("tool_kind", oneOf(TOOL_KINDS, "what the tool does, the same on every host"), ({ kind }) => kind),
};

/** Payload fields whose wire name is not their own in snake_case. */
const RENAMED: { readonly [key: string]: string } = { response: "tool_response" };

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
