/** The ledger: every tool call that ran, one line each. */
import type { LedgerEntry } from "../core/effect.ts";
import type { EventOf } from "../core/event.ts";
import { isJsonObject, type Json } from "../core/json.ts";
import { redact, redactJson } from "../core/redact.ts";
import type { ToolCall } from "../core/tool.ts";
import { NO_OPINION } from "../core/verdict.ts";
import type { BuiltinHook } from "./builtin.ts";

const INPUT_BYTES = 120;
const OUTPUT_BYTES = 200;
const OUTPUT_LINES = 3;
const COMMAND_BYTES = 2_000;
/** Only the end of an output is summarised: there is no need to redact megabytes. */
const OUTPUT_CHARACTERS = 20_000;

export const recordToolCall: BuiltinHook = {
  name: "record-tool-call",
  doc: "writes every tool call to the ledger",
  on: ["post_tool_use"],
  answers: [],
  guards: false,
  onError: "continue",
  priority: 0,
  options: {},
  defaults: {},
  judge(event) {
    if (event.name !== "post_tool_use" || event.cwd === "") return NO_OPINION;
    const changed = CHANGES_FILES.includes(event.tool.kind) ? event.tool.paths : [];
    return {
      opinion: NO_OPINION.opinion,
      effects: [
        { type: "ledger", entry: ledgerEntry(event) },
        ...changed.map((path) => ({ type: "modified-file" as const, path })),
      ],
    };
  },
};

const CHANGES_FILES: readonly string[] = ["write", "edit"];

export function ledgerEntry(event: EventOf<"post_tool_use">): LedgerEntry {
  const { tool, response } = event;
  const input = inputSummary(tool);
  const output = tool.kind === "shell" ? outputSummary(response) : undefined;
  return {
    timestamp: event.at,
    host: event.host,
    session: event.session,
    agent: event.agent,
    tool_name: tool.name,
    tool_kind: tool.kind,
    ...(tool.id ? { tool_use_id: tool.id } : {}),
    cwd: event.cwd,
    ...(input !== undefined ? { input_summary: input } : {}),
    ...(tool.kind === "shell" && input !== tool.command
      ? { command: cut(redact(tool.command.slice(0, OUTPUT_CHARACTERS)), COMMAND_BYTES) }
      : {}),
    // Who reads the ledger later may be given this very list.
    ...(tool.paths.length > 0 ? { paths: Object.freeze([...tool.paths]) } : {}),
    success: !isUnknown(event) && succeeded(event),
    ...(isUnknown(event) ? { outcome_unknown: true as const } : {}),
    ...(output ? { output_summary: output } : {}),
    ...(event.durationMs !== null ? { duration_ms: event.durationMs } : {}),
  };
}

/** A command that was only started, or of which the host does not say how it ended, is no evidence of anything. */
function isUnknown({ tool, failed, outcomeUnknown }: EventOf<"post_tool_use">): boolean {
  return !failed && (outcomeUnknown || (tool.kind === "shell" && tool.background === true));
}

function succeeded({ failed, response }: EventOf<"post_tool_use">): boolean {
  if (failed) return false;
  return isJsonObject(response) && typeof response.success === "boolean" ? response.success : true;
}

function inputSummary(tool: ToolCall): string | undefined {
  // Redacted before it is cut: half a token no longer looks like one.
  if (tool.kind === "shell") return cut(redact(tool.command.slice(0, OUTPUT_CHARACTERS)), INPUT_BYTES);
  if (tool.paths[0] !== undefined) return tool.paths[0];
  return Object.keys(tool.input).length > 0 ? cut(JSON.stringify(redactJson(tool.input)), INPUT_BYTES) : undefined;
}

function outputSummary(response: Json): string {
  const lines = redact(outputText(response).trim().slice(-OUTPUT_CHARACTERS)).split("\n");
  return cut(lines.slice(-OUTPUT_LINES).join("\n"), OUTPUT_BYTES);
}

/** The text of a shell's answer, in the shapes hosts give it. */
function outputText(response: Json): string {
  if (typeof response === "string") return response;
  if (Array.isArray(response)) return response.map(outputText).join("\n");
  if (!isJsonObject(response)) return "";
  const { stdout, stderr, result, text, error, llmContent, output } = response;
  if (typeof stdout === "string" || typeof stderr === "string") return [stdout, stderr].filter(Boolean).join("\n");
  return outputText(result ?? text ?? llmContent ?? output ?? error ?? "");
}

/** Of one UTF-16 unit in UTF-8. */
const MOST_BYTES = 3;

/** Never splits a character, and says that it was cut. */
export function cut(text: string, maxBytes: number): string {
  if (text.length * MOST_BYTES <= maxBytes) return text;
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${new TextDecoder().decode(bytes.slice(0, end))}...`;
}
