import { isJsonObject, type JsonObject } from "../../core/json.ts";
import type { ProgramRow, Said } from "./program-backend.ts";

/** `opencode run --format json`. The prompt is read from standard input: as an argument it would be stored with quotes. */
export const opencode: ProgramRow = {
  id: "opencode",
  title: "OpenCode",
  command: ["opencode"],
  provenVersion: "1.18.18",
  args: ({ session, model, more }) => [
    ...["run", "--format", "json"],
    ...(model ? ["--model", model] : []),
    ...more,
    ...(session ? ["--session", session.id] : []),
  ],
  efforts: {
    minimal: ["--variant", "minimal"],
    low: ["--variant", "low"],
    medium: ["--variant", "medium"],
    high: ["--variant", "high"],
    max: ["--variant", "max"],
  },
  permissions: { unrestricted: ["--auto"], restricted: [] },
  read,
  unknownSession: /Session not found/,
};

function read(line: JsonObject): Said {
  const session = typeof line.sessionID === "string" ? { session: line.sessionID } : {};
  const part = isJsonObject(line.part) ? line.part : {};
  switch (line.type) {
    case "text":
      return { ...session, text: String(part.text) };
    case "tool_use":
      return {
        ...session,
        tool: { name: String(part.tool), input: isJsonObject(part.state) ? part.state.input : undefined },
      };
    case "error":
      return { ...session, problem: errorText(line.error) };
    default:
      return session;
  }
}

function errorText(error: unknown): string {
  if (!isJsonObject(error)) return String(error);
  const message = isJsonObject(error.data) ? error.data.message : error.message;
  return typeof message === "string" ? message : String(error.name ?? "an error");
}
