import { isJsonObject, type JsonObject } from "../../core/json.ts";
import type { ProgramRow, Said } from "./program-backend.ts";

/** `gemini` with a prompt on standard input, which makes it run without a terminal. */
export const gemini: ProgramRow = {
  id: "gemini",
  title: "Gemini CLI",
  command: ["gemini"],
  provenVersion: "0.61.0",
  args: ({ session, model, more }) => [
    ...["--output-format", "stream-json"],
    ...(model ? ["--model", model] : []),
    ...more,
    ...(session ? ["--resume", session.id] : []),
  ],
  efforts: {},
  permissions: {
    unrestricted: ["--approval-mode", "yolo"],
    restricted: ["--approval-mode", "auto_edit", "--allowed-tools=run_shell_command(holdfast)"],
  },
  read,
  unknownSession: /Error resuming session: Invalid session identifier/,
};

function read(line: JsonObject): Said {
  switch (line.type) {
    case "init":
      return typeof line.session_id === "string" ? { session: line.session_id } : {};
    case "message":
      return line.role === "assistant" ? { text: String(line.content), isDelta: line.delta === true } : {};
    case "tool_use":
      return { tool: { name: String(line.tool_name), input: line.parameters } };
    case "error":
      return { problem: String(line.message) };
    case "result":
      return line.status === "error"
        ? { problem: isJsonObject(line.error) ? String(line.error.message) : "it ended with an error" }
        : {};
    default:
      return {};
  }
}
