/** What a command hook reads on stdin. Derived from the event table; the names are the predecessor's where it has them. */
import { type AgentEvent, CONTEXT_FIELDS, type EventName, eventRow, hasTool } from "../core/event.ts";
import { anyJson, type Field, type Fields, oneOf, type Spec, text } from "../core/fields.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
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
      field: { ...field, spec: wireSpec(field.spec) },
      read: (event) => wireValue((event as unknown as { [key: string]: Json | undefined })[key], field.spec),
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

/** Names of ours are in snake_case all the way down; keys of maps and of any JSON are people's own. */
function wireSpec(spec: Spec): Spec {
  switch (spec.type) {
    case "nullable":
    case "list":
    case "map":
      return { ...spec, of: wireSpec(spec.of) };
    case "object": {
      const fields = Object.entries(spec.fields).map(([name, field]) => [
        snakeCase(name),
        { ...field, spec: wireSpec(field.spec) },
      ]);
      return { ...spec, fields: Object.fromEntries(fields) };
    }
    default:
      return spec;
  }
}

function wireValue(value: Json | undefined, spec: Spec): Json | undefined {
  if (value === undefined || value === null) return value;
  switch (spec.type) {
    case "nullable":
      return wireValue(value, spec.of);
    case "list":
      return Array.isArray(value) ? value.map((item) => wireValue(item, spec.of) ?? null) : value;
    case "object":
      if (!isJsonObject(value)) return value;
      return Object.fromEntries(
        Object.entries(value).map(([name, item]) => {
          const field = spec.fields[name];
          return [snakeCase(name), (field ? wireValue(item, field.spec) : item) ?? null];
        }),
      );
    default:
      return value;
  }
}

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
