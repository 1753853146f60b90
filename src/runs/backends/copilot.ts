import { isJsonObject, type JsonObject } from "../../core/json.ts";
import type { ProgramRow, Said } from "./program-backend.ts";

/** `copilot` with a prompt on standard input. It names its session only as it ends, so a new one gets an id of ours. */
export const copilot: ProgramRow = {
  id: "copilot",
  title: "Copilot CLI",
  command: ["copilot"],
  provenVersion: "1.0.102",
  args: ({ session, model, more }) => [
    ...["--output-format", "json", "--no-auto-update", "--no-ask-user"],
    ...(model ? ["--model", model] : []),
    ...more,
    ...(session ? [session.isNew ? `--session-id=${session.id}` : `--resume=${session.id}`] : []),
  ],
  efforts: {
    off: ["--reasoning-effort", "none"],
    minimal: ["--reasoning-effort", "minimal"],
    low: ["--reasoning-effort", "low"],
    medium: ["--reasoning-effort", "medium"],
    high: ["--reasoning-effort", "high"],
    xhigh: ["--reasoning-effort", "xhigh"],
    max: ["--reasoning-effort", "max"],
  },
  permissions: {
    unrestricted: ["--allow-all-tools", "--allow-all-paths"],
    restricted: ["--allow-tool=write", "--allow-tool=shell(holdfast:*)"],
  },
  isSessionOurs: true,
  read,
  unknownSession: /No session, task, or name matched/,
};

function read(line: JsonObject): Said {
  const data = isJsonObject(line.data) ? line.data : {};
  switch (line.type) {
    case "assistant.message":
      // Words of a sub-agent carry the call that asked for it.
      return data.parentToolCallId === undefined ? { text: String(data.content ?? "") } : {};
    case "tool.execution_start":
      return { tool: { name: String(data.toolName), input: data.arguments } };
    case "session.error":
      return { problem: String(data.message) };
    case "result":
      return typeof line.sessionId === "string" ? { session: line.sessionId } : {};
    default:
      return {};
  }
}
